import { describe, expect, test } from 'vitest';
import { fitDatabase } from './doctor-fit-database.ts';
import { type Answer, oracleError, StandIn } from './doctor-stand-in.ts';
import { resultOf, tell } from './doctor-world.ts';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('P1: an embedding for each row is told from one', async () => {
  const perRow: Answer = async (sql) => {
    if (sql.startsWith('SELECT c.id, VECTOR_DISTANCE') && sql.includes('VECTOR_EMBEDDING')) await sleep(180);
    return undefined;
  };
  expect(await resultOf('P1', perRow)).toMatchObject({ status: 'differs', means: expect.stringContaining('bind') });
});

describe('P2: claims', () => {
  test('a second drain that gets the rows of the first', async () => {
    const first: Answer = (sql) =>
      sql.includes('SKIP LOCKED') ? { rows: [1, 2, 3, 4].map((id) => ({ DIRTY_ID: id })) } : undefined;
    expect(await resultOf('P2', first)).toMatchObject({
      status: 'differs',
      seen: expect.stringContaining('{1 2 3 4} {1 2 3 4}'),
    });
  });

  test('a second drain that gets nothing', async () => {
    const starved: Answer = (sql, _, { number }) =>
      sql.includes('SKIP LOCKED') && number > 2 ? { rows: [] } : undefined;
    expect((await resultOf('P2', starved)).status).toBe('differs');
  });
});

test('P3: where MERGE is refused the array INSERT is told of all the same', async () => {
  const refuses: Answer = (sql) => (sql.startsWith('MERGE') ? oracleError('ORA-00904') : undefined);
  const { status, seen } = await resultOf('P3', refuses);
  expect(status).toBe('differs');
  expect(seen).toContain('in VALUES: yes');
  expect(seen).toContain('refused (ORA-00904)');
});

describe('P4: the window', () => {
  const readsWords =
    (count: number): Answer =>
    (sql, { text }) => {
      if (!sql.startsWith('SELECT VECTOR_EMBEDDING')) return undefined;
      const read = String(text).split(' ').slice(0, count).join(' ');
      const sum = [...read].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003, 7);
      return { rows: [{ VECTOR: Float32Array.of(sum / 1_000_003, 1) }] };
    };

  test.each([126, 254, 40])('of a model that reads %i words', async (count) => {
    const { seen, status } = await resultOf('P4', readsWords(count));
    expect(seen).toContain(`it reads ${count} words of one piece each, a window of about ${count + 2} pieces`);
    expect(status).toBe(count < 100 ? 'differs' : 'holds');
  });

  test('of a model that reads everything', async () => {
    expect((await resultOf('P4', readsWords(5000))).seen).toContain('it reads 600 words or more');
  });
});

test('P5: each text has its answer, a code where it is refused', async () => {
  const standard: Answer = (sql, { text }) => {
    if (!sql.startsWith('SELECT VECTOR_DIMENSION_COUNT(VECTOR_EMB') || text === undefined) return undefined;
    if (text === null || text === '') return { rows: [{ DIMENSION: null }] };
    return String(text).length > 4000 ? oracleError('ORA-01461') : undefined;
  };
  expect(await resultOf('P5', standard)).toMatchObject({
    status: 'differs',
    seen: expect.stringContaining(
      "NULL: NULL; '': NULL; a blank: 8 numbers; 4000 bytes: 8 numbers; 16000 bytes: ORA-01461",
    ),
  });
});

test('P6: an exact search that misses rows differs, an approximate one that does is told of', async () => {
  const few: Answer = (sql) => (/FETCH EXACT FIRST :k/.test(sql) ? { rows: [{ ID: 7 }] } : undefined);
  expect((await resultOf('P6', few)).status).toBe('differs');
  const lossy: Answer = (sql) => (/WHERE c\.owner_id[\s\S]*FETCH APPROX FIRST :k/.test(sql) ? { rows: [] } : undefined);
  expect(await resultOf('P6', lossy)).toMatchObject({
    status: 'holds',
    seen: expect.stringMatching(/EXACT finds 100 %.*APPROX 0 %/),
  });
});

test('P7: a refusal is an answer', async () => {
  const noMemory: Answer = (sql) => (/INMEMORY NEIGHBOR GRAPH/.test(sql) ? oracleError('ORA-51962') : undefined);
  expect(await resultOf('P7', noMemory)).toMatchObject({ status: 'differs', seen: 'refused (ORA-51962)' });
});

describe('P8: row policies', () => {
  test('that the edition lacks', async () => {
    const lacks: Answer = (sql) => (sql.includes('DBMS_RLS') ? oracleError('ORA-00439') : undefined);
    expect(await resultOf('P8', lacks)).toMatchObject({
      status: 'differs',
      means: expect.stringContaining('bootstrap stops'),
    });
  });

  test('that the login may not make', async () => {
    const notVisible: Answer = (sql) =>
      sql.includes('DBMS_RLS')
        ? oracleError('ORA-06550', "line 2, column 3:\nPLS-00201: identifier 'DBMS_RLS' must be declared")
        : undefined;
    expect(await resultOf('P8', notVisible)).toMatchObject({
      status: 'not tried',
      seen: expect.stringContaining('ORA-06550'),
    });
  });

  test('that bind nobody', async () => {
    const all: Answer = (sql) => (/^SELECT id FROM \w+_ITEMS/.test(sql) ? { rows: [{ ID: 1 }, { ID: 2 }] } : undefined);
    expect(await resultOf('P8', all)).toMatchObject({
      status: 'differs',
      seen: expect.stringContaining('nobody sees {1 2}'),
    });
  });

  test('whose function does not compile are a fault of the probe', async () => {
    const faulty: Answer = (sql) => (sql.includes('user_errors') ? { rows: [{ TEXT: 'PLS-00103' }] } : undefined);
    expect(await resultOf('P8', faulty)).toMatchObject({
      status: 'failed',
      seen: expect.stringContaining('PLS-00103'),
    });
  });
});

