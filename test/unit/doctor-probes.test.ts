import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { Probe } from '../../scripts/doctor/probe.ts';
import { PROBES } from '../../scripts/doctor/probes/all.ts';
import { fitDatabase } from './doctor-fit-database.ts';
import { type Answer, bindNamesOf, oracleError, StandIn } from './doctor-stand-in.ts';
import { ENV, everythingTold, HOST, MODEL_URL, PASSWORD, tell, WALLET_PASSWORD } from './doctor-world.ts';

const ALL = ['--probe', '--model-source', MODEL_URL];

test('on a database that does everything, all holds but what cannot be tried from here', async () => {
  const database = new StandIn(fitDatabase());

  const told = await tell(database, ALL);

  const statuses = Object.fromEntries(
    Object.values(told.results).map(({ id, status, seen }) => [id, `${status}: ${seen}`]),
  );
  for (const { id } of PROBES) {
    expect(statuses[id]).toMatch(id === 'P12' ? /^not tried: there is no resource principal/ : /^holds: /);
  }
  expect(told.code).toBe(0);
  expect(told.out).toContain('20 holds, 0 differs, 1 not tried, 0 failed');
  expect(JSON.parse(told.report)).toMatchObject({
    database: { versionFull: '23.26.2.1.0', serverVersion: '23.26.2.0.0' },
    startedAt: expect.stringMatching(/^\d{4}-/),
    interrupted: false,
    leftovers: [],
  });
  expect([...database.objects]).toEqual([]);
  expect(database.closed).toBe(database.opened);
});

test('every scratch object has the prefix, and every statement is one that the driver reads as it is meant', async () => {
  const database = new StandIn(fitDatabase());
  await tell(database, ALL);

  expect(database.made.length).toBeGreaterThan(30);
  for (const name of database.made) expect(name).toMatch(/^OCI_RAG_PROBE_[A-Z2-9]{5}_[A-Z_]+$/);
  const RESERVED =
    /^(access|add|all|and|any|as|asc|between|by|char|check|column|comment|connect|create|current|date|default|delete|desc|distinct|drop|else|exists|file|float|for|from|grant|group|having|in|index|insert|integer|into|is|level|like|lock|long|mode|modify|not|null|number|of|on|option|or|order|public|raw|row|rowid|rownum|rows|select|session|set|share|size|start|synonym|sysdate|table|then|to|trigger|uid|union|unique|update|user|values|varchar|varchar2|view|where|with)$/;
  for (const { sql, binds, parseOnly } of database.sent) {
    // The product's own statements are parsed alone.
    if (parseOnly) continue;
    const isPlSql = /^(BEGIN|DECLARE|CREATE (FUNCTION|PACKAGE))/.test(sql);
    expect(sql.trimEnd().endsWith(';'), sql).toBe(isPlSql);
    expect(Object.keys(binds).sort(), sql).toEqual(bindNamesOf(sql));
    for (const name of Object.keys(binds)) expect(name, sql).not.toMatch(RESERVED);
    expect(sql, 'a name that was not filled in').not.toMatch(/<[a-z_]+>/);
    expect(sql).not.toMatch(/\bLIMIT\b|VECTOR_INDEX_TRANSFORM|\bRAG_CHUNK\b.*OCI_RAG/i);
    if (/SKIP LOCKED/.test(sql)) expect(sql).not.toMatch(/FETCH|ROWNUM/);
    if (/FETCH/.test(sql))
      expect(sql).toMatch(/FETCH (EXACT |APPROX )?FIRST (:\w+|\d+) ROWS ONLY( WITH TARGET ACCURACY \d+)?/);
    // Whatever changes something changes a scratch object.
    const changed = /^(?:INSERT INTO|UPDATE|DELETE FROM|MERGE INTO|TRUNCATE TABLE|DROP \w+|ALTER INDEX) (\w+)/.exec(
      sql,
    )?.[1];
    if (changed !== undefined) expect(changed, sql).toMatch(/^OCI_RAG_PROBE_/);
  }
});

test.each(PROBES.map(({ id }) => id))('whatever statement of %s fails, what it made is dropped', async (id) => {
  const argv = [...ALL, '--only', id];
  const whole = new StandIn(fitDatabase());
  await tell(whole, argv);
  // Where a text is sent for the first time.
  const texts = whole.sent.map(({ sql }) => sql.replace(/OCI_RAG_PROBE_[A-Z2-9]{5}/g, ''));
  const positions = texts.map((_, i) => i).filter((i) => texts.indexOf(texts[i] ?? '') === i);
  for (const position of positions) {
    let count = 0;
    const fails: Answer = (sql) =>
      count++ === position && !sql.startsWith('DROP') && !sql.includes('DROP_') ? oracleError('ORA-00600') : undefined;
    const database = new StandIn(fails, fitDatabase());

    const told = await tell(database, argv);

    expect(told.code).toBe(0);
    expect([...database.objects], `statement ${position}`).toEqual([]);
    expect(told.leftovers).toEqual([]);
    expect(database.closed).toBe(database.opened);
  }
});

