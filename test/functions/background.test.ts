import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MIGRATIONS } from '../support/database-process.ts';
import { FunctionBench } from '../support/functions.ts';
import { put } from '../support/records.ts';

/** An alarm message as OCI Notifications delivers it. */
const alarm = (type: string) =>
  JSON.stringify({
    dedupeKey: 'a1',
    title: 'clock',
    body: 'drain',
    type,
    severity: 'INFO',
    timestampEpochMillis: 1_764_460_800_000,
    timestamp: '2025-11-30T00:00:00Z',
    alarmMetaData: [{ id: 'ocid1.alarm.oc1..a', status: type === 'FIRING_TO_OK' ? 'OK' : 'FIRING' }],
    version: 1.5,
  });

describe('drain', () => {
  let bench: FunctionBench;
  beforeAll(async () => {
    bench = await FunctionBench.open();
  });
  let n = 0;
  beforeEach(() => bench.write(put.project(1, { name: `Fish ${++n}` })));
  afterAll(() => bench?.close());

  test.each([
    ['nothing', ''],
    ['garbage', '\u0000{"type":'],
    ['null', 'null'],
    ['a list', '["RESET"]'],
    ['a nudge', '{"reason":"a write"}'],
    ['an alarm that begins', alarm('OK_TO_FIRING')],
    ['an alarm that goes on', alarm('REPEAT')],
    ['an alarm of a type yet unknown', alarm('TEST')],
  ])('empties the queue when it is told %s', async (_, body) => {
    const { status, body: report } = await bench.functions.invoke('drain', body);

    expect(status).toBe(200);
    expect(report).toMatchObject({ embedded: 1, failed: 0, parked: 0, stoppedBy: 'empty' });
    expect(await bench.rows('SELECT 1 FROM rag_dirty')).toEqual([]);
  });

  test.each(['FIRING_TO_OK', 'RESET'])('leaves the queue alone when an alarm says %s', async (type) => {
    const { status, body } = await bench.functions.invoke('drain', alarm(type));

    expect(status).toBe(200);
    expect(body).toHaveProperty('skipped');
    expect(await bench.rows('SELECT 1 FROM rag_dirty')).not.toEqual([]);
  });
});

describe('where the cloud cannot be reached', () => {
  let bench: FunctionBench;
  beforeAll(async () => {
    bench = await FunctionBench.open({
      env: {
        RAG_NUDGE_URL: 'oci:https://host.invalid/ocid1.fnfunc.oc1..x',
        RAG_METRICS: 'oci:rag:ocid1.compartment.oc1..x',
      },
    });
  });
  afterAll(() => bench?.close());

  test('a write and a drain do their work all the same, and the log says what is missing', async () => {
    const token = await bench.token('someone', 'rag.write');
    const written = await bench.functions.call('PUT /v1/projects/1', { token, body: { name: 'Fish' } });
    const drained = await bench.functions.invoke('drain');

    expect(written.status).toBe(202);
    expect(drained).toMatchObject({ status: 200, body: { embedded: 1 } });
    for (const event of ['nudge_failed', 'metrics_lost']) {
      expect(bench.functions.log()).toMatch(new RegExp(`"warn","event":"${event}".*OCI_RESOURCE_PRINCIPAL_VERSION`));
    }
  });
});

