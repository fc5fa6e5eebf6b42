import { describe, expect, test } from 'vitest';
import { fitDatabase } from './doctor-fit-database.ts';
import { type Answer, oracleError, StandIn } from './doctor-stand-in.ts';
import { resultOf, tell } from './doctor-world.ts';

describe('P10: an index that is made while another session writes', () => {
  test('waits for the writer with ONLINE, and is refused without', async () => {
    let release = () => {};
    const waits: Answer = (sql) => {
      if (sql === 'ROLLBACK') release();
      return / ONLINE$/.test(sql) && sql.startsWith('CREATE')
        ? new Promise((resolve) => {
            release = () => resolve({});
          })
        : undefined;
    };
    const { status, seen } = await resultOf('P10', waits);
    expect(status).toBe('holds');
    expect(seen).toMatch(
      /the index is refused \(ORA-00054, [\d.]+ s\), with ONLINE it waits for the end of that transaction/,
    );
  });

  test('is made, or cannot be made ONLINE at all', async () => {
    const other: Answer = (sql) => {
      if (!/^CREATE VECTOR INDEX \w+_BUSY_IVF/.test(sql)) return undefined;
      return sql.endsWith('ONLINE') ? oracleError('ORA-52412') : {};
    };
    expect((await resultOf('P10', other)).seen).toMatch(
      /the index is made without a wait \([\d.]+ s\), with ONLINE it is refused \(ORA-52412, [\d.]+ s\)$/,
    );
  });
});

describe('P16: pipelines', () => {
  test('whose query runs without the context', async () => {
    const nobody: Answer = (sql) =>
      sql.startsWith('SELECT i.id, i.note')
        ? { rows: Array.from({ length: 10 }, (_, i) => ({ ID: i, WHO: null })) }
        : undefined;
    expect(await resultOf('P16', nobody)).toMatchObject({
      status: 'differs',
      seen: expect.stringContaining('0 of 10 rows'),
    });
  });

  test('that commit what came before an error', async () => {
    const kept: Answer = (sql, { id }, { number }) =>
      /COUNT\(\*\) AS n FROM \w+_ITEMS WHERE id >=/.test(sql) && id === 201 && number > 2
        ? { rows: [{ N: 2 }] }
        : undefined;
    expect(await resultOf('P16', kept)).toMatchObject({
      status: 'differs',
      means: expect.stringContaining('do not run'),
    });
  });

  test('whose rows are committed though it was cut off', async () => {
    const goesOn: Answer = (sql, { id }) => (sql.includes('COUNT(*)') && id === 301 ? { rows: [{ N: 1 }] } : undefined);
    expect(await resultOf('P16', goesOn)).toMatchObject({
      status: 'differs',
      seen: expect.stringContaining('the row is committed'),
      means: expect.stringContaining('time-out'),
    });
  });

  test('that are cut off by the limit of the product itself', async () => {
    const hangs: Answer = (sql) => (sql.includes('.SLEEP(') ? new Promise(() => {}) : undefined);
    const database = new StandIn(hangs, fitDatabase());

    const told = await tell(database, ['--probe', '--only', 'P16']);

    expect(told.results.P16).toMatchObject({
      status: 'holds',
      seen: expect.stringContaining('cut off after 1.5 s nothing is committed, and its lock is gone 0 s later'),
    });
    expect(database.cuts).toBe(2);
    const slow = database.sent.find(({ sql }) => sql.includes('.SLEEP('));
    expect(database.sent.filter(({ session }) => session === slow?.session).at(-1)).toBe(slow);
  });

  test.each([
    ['DBMS_SESSION is not there', () => oracleError('ORA-06550', 'PLS-00201'), 'not tried (ORA-06550)'],
    ['it does not wait', () => ({}), 'not tried (it ended within its time)'],
  ])('that cannot be cut off, as %s, decide nothing', async (_, answer, seen) => {
    const { status, seen: told } = await resultOf('P16', (sql) => (sql.includes('.SLEEP(') ? answer() : undefined));
    expect(status).toBe('holds');
    expect(told).toContain(seen);
  });

  test('after whose error the locks are waited for before the next', async () => {
    let refusals = 0;
    const late: Answer = (sql) =>
      sql.includes('LOCK TABLE') && ++refusals <= 2 ? oracleError('ORA-00054', 'resource busy') : undefined;
    expect((await resultOf('P16', late)).status).toBe('holds');
    expect(refusals).toBeGreaterThan(2);
  });
});