test('a probe that fails does not stop the others, whatever it throws', async () => {
  const fails: Answer = (sql) => (/_QUEUE\b/.test(sql) ? oracleError('ORA-00904', 'invalid identifier') : undefined);
  const throws: Probe = {
    ...(PROBES[0] as Probe),
    id: 'P0',
    run: () => Promise.reject(new TypeError('a fault of ours')),
  };

  const told = await tell(new StandIn(fails, fitDatabase()), ['--probe'], { probes: [throws, ...PROBES] });

  expect(told.code).toBe(0);
  expect(told.results.P0).toMatchObject({ status: 'failed', seen: 'a fault of ours' });
  expect(told.results.P2).toMatchObject({ status: 'failed', seen: 'ORA-00904: invalid identifier' });
  expect(told.results.P3?.status).toBe('holds');
  expect(told.results.P19?.status).toBe('holds');
  expect(Object.keys(told.results)).toHaveLength(PROBES.length + 1);
});

test('what could not be dropped is listed with the statement that drops it', async () => {
  const refuses: Answer = (sql) => (/^DROP TABLE/.test(sql) ? oracleError('ORA-00054', 'resource busy') : undefined);
  const database = new StandIn(refuses, fitDatabase());

  const told = await tell(database, ['--probe', '--only', 'P2']);

  expect(told.code).toBe(0);
  expect(told.results.P2?.status).toBe('holds');
  const [name] = database.objects;
  expect(told.leftovers).toEqual([{ name, drop: `DROP TABLE ${name} CASCADE CONSTRAINTS PURGE` }]);
  expect(told.err).toContain(`DROP TABLE ${name} CASCADE CONSTRAINTS PURGE;`);
});

test.each([
  ['ORA-01031', 'insufficient privileges'],
  ['ORA-01950', "no privileges on tablespace 'DATA'"],
  ['ORA-41900', 'missing CREATE TABLE privilege'],
])('a right that is missing (%s) is not tried, with the code and the rights it needs', async (code, text) => {
  const refuses: Answer = (sql) => (/^CREATE TABLE/.test(sql) ? oracleError(code, text) : undefined);

  const told = await tell(new StandIn(refuses, fitDatabase()), ['--probe']);

  for (const id of ['P2', 'P6', 'P9', 'P10', 'P16', 'P17', 'P19']) {
    expect(told.results[id]).toMatchObject({ status: 'not tried', seen: expect.stringContaining(code) });
    expect(told.results[id]?.seen).toContain('CREATE TABLE');
  }
  expect(told.code).toBe(0);
});

test('without the model its probes are not tried, and the others are', async () => {
  const noModel: Answer = (sql) =>
    sql.includes('VECTOR_EMBEDDING(') && !sql.startsWith('BEGIN')
      ? oracleError('ORA-40284', 'model does not exist')
      : undefined;

  const told = await tell(new StandIn(noModel, fitDatabase()), ['--probe']);

  for (const id of ['P1', 'P3', 'P4', 'P5']) {
    expect(told.results[id]).toMatchObject({ status: 'not tried', seen: expect.stringContaining('ORA-40284') });
  }
  expect(told.results.P18).toMatchObject({
    status: 'holds',
    seen: expect.stringContaining('with a bound vector: runs'),
  });
  expect(told.results.P2?.status).toBe('holds');
});

test('a second model is loaded only where its source is named', async () => {
  const database = new StandIn(fitDatabase());

  const told = await tell(database, ['--probe', '--only', 'p13']);

  expect(told.results.P13).toMatchObject({ status: 'not tried', seen: expect.stringContaining('--model-source') });
  expect(database.sent.filter(({ sql }) => sql.includes('LOAD_ONNX'))).toEqual([]);
});

test('where a context could not be dropped again none is made', async () => {
  const withoutDrop: Answer = (sql) =>
    sql.includes('session_privs')
      ? { rows: [{ PRIVILEGE: 'CREATE ANY CONTEXT' }, { PRIVILEGE: 'CREATE PROCEDURE' }] }
      : undefined;
  const database = new StandIn(withoutDrop, fitDatabase());

  const told = await tell(database, ['--probe', '--only', 'P8,P16,P17']);

  expect(Object.values(told.results).map(({ status }) => status)).toEqual(['holds', 'holds', 'holds']);
  expect(told.results.P16?.seen).toContain('the client identifier');
  expect(database.sent.filter(({ sql }) => /CONTEXT \w+ USING/.test(sql))).toEqual([]);
});