describe('bootstrap', () => {
  let bench: FunctionBench;
  beforeAll(async () => {
    bench = await FunctionBench.open({ migrated: false });
  });
  afterAll(() => bench?.close());

  test('run by two processes at once on a new database makes it once', async () => {
    const other = bench.withSettings({});

    const reports = await Promise.all([
      bench.functions.invoke('bootstrap'),
      bench.functions.invoke('bootstrap'),
      other.invoke('bootstrap'),
    ]);

    expect(reports.map((report) => report.status)).toEqual([200, 200, 200]);
    const applied = reports.flatMap((report) => report.body.migrated);
    expect(applied.length).toBeGreaterThan(0);
    expect(applied.sort()).toEqual([...new Set(applied)]);
    await bench.database.transaction('system', (tx) => tx.execute('SELECT 1 FROM rag_dirty'));
  });

  test.each([
    ['nothing', ''],
    ['an object', '{}'],
    ['what a deploy says', '{"migrations":"1","model":"2","image":"3","modelSource":"https://host.example/p/secret"}'],
  ])('does nothing on a database that is ready when it is told %s', async (_, body) => {
    const { status, body: report } = await bench.functions.invoke('bootstrap', body);

    expect(status).toBe(200);
    expect(report).toEqual({ migrated: [], loaded: [], enqueued: 0, outdated: 0 });
  });

  test.each([
    ['null', 'null', 'must be a JSON object'],
    ['a number', '1', 'must be a JSON object'],
    ['text for reembed', '{"reembed":"true"}', 'reembed: must be of type boolean'],
    ['an alarm', alarm('OK_TO_FIRING'), 'dedupeKey: is not a field here'],
    ['no address of a model', '{"modelSource":"http://host.example/p/secret"}', 'modelSource: must be https://'],
  ])('refuses %s by name, and nowhere tells its value', async (_, body, detail) => {
    const refused = await bench.functions.invoke('bootstrap', body);

    expect(refused.status).toBe(502);
    expect(refused.body.detail).toContain(detail);
    expect(bench.functions.log()).not.toContain('p/secret');
  });

  test('refuses what is no JSON, and works at the next call', async () => {
    const refused = await bench.functions.invoke('bootstrap', '{"reembed":');

    expect(refused.status).toBe(502);
    expect(refused.body.detail).toMatch(/not valid JSON/);
    expect((await bench.functions.invoke('bootstrap')).status).toBe(200);
  });

  test('enqueues what has no chunk, once', async () => {
    await bench.write(put.project(1, { name: 'Fish' }), put.task(1, { title: 'Feed the fish' }));
    await bench.database.transaction('system', (tx) => tx.execute('DELETE FROM rag_dirty'));

    const [first, second] = [await bench.functions.invoke('bootstrap'), await bench.functions.invoke('bootstrap')];

    expect([first.body.enqueued, second.body.enqueued]).toEqual([2, 0]);
    const off = bench.withSettings({ RAG_BACKFILL_ON_STARTUP: 'false' });
    await bench.database.transaction('system', (tx) => tx.execute('DELETE FROM rag_dirty'));
    expect((await off.invoke('bootstrap')).body.enqueued).toBe(0);
  });

  test('stops at an applied migration whose text has changed, naming the file, and goes on when it is restored', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'oci-rag-migrations-'));
    cpSync(MIGRATIONS, folder, { recursive: true });
    const [name = ''] = readdirSync(join(folder, 'postgres')).sort();
    const file = join(folder, 'postgres', name);
    const text = readFileSync(file, 'utf8');
    const functions = bench.withSettings({ RAG_MIGRATIONS: folder });

    writeFileSync(file, `${text}\n-- and a secret`);
    const refused = await functions.invoke('bootstrap');
    writeFileSync(file, text);
    const accepted = await functions.invoke('bootstrap');
    rmSync(folder, { recursive: true });

    expect(refused.status).toBe(502);
    expect(refused.body.detail).toContain(`${name} was applied with another content`);
    expect(JSON.stringify(refused.body)).not.toMatch(/secret|CREATE/);
    expect(accepted.status).toBe(200);
  });

  test('says nothing of what it does not foresee', async () => {
    const functions = bench.withSettings({ RAG_MIGRATIONS: '/nowhere/with-a-secret' });

    const { status, body } = await functions.invoke('bootstrap');

    expect(status).toBe(502);
    expect(JSON.stringify(body)).not.toMatch(/secret|ENOENT|nowhere/);
    expect(functions.log()).toContain('ENOENT');
  });

  test('stops at chunks of another model, and embeds them anew when it is told to', async () => {
    await bench.functions.invoke('bootstrap');
    await bench.functions.invoke('drain');
    const other = bench.withSettings({ RAG_EMBEDDING_MODEL: 'another' });
    const models = () => bench.rows('SELECT DISTINCT embedding_model AS model FROM rag_chunk');

    const refused = await other.invoke('bootstrap');
    expect(refused.status).toBe(502);
    expect(refused.body.detail).toMatch(/embedded by stand-in, but another is configured; .*--reembed/);
    expect(await models()).toEqual([{ model: 'stand-in' }]);
    expect(await bench.rows('SELECT 1 FROM rag_dirty')).toEqual([]);

    const accepted = await other.invoke('bootstrap', '{"reembed":true}');
    expect(accepted).toMatchObject({ status: 200, body: { enqueued: 2 } });
    await other.invoke('drain');
    expect(await models()).toEqual([{ model: 'another' }]);
  });

  test('swaps the model as the settings say: prepared beside the current one, then made', async () => {
    await bench.write(put.employee(1, { subject: 'ana', role: 'manager' }));
    const before = { RAG_EMBEDDING_MODEL: 'another' };
    const during = bench.withSettings({
      ...before,
      RAG_EMBEDDING_NEXT_MODEL: 'best',
      RAG_EMBEDDING_NEXT_WINDOW: '200',
    });
    const after = bench.withSettings({ RAG_EMBEDDING_MODEL: 'best', RAG_EMBEDDING_WINDOW: '200' });
    const chunks = () =>
      bench.rows('SELECT embedding_model AS model, COUNT(*) AS n FROM rag_chunk GROUP BY embedding_model ORDER BY 1');
    const progress = async () =>
      (await during.call('GET /v1/status', { token: await bench.token('ana') })).body.reembedding;

    expect((await after.invoke('bootstrap')).body.detail).toMatch(/of 2 records, 2 have no chunks of best/);
    expect(await progress()).toEqual({ model: 'best', done: 0, missing: 2 });
    expect((await during.invoke('bootstrap')).body).toEqual({ migrated: [], loaded: [], enqueued: 2, outdated: 0 });
    await during.invoke('drain');
    expect(await progress()).toEqual({ model: 'best', done: 2, missing: 0 });
    expect(await chunks()).toEqual([
      { model: 'another', n: 2 },
      { model: 'best', n: 2 },
    ]);

    expect((await after.invoke('bootstrap')).body).toEqual({ migrated: [], loaded: [], enqueued: 0, outdated: 2 });
    expect((await after.invoke('drain')).body).toMatchObject({ unchanged: 2, embedded: 0 });
    expect(await chunks()).toEqual([{ model: 'best', n: 2 }]);
    const { body } = await after.call('GET /v1/status', { token: await bench.token('ana') });
    expect(body).toMatchObject({ embeddingModel: 'best', reembedding: null, chunks: 2 });
  });
});