describe('P17: policies', () => {
  test('that keep the context of the first execution', async () => {
    const first: Answer = (sql) => (/^SELECT id FROM \w+_CHUNKS ORDER BY id$/.test(sql) ? { rows: [] } : undefined);
    expect(await resultOf('P17', first)).toMatchObject({
      status: 'differs',
      seen: expect.stringContaining('employee 7 {} (wanted {1}'),
    });
  });

  test('under which a write of others is taken', async () => {
    const taken: Answer = (sql) => (sql.endsWith("'mine')") ? { rowsAffected: 1 } : undefined);
    expect(await resultOf('P17', taken)).toMatchObject({
      status: 'differs',
      seen: expect.stringContaining('is not refused'),
    });
  });

  test('under which an index lacks the hidden rows', async () => {
    const lacks: Answer = (sql) => (sql.includes('FROM "VECTOR$') ? { rows: [{ N: 0 }] } : undefined);
    expect(await resultOf('P17', lacks)).toMatchObject({
      status: 'differs',
      seen: expect.stringContaining('it has 0 of 512'),
    });
  });

  test('are told of without Oracle Text too', async () => {
    const noText: Answer = (sql) => (sql.includes('CTXSYS.CONTEXT') ? oracleError('ORA-29833') : undefined);
    expect(await resultOf('P17', noText)).toMatchObject({
      status: 'holds',
      seen: expect.stringContaining('text index: not tried (ORA-29833)'),
    });
  });

  test.each([
    [
      /^INSERT INTO \w+_CHUNKS \(.*metadata\)/,
      'ORA-28132',
      'an array INSERT with JSON and vectors: refused (ORA-28132)',
    ],
    [/^UPDATE \w+_CHUNKS SET metadata/, 'ORA-40441', 'an array UPDATE of the JSON: refused (ORA-40441)'],
    [/NOT EXISTS/, 'ORA-02014', 'ORDER BY … FOR UPDATE is refused (ORA-02014)'],
    [/SCORE\(1\)/, 'ORA-29908', 'brings the system {ORA-29908} (wanted 10)'],
    [/FETCH APPROX FIRST :k/, 'ORA-51815', 'brings the system a refusal (ORA-51815)'],
  ])('under which a statement of the form %s is refused', async (form, code, seen) => {
    const refuses: Answer = (sql) => (form.test(sql) ? oracleError(code) : undefined);
    const result = await resultOf('P17', refuses);
    expect(result.status).toBe('differs');
    expect(result.seen).toContain(seen);
  });

  test('under which an array is written for an employee', async () => {
    const taken: Answer = (sql) => (/^INSERT INTO \w+_CHUNKS \(.*metadata\)/.test(sql) ? {} : undefined);
    expect(await resultOf('P17', taken)).toMatchObject({
      status: 'differs',
      seen: expect.stringContaining("an employee's array INSERT is not refused"),
    });
  });

  test('under which the vector index is not used are told of alone', async () => {
    let isOff = false;
    const scans: Answer = (sql) => {
      isOff ||= sql.includes('ENABLE_POLICY');
      return sql.includes('FROM plan_table') && !isOff ? { rows: [{ OPERATION: 'TABLE ACCESS' }] } : undefined;
    };
    expect(await resultOf('P17', scans)).toMatchObject({
      status: 'holds',
      seen: expect.stringContaining('by a scan under the policy and by the vector index without it'),
    });
  });
});

test('P19: each form has its answer', async () => {
  const refuses: Answer = (sql, _, { currentSchema }) => {
    if (sql.includes('CAST(:seconds')) return oracleError('ORA-30081');
    return sql.includes("'CURRENT_SCHEMA'") && currentSchema !== ''
      ? { rows: [{ CURRENT_SCHEMA: 'RAG_OWNER' }] }
      : undefined;
  };
  const { status, seen } = await resultOf('P19', refuses);
  expect(status).toBe('differs');
  expect(seen).toContain('JSON by INSERT: yes');
  expect(seen).toContain('INTERVAL: refused (ORA-30081)');
  expect(seen).toContain('first statement: no, the result is another');
});

test.each([
  ['(id, metadata, content)', 'holds', 'before a VARCHAR2 of 20000 bytes: 40 bytes refused (ORA-24816)'],
  ['(id, content, metadata)', 'differs', 'after a VARCHAR2 of 20000 bytes: 40 bytes refused (ORA-24816)'],
  ['(id, note, metadata)', 'differs', 'after a CLOB of 20000 bytes: 40 bytes refused (ORA-24816)'],
])('P19: of the orders of long binds those of the product decide: %s', async (columns, status, seen) => {
  const refuses: Answer = (sql) => (sql.includes(columns) ? oracleError('ORA-24816') : undefined);
  const result = await resultOf('P19', refuses);
  expect(result.status).toBe(status);
  expect(result.seen).toContain(seen);
});

test('P19: where a text has 4000 bytes, no longer one is sent to a VARCHAR2', async () => {
  const standard: Answer = (sql) => (sql.includes('LENGTHB(RPAD') ? { rows: [{ BYTES: 4000 }] } : undefined);
  const { seen } = await resultOf('P19', standard);
  expect(seen).toContain('after a VARCHAR2 of 4000 bytes: yes');
  expect(seen).toContain('after a CLOB of 20000 bytes: yes');
});
