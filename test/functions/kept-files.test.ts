import { beforeEach, describe, expect, test } from 'vitest';
import { sha256Hex as sha } from '../../functions/core/hash.ts';
import { diagnosticQuery } from '../../functions/core/kinds/diagnostic.ts';
import { documentQuery } from '../../functions/core/kinds/document.ts';
import type { BucketContext } from '../../functions/ingest/bucket.ts';
import { writeDiagnostic, writeResolution } from '../../functions/ingest/diagnostics.ts';
import { deleteDocument, writeDocument } from '../../functions/ingest/documents.ts';
import { hearEvents } from '../../functions/ingest/events.ts';
import { documentFile, dropNoted } from '../../functions/ingest/raw-files.ts';
import { reconcile, reconcileWhenDue } from '../../functions/ingest/reconcile.ts';
import { reindex } from '../../functions/ingest/reindex.ts';
import { noteObject } from '../../functions/store/objects.ts';
import { bucketEvent as event, FileBench } from '../support/file-bench.ts';
import { expectProblem } from '../support/functions.ts';
import { MemoryStore } from '../support/memory-store.ts';

const files = FileBench.open();
let store: MemoryStore;
beforeEach(() => {
  store = files.store;
});
const { bucket: BUCKET } = files;
const context = (settings: Partial<BucketContext> = {}) => files.context(settings);
const hear = (name: string) => files.hear(name);
const writeByCall = (path: string, text: string, query: object = {}) => files.writeByCall(path, text, query);
const contents = () => files.contents();

const ABOUT = { environmentId: 'PROD', erpModule: 'GL', erpVersion: '12.2.9', sourceScript: 'tkprof' };
const writeOutput = (id: string, text: string, query: object = {}) => {
  const file = { bytes: Buffer.from(text), contentType: 'text/plain' };
  return writeDiagnostic(context(), id, file, diagnosticQuery.parse({ ...ABOUT, ...query }));
};

/** The names of the objects that are noted for removal. */
const noted = async () =>
  (await files.bench.rows<{ name: string }>('SELECT name FROM object_note ORDER BY name')).map(({ name }) => name);
const ageNotes = () =>
  files.bench.database.execute('system', "UPDATE object_note SET noted_at = noted_at - INTERVAL '2' HOUR");

describe('the kept bytes of a document', () => {
  const own = (text: string) => `documents/a.txt/${sha(text)}`;

  test('are there although another writer has taken them away before the row was written', async () => {
    await writeByCall('a.txt', 'A');
    const original = store.put.bind(store);
    let isFirst = true;
    store.put = async (name, content, contentType) => {
      await original(name, content, contentType);
      if (name !== own('A') || !isFirst) return;
      isFirst = false;
      await writeByCall('a.txt', 'B');
      expect(store.names()).toEqual([own('B')]);
    };

    await writeByCall('a.txt', 'A');

    expect(await contents()).toEqual({ 'a.txt': 'A' });
    expect(store.names()).toEqual([own('A')]);
  });

  test('are there although a writer before would remove them now', async () => {
    await writeByCall('a.txt', 'A');
    let transactions = 0;
    const slow = files.withTransactions(async () => {
      // The first notes what is to be written, the second writes the row, the third removes what it had before.
      if (++transactions === 3) await writeByCall('a.txt', 'A');
    });

    const file = { bytes: Buffer.from('B'), contentType: 'text/plain' };
    await writeDocument(context({ database: slow }), 'a.txt', file, documentQuery.parse({}));

    expect(transactions).toBe(3);
    expect(await contents()).toEqual({ 'a.txt': 'A' });
    expect(store.names()).toContain(own('A'));
  });

  test('are removed with the lock of their note, so that who has just kept the same without a row waits', async () => {
    const locked: string[] = [];
    store.write(own('A'), 'A');
    await files.bench.database.transaction('system', (tx) => noteObject(tx, own('A')));
    store.meanwhile.push({
      on: 'remove',
      name: own('A'),
      happens: () => expect(locked).toEqual(['document', 'object_note']),
    });

    const database = files.withLocks((table) => locked.push(table));
    expect(await dropNoted(context({ database }), documentFile('a.txt'), sha('A'))).toBe(true);

    expect(store.names()).toEqual([]);
    expect(await noted()).toEqual([]);
  });

  test("are left alone where nobody has noted them: they are some row's by now", async () => {
    store.write(own('A'), 'A');
    expect(await dropNoted(context(), documentFile('a.txt'), sha('A'))).toBe(false);
    expect(store.names()).toEqual([own('A')]);
  });

  test('stay behind where the store refuses to remove them, which fails no write', async () => {
    await writeByCall('a.txt', 'A');
    store.remove = () => Promise.reject(new Error('the store is broken'));

    expect(await writeByCall('a.txt', 'B')).toMatchObject({ status: 'accepted', unchanged: false });
    expect(files.logged).toEqual([{ event: 'raw_file_left', fields: expect.anything() }]);
    expect(await noted()).toEqual([own('A')]);
  });

  test('are not sent where they are more than an answer may have, nor is their text', async () => {
    store.write('documents/long.txt', 'word '.repeat(1_400_000));
    const sent = Buffer.from(JSON.stringify(event('documents/long.txt')));
    await hearEvents(context({ maxBytes: 25_000_000 }), BUCKET, sent);
    const token = await files.bench.token('2');

    const state = await files.bench.functions.call('GET /v1/documents/long.txt', { token });
    expect(state.body).toMatchObject({ bytes: 7_000_000, text: null });
    for (const content of ['raw', 'text']) {
      const reply = await files.bench.functions.call(`GET /v1/documents/long.txt?content=${content}`, { token });
      expectProblem(reply, 413, 'too_large');
      expect(reply.body.detail).toMatch(/7000000 bytes.* at most 6291456/);
    }
  });
});