test('whoever is exempt from policies does not try them', async () => {
  const exempt: Answer = (sql) =>
    sql.includes('session_privs') ? { rows: [{ PRIVILEGE: 'EXEMPT ACCESS POLICY' }] } : undefined;

  const told = await tell(new StandIn(exempt, fitDatabase()), ['--probe', '--only', 'P8,P17']);

  expect(told.results.P8).toMatchObject({ status: 'not tried', seen: expect.stringContaining('EXEMPT ACCESS POLICY') });
  expect(told.results.P17?.status).toBe('not tried');
});

test('neither passwords nor addresses are told, whatever the errors hold', async () => {
  const env = { ...ENV, RAG_DATABASE_WALLET_PASSWORD: WALLET_PASSWORD };
  const leaks: Answer = (sql) =>
    sql.startsWith('SELECT version')
      ? undefined
      : oracleError('ORA-20404', `${PASSWORD} ${WALLET_PASSWORD} not found - ${MODEL_URL} at ${env.RAG_DATABASE}`);

  const told = await tell(new StandIn(leaks, fitDatabase()), ALL, { env });

  expect(Object.values(told.results).every(({ status }) => status !== 'holds')).toBe(true);
  for (const secret of [PASSWORD, WALLET_PASSWORD, HOST, 'SECRETTOKEN', 'https://']) {
    expect(everythingTold(told)).not.toContain(secret);
  }
});

test('the table fits 100 columns, and says of each probe what was seen and what it means', async () => {
  const told = await tell(new StandIn(fitDatabase()), ['--probe']);

  const lines = told.out.split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  for (const { id } of PROBES) expect(lines.filter((line) => line.startsWith(`${id} `))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('seen: '))).toHaveLength(PROBES.length);
  expect(lines.filter((line) => line.includes('here: '))).toHaveLength(PROBES.length);
  // A line for each probe while it runs.
  for (const { id } of PROBES) expect(told.err).toMatch(new RegExp(`^${id} .*… (holds|not tried), [\\d.]+ s$`, 'm'));
});

test('a probe whose time is over fails, its connection is cut off, and what it made is dropped', async () => {
  const hangs: Answer = (sql) => (/^INSERT/.test(sql) ? new Promise(() => {}) : undefined);
  const database = new StandIn(hangs, fitDatabase());
  const [, claims] = PROBES as [Probe, Probe];
  const short: Probe = { ...claims, seconds: () => 0.4 };
  const next: Probe = { ...claims, id: 'P99', run: async () => ({ holds: true, seen: 'it ran' }) };

  const told = await tell(database, ['--probe'], { probes: [short, next] });

  expect(told.results.P2).toMatchObject({ status: 'failed', seen: expect.stringContaining('took longer than 0.4 s') });
  expect(told.results.P99?.status).toBe('holds');
  expect(database.cuts).toBeGreaterThan(0);
  expect([...database.objects]).toEqual([]);
});

test('Ctrl-C breaks the call off, drops what was made and ends with 130; what was found is in the report', async () => {
  const signals = new EventEmitter();
  const hangs: Answer = (sql) => {
    if (!/^CREATE INDEX/.test(sql)) return undefined;
    setTimeout(() => signals.emit('SIGINT'), 10);
    return new Promise(() => {});
  };
  const database = new StandIn(hangs, fitDatabase());

  const told = await tell(database, ['--probe', '--only', 'P1,P2,P19'], { signals });

  expect(told.code).toBe(130);
  expect(database.breaks).toBeGreaterThan(0);
  expect(database.made.length).toBeGreaterThan(1);
  expect([...database.objects]).toEqual([]);
  expect(told.results.P1?.status).toBe('holds');
  expect(told.results.P2).toMatchObject({ status: 'not tried', seen: 'interrupted' });
  expect(told.results.P19).toMatchObject({ status: 'not tried', seen: 'interrupted' });
  expect(JSON.parse(told.report)).toMatchObject({ interrupted: true, leftovers: [] });
  expect(signals.listenerCount('SIGINT')).toBe(0);
});

test('a second Ctrl-C lists what is left and ends at once', async () => {
  const signals = new EventEmitter();
  const twice: Answer = (sql) => {
    if (/^CREATE INDEX/.test(sql)) signals.emit('SIGINT');
    if (/^DROP TABLE/.test(sql)) signals.emit('SIGINT');
    return undefined;
  };

  const told = await tell(new StandIn(twice, fitDatabase()), ['--probe', '--only', 'P2'], { signals });

  expect(told.exits).toEqual([130]);
  expect(told.err).toMatch(/left in the database[\s\S]*DROP TABLE OCI_RAG_PROBE_\w+_QUEUE CASCADE CONSTRAINTS PURGE;/);
});