test('P9: words that are not found are named', async () => {
  const accents: Answer = (sql, { words }) =>
    /CONTAINS/.test(sql) && words === '{camion} ACCUM {llego}' ? { rows: [] } : undefined;
  expect(await resultOf('P9', accents)).toMatchObject({
    status: 'differs',
    seen: expect.stringContaining('accents do not count: {}'),
  });
  const long: Answer = (_, { words }) => (words === '{albatross}' ? { rows: [] } : undefined);
  expect(await resultOf('P9', long)).toMatchObject({
    status: 'differs',
    seen: expect.stringMatching(/^the column has 32767 bytes; .*the last word of a text that fills the column: \{\}/),
  });
});

test('P10: an index that cannot be rebuilt', async () => {
  const refuses: Answer = (sql) => (sql.startsWith('ALTER INDEX') ? oracleError('ORA-14086') : undefined);
  expect(await resultOf('P10', refuses)).toMatchObject({
    status: 'differs',
    seen: expect.stringContaining('refused (ORA-14086)'),
  });
});

test('P11: the session that is refused is counted, and those before it are closed', async () => {
  const database = new StandIn(fitDatabase());
  const { driver } = database;
  let logins = 0;
  // The doctor's first login and the probe's own come before.
  const refusing = {
    ...driver,
    getConnection: (options: Parameters<typeof driver.getConnection>[0]) =>
      ++logins > 5
        ? Promise.reject(oracleError('ORA-00018', 'maximum number of sessions exceeded'))
        : driver.getConnection(options),
  };
  Object.defineProperty(database, 'driver', { value: refusing });

  const told = await tell(database, ['--probe', '--only', 'P11', '--sessions', '20']);

  expect(told.results.P11).toMatchObject({
    status: 'differs',
    seen: expect.stringContaining('4 sessions open at once, the next was refused: ORA-00018'),
  });
  expect(database.closed).toBe(database.opened);
});

test('P13: two loads that both end well differ; where none does, the reason is the outcome', async () => {
  const source = ['--model-source', 'MODELS:model.onnx'];
  const both: Answer = (sql) => (sql.includes('LOAD_ONNX') ? {} : undefined);
  expect(await resultOf('P13', both, ...source)).toMatchObject({ status: 'differs' });
  const none: Answer = (sql) => (sql.includes('LOAD_ONNX') ? oracleError('ORA-22285', 'no such directory') : undefined);
  expect(await resultOf('P13', none, ...source)).toMatchObject({
    status: 'failed',
    seen: 'ORA-22285: no such directory',
  });
});

describe('P14: the recorded statements', () => {
  test('are parsed with the names of this database, and those that are refused are named', async () => {
    const refuses: Answer = (sql, _, __, { parseOnly }) =>
      parseOnly && sql.includes('FETCH EXACT') ? oracleError('ORA-00933') : undefined;
    const { status, seen } = await resultOf('P14', refuses);
    expect(status).toBe('differs');
    expect(seen).toMatch(/ORA-00933: SELECT f\.chunk_id/);
  });

  test('cannot be tried before bootstrap', async () => {
    const empty: Answer = (_, __, ___, { parseOnly }) => (parseOnly ? oracleError('ORA-00942') : undefined);
    expect(await resultOf('P14', empty)).toMatchObject({
      status: 'not tried',
      seen: expect.stringContaining('bootstrap'),
    });
  });
});

test('P15: without the views nothing is counted; P16 does without the count', async () => {
  const hidden: Answer = (sql) => (sql.includes('v$mystat') ? oracleError('ORA-00942') : undefined);
  expect(await resultOf('P15', hidden)).toMatchObject({
    status: 'not tried',
    seen: expect.stringContaining('ORA-00942'),
  });
  expect(await resultOf('P16', hidden)).toMatchObject({
    status: 'holds',
    seen: expect.stringContaining('not counted'),
  });
});

test.each([
  { what: 'VECTOR_EMBEDDING', seen: ['runs', 'runs', 'refused (ORA-00904)'], status: 'differs' },
  { what: 'CONTAINS', seen: ['runs', 'refused (ORA-00904)', 'runs'], status: 'differs' },
  {
    what: 'CTXSYS.CONTEXT',
    seen: ['runs', 'not tried: no text index can be made (ORA-00904)', 'runs'],
    status: 'holds',
  },
])('P18: a search that is refused for its $what is told with its code, for each kind of search', async (expected) => {
  const refuses: Answer = (sql) =>
    /ROW_NUMBER|CREATE INDEX/.test(sql) && sql.includes(expected.what) && sql.includes('OCI_RAG')
      ? oracleError('ORA-00904')
      : undefined;
  const [bound, words, embedded] = expected.seen;
  expect(await resultOf('P18', refuses)).toMatchObject({
    status: expected.status,
    seen: `with a bound vector: ${bound}; with words and names: ${words}; with the model in the database: ${embedded}`,
  });
});