describe('reconciling', () => {
  test('repairs what events have missed, and has nothing left to do after that', async () => {
    for (const name of ['stays', 'changes', 'goes']) {
      store.write(`documents/${name}.txt`, name);
      await hear(`documents/${name}.txt`);
    }
    await writeByCall('called.txt', 'by a call');
    store.write('documents/changes.txt', 'changed');
    store.write('documents/new.txt', 'new');
    store.write('documents/new.txt.bak', 'between it and its versions');
    store.write('documents/folder/', '');
    store.objects.delete('documents/goes.txt');

    const report = await reconcile(context());

    expect(report).toMatchObject({ written: 3, removed: 1, orphans: 0, failed: [], complete: true });
    expect(await contents()).toEqual({
      'called.txt': 'by a call',
      'changes.txt': 'changed',
      'new.txt': 'new',
      'new.txt.bak': 'between it and its versions',
      'stays.txt': 'stays',
    });
    expect(await reconcile(context())).toMatchObject({ written: 0, removed: 0, orphans: 0, failed: [] });
  });

  test('removes what writers and deletions have left behind, once it is old', async () => {
    const broken = () => Promise.reject(new Error('the store is broken'));
    await writeByCall('a.txt', 'old');
    await writeByCall('b.txt', 'gone');
    await writeOutput('d1', 'gone');
    store.remove = async (name) => (/\/[0-9a-f]{64}$/.test(name) ? broken() : void store.objects.delete(name));
    await writeByCall('a.txt', 'kept');
    await deleteDocument(context(), 'b.txt');
    await files.bench.database.execute('system', 'DELETE FROM diagnostic');
    await files.bench.database.transaction('system', (tx) => noteObject(tx, `diagnostics/d1/${sha('gone')}`));
    await expect(writeByCall('c.txt', 'refused', { projectId: '99' })).rejects.toThrow(/no project 99/);
    store.remove = MemoryStore.prototype.remove;
    const all = store.names();
    expect(all).toHaveLength(5);

    expect(await reconcile(context())).toMatchObject({ orphans: 0, unknown: 0, failed: [] });
    expect(store.names()).toEqual(all);
    await ageNotes();
    expect(await reconcile(context())).toMatchObject({ orphans: 4, unknown: 0, failed: [] });

    expect(store.names()).toEqual([`documents/a.txt/${sha('kept')}`]);
    expect(await noted()).toEqual([]);
  });

  test('removes nothing with a database that knows nothing of it', async () => {
    const age = 2 * 3600;
    store.write(`documents/a.txt/${sha('a')}`, 'a', { age });
    store.write(`documents/of a person/${'0'.repeat(64)}`, 'a', { age });
    store.write(`diagnostics/d1/${sha('d')}`, 'd', { age });
    store.write(`diagnostics/d2/${sha('d')}`, 'd', { age: 60 });
    const all = store.names();

    expect(await reconcile(context())).toMatchObject({ orphans: 0, unknown: 3, failed: [] });
    expect(store.names()).toEqual(all);
  });

  test('counts nothing as unknown that has a row', async () => {
    await writeByCall('a.txt', 'a');
    await writeOutput('d1', 'd');
    for (const object of store.objects.values()) object.modifiedAt = new Date(Date.now() - 7_200_000);

    expect(await reconcile(context())).toMatchObject({ checked: 2, unknown: 0, failed: [] });
  });

  test('leaves an old version that a document has come back to meanwhile', async () => {
    await writeByCall('a.txt', 'now');
    const old = `documents/a.txt/${sha('old')}`;
    await files.bench.database.transaction('system', (tx) => noteObject(tx, old));
    await ageNotes();
    let transactions = 0;
    // The first transaction of a pass removes what the first note names.
    const database = files.withTransactions(async () => {
      if (++transactions === 1) await writeByCall('a.txt', 'old');
    });

    expect(await reconcile(context({ database }))).toMatchObject({ orphans: 0 });
    expect(store.names()).toContain(old);
  });

  test('is due again at once after a pass that its time has ended, and later after a whole one', async () => {
    store.write('documents/a.txt', 'a');
    const short = context({ deadline: new Date(Date.now() + 30_000) });

    expect(await reconcileWhenDue(short, 60)).toMatchObject({ complete: false });
    expect(await reconcileWhenDue(context(), 60)).toMatchObject({ complete: true, written: 1 });
    expect(await reconcileWhenDue(context(), 60)).toBeNull();
  });

  test('tells what it cannot repair, and repairs the rest', async () => {
    for (const name of ['a', 'b', 'c']) store.write(`documents/${name}.txt`, name);
    store.write('documents/a//b', 'no path');
    store.broken = 'documents/b.txt';

    const report = await reconcile(context());

    expect(report.failed).toEqual([
      { id: 'documents/a//b', reason: expect.stringMatching(/rename/) },
      { id: 'b.txt', reason: expect.not.stringMatching(/broken/) },
    ]);
    expect(await contents()).toEqual({ 'a.txt': 'a', 'c.txt': 'c' });
  });

  test('stops before its time is over, and the next pass goes on', async () => {
    for (const name of ['a', 'b', 'c']) store.write(`documents/${name}.txt`, name);
    const deadline = new Date(Date.now() + 120_000);
    // What is left would not suffice for a file that takes a minute to be read.
    store.meanwhile.push({ on: 'get', name: 'documents/b.txt', happens: () => deadline.setTime(Date.now() + 60_000) });

    expect(await reconcile(context({ deadline }))).toMatchObject({ written: 2, complete: false });
    expect(await reconcile(context())).toMatchObject({ written: 1, complete: true });
    expect(Object.keys(await contents())).toEqual(['a.txt', 'b.txt', 'c.txt']);
  });

  test('can be asked for by who may write', async () => {
    const reply = await files.bench.functions.call('POST /v1/reconcile', {
      token: await files.bench.token('importer', 'rag.write'),
    });

    expect(reply.body).toMatchObject({ checked: 0, complete: true });
  });
});

describe('reading stored files again', () => {
  const request = { prefix: '', after: '', limit: 20 };

  test('takes nothing back that is written meanwhile', async () => {
    await writeByCall('a.txt', 'a', { audience: '2', labels: 'old' });
    await writeOutput('d1', 'ORA-01652');
    const meanwhile = (name: string, happens: () => unknown) => store.meanwhile.push({ on: 'get', name, happens });
    meanwhile(`documents/a.txt/${sha('a')}`, () => writeByCall('a.txt', 'a', { audience: 'managers', labels: 'new' }));
    const fix = { resolution: 'Add a file.', resolutionType: 'configuration' };
    meanwhile(`diagnostics/d1/${sha('ORA-01652')}`, () => writeResolution(context(), 'd1', fix));

    for (const type of ['document', 'diagnostic'] as const) {
      expect(await reindex(context(), { ...request, type })).toMatchObject({ done: 1, failed: [] });
    }

    expect(await files.bench.rows('SELECT audience, labels FROM document')).toEqual([
      { audience: 'managers', labels: ['new'] },
    ]);
    expect(await files.bench.rows("SELECT * FROM source_reader WHERE source_type = 'document'")).toEqual([]);
    expect(await files.bench.rows('SELECT resolution_type FROM diagnostic')).toEqual([
      { resolution_type: 'configuration' },
    ]);
  });

  test('begins no further file where the time does not suffice to read it', async () => {
    for (const name of ['a', 'b']) await writeByCall(`${name}.txt`, name);
    const deadline = new Date(Date.now() + 60_000);

    const report = await reindex(context({ deadline }), { ...request, type: 'document' });

    expect(report).toEqual({ done: 1, failed: [], next: 'a.txt' });
  });
});

test('every writer locks employees, projects, documents, diagnostics, resolutions and notes in this order', async () => {
  const ORDER = ['employee', 'project', 'document', 'diagnostic', 'resolution', 'object_note'];
  const locked: string[][] = [];
  const database = files.withLocks(
    (table) => locked.at(-1)?.push(table),
    () => locked.push([]),
  );
  const inOrder = context({ database });
  const about = { audience: '2', projectId: '7' };
  const file = (text: string) => ({ bytes: Buffer.from(text), contentType: 'text/plain' });
  for (const text of ['a', 'b']) {
    await writeDocument(inOrder, 'a.txt', file(text), documentQuery.parse(about));
    const query = diagnosticQuery.parse({ ...ABOUT, ...about, resolution: `Fix ${text}` });
    await writeDiagnostic(inOrder, 'd1', file(text), query);
  }
  store.write('documents/a.txt', 'c', { age: -60 });
  await hearEvents(inOrder, BUCKET, Buffer.from(JSON.stringify(event('documents/a.txt'))));
  for (const type of ['document', 'diagnostic'] as const) {
    await reindex(inOrder, { type, prefix: '', after: '', limit: 20 });
  }
  await deleteDocument(inOrder, 'a.txt');

  for (const tables of locked) {
    // A row that is locked already may be locked once more.
    expect([...new Set(tables)]).toEqual(ORDER.filter((table) => tables.includes(table)));
  }
  expect(locked).toContainEqual(['employee', 'project', 'document']);
  expect(locked).toContainEqual(['employee', 'project', 'diagnostic', 'resolution']);
});
