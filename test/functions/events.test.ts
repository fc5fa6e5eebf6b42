import { beforeEach, describe, expect, test } from 'vitest';
import { Unavailable } from '../../functions/core/errors.ts';
import { sha256Hex as sha } from '../../functions/core/hash.ts';
import type { BucketContext } from '../../functions/ingest/bucket.ts';
import { deleteDocument } from '../../functions/ingest/documents.ts';
import { hearEvents } from '../../functions/ingest/events.ts';
import { reconcile } from '../../functions/ingest/reconcile.ts';
import { reindex } from '../../functions/ingest/reindex.ts';
import { bucketEvent as event, FileBench } from '../support/file-bench.ts';
import type { MemoryStore } from '../support/memory-store.ts';

const files = FileBench.open();
let store: MemoryStore;
beforeEach(() => {
  store = files.store;
});
const { bucket: BUCKET } = files;
const context = (settings: Partial<BucketContext> = {}) => files.context(settings);
const hear = (name: string, options?: Parameters<typeof event>[1]) => files.hear(name, options);
const writeByCall = (path: string, text: string, query: object = {}) => files.writeByCall(path, text, query);
const documents = () => files.documents();
const contents = () => files.contents();
const queued = () => files.bench.rows<{ action: string }>('SELECT action FROM rag_dirty ORDER BY dirty_id');
const versions = () => store.names().filter((name) => /\/[0-9a-f]{64}$/.test(name));

describe('an event of the bucket', () => {
  test('writes the document of an object that came or changed, and removes that of one that has gone', async () => {
    store.write('documents/hr/leave.txt', 'first');
    expect(await hear('documents/hr/leave.txt')).toMatchObject({ written: 1 });
    expect(await documents()).toEqual([
      { path: 'hr/leave.txt', content: 'first', empty_reason: null, audience: 'organization', origin: 'bucket' },
    ]);

    store.write('documents/hr/leave.txt', 'second');
    expect(await hear('documents/hr/leave.txt', { type: 'updateobject' })).toMatchObject({ written: 1 });
    expect(await contents()).toEqual({ 'hr/leave.txt': 'second' });
    expect(versions()).toHaveLength(1);

    store.objects.delete('documents/hr/leave.txt');
    expect(await hear('documents/hr/leave.txt', { type: 'deleteobject' })).toMatchObject({ removed: 1 });
    expect(await documents()).toEqual([]);
    expect(store.names()).toEqual([]);
    expect((await queued()).map(({ action }) => action)).toEqual(['UPSERT', 'UPSERT', 'DELETE']);
  });

  test('that comes again changes nothing', async () => {
    store.write('documents/a.txt', 'a');
    await hear('documents/a.txt');
    expect(await hear('documents/a.txt')).toMatchObject({ unchanged: 1 });
    expect(await queued()).toHaveLength(1);
  });

  test('that comes late counts for what the bucket holds now', async () => {
    store.write('documents/a.txt', 'the newest');
    expect(await hear('documents/a.txt', { type: 'deleteobject' })).toMatchObject({ written: 1 });
    expect(await contents()).toEqual({ 'a.txt': 'the newest' });

    store.objects.clear();
    expect(await hear('documents/a.txt', { type: 'createobject' })).toMatchObject({ removed: 1 });
  });

  test('that comes many times at once ends with the newest version', async () => {
    store.write('documents/a.txt', 'old');
    const heard = Array.from({ length: 4 }, () => hear('documents/a.txt'));
    store.write('documents/a.txt', 'new');
    heard.push(...Array.from({ length: 4 }, () => hear('documents/a.txt', { type: 'updateobject' })));

    await Promise.all(heard);

    expect(await contents()).toEqual({ 'a.txt': 'new' });
  });

  test('starts over where the object changes after it was read', async () => {
    store.write('documents/a.txt', 'old');
    store.meanwhile.push({
      on: 'put',
      name: `documents/a.txt/${sha('old')}`,
      happens: () => store.write('documents/a.txt', 'new'),
    });

    expect(await hear('documents/a.txt')).toMatchObject({ written: 1 });
    expect(await contents()).toEqual({ 'a.txt': 'new' });
  });

  test('starts over where a call writes the document meanwhile, and keeps whom that call lets see it', async () => {
    store.write('documents/a.txt', 'of the bucket', { age: -60 });
    store.meanwhile.push({
      on: 'put',
      name: `documents/a.txt/${sha('of the bucket')}`,
      happens: () => writeByCall('a.txt', 'of the call', { audience: 'managers' }),
    });

    expect(await hear('documents/a.txt')).toMatchObject({ written: 1 });
    expect(await documents()).toMatchObject([{ content: 'of the bucket', audience: 'managers' }]);
  });

  test('starts over where the object goes while its document is being made', async () => {
    store.write('documents/a.txt', 'old');
    // Behind the look under the lock, before the commit: the event of the deletion would find no row yet.
    const original = store.head.bind(store);
    let looks = 0;
    store.head = async (name) => {
      const info = await original(name);
      if (name === 'documents/a.txt' && ++looks === 2) store.objects.delete(name);
      return info;
    };

    expect(await hear('documents/a.txt')).toMatchObject({ removed: 1 });
    expect(await documents()).toEqual([]);
  });

  test('of a deletion leaves an object that has come back', async () => {
    store.write('documents/a.txt', 'old');
    await hear('documents/a.txt');
    store.objects.delete('documents/a.txt');
    const original = store.head.bind(store);
    let looks = 0;
    store.head = async (name) => {
      const info = await original(name);
      if (name === 'documents/a.txt' && ++looks === 1) store.write(name, 'back');
      return info;
    };

    expect(await hear('documents/a.txt', { type: 'deleteobject' })).toMatchObject({ written: 1 });
    expect(await contents()).toEqual({ 'a.txt': 'back' });
  });

  test('of an object that never rests is an error, so that it is told again', async () => {
    store.write('documents/a.txt', '0');
    let writes = 0;
    const original = store.get.bind(store);
    store.get = async (name, max) => {
      const object = await original(name, max);
      store.write('documents/a.txt', String(++writes));
      return object;
    };

    await expect(hear('documents/a.txt')).rejects.toThrow(/changes faster than it can be read/);
  });

  test('is an error where the store fails, when all others have been heard', async () => {
    store.write('documents/a.txt', 'a');
    store.write('documents/b.txt', 'b');
    store.broken = 'documents/a.txt';
    const both = Buffer.from(JSON.stringify([event('documents/a.txt'), event('documents/b.txt')]));

    await expect(hearEvents(context(), BUCKET, both)).rejects.toThrow(/broken/);

    expect(await contents()).toEqual({ 'b.txt': 'b' });
  });

  test('is left to be told again where the time does not suffice to read its file', async () => {
    for (const name of ['a', 'b']) store.write(`documents/${name}.txt`, name);
    const both = Buffer.from(JSON.stringify([event('documents/a.txt'), event('documents/b.txt')]));

    const heard = hearEvents(context({ deadline: new Date(Date.now() + 60_000) }), BUCKET, both);

    await expect(heard).rejects.toThrow(/ran out/);
    expect(await contents()).toEqual({ 'a.txt': 'a' });
  });

  test.each([
    ['a picture', Buffer.from('89504e470d0a1a0a', 'hex'), /PNG/],
    ['too large a file', Buffer.alloc(1001, 'a'), /1001 bytes.* at most 1000/],
    ['a broken PDF', Buffer.from('%PDF-1.7\nnothing'), /PDF/],
    ['bytes that are no UTF-8', Buffer.from([0x61, 0xff]), /UTF-8/],
  ])('of %s is a document that says what is wrong, and harms no other', async (_, bytes, reason) => {
    store.write('documents/bad.bin', bytes);
    store.write('documents/good.txt', 'good');

    const both = Buffer.from(JSON.stringify([event('documents/bad.bin'), event('documents/good.txt')]));
    expect(await hearEvents(context(), BUCKET, both)).toMatchObject({ written: 2 });

    const [bad, good] = await documents();
    expect(bad).toMatchObject({ path: 'bad.bin', content: null, empty_reason: expect.stringMatching(reason) });
    expect(good).toMatchObject({ content: 'good' });
    expect(await hear('documents/bad.bin')).toMatchObject({ unchanged: 1 });
    await files.bench.functions.invoke('drain');
    const token = await files.bench.token('2');
    const state = await files.bench.functions.call('GET /v1/documents/bad.bin', { token });
    expect(state.body).toMatchObject({ title: 'bad.bin', state: 'empty', reason: expect.stringMatching(reason) });
  });

  test.each([
    ['of another bucket', event('documents/a.txt', { bucketName: 'other' })],
    ['of another namespace', event('documents/a.txt', { namespace: 'other' })],
    ['of another folder', event('backups/a.txt')],
    ['of a version that is kept here', event(`documents/a.txt/${'0'.repeat(64)}`)],
    ['of a folder', event('documents/hr/')],
    ['of a name that climbs', event('documents/../secrets')],
    ['of a name in another form than NFC', event('documents/e\u0301.txt')],
    ['of another service', { ...event('documents/a.txt'), eventType: 'com.oraclecloud.computeapi.launchinstance' }],
    ['without details', { eventType: 'com.oraclecloud.objectstorage.createobject', data: {} }],
    ['that is null', null],
  ])('%s is ignored, and logged', async (_, sent) => {
    store.write('documents/a.txt', 'a');
    store.write('documents/e\u0301.txt', 'e');
    const report = await hearEvents(context(), BUCKET, Buffer.from(JSON.stringify(sent)));

    expect(report).toEqual({ written: 0, removed: 0, unchanged: 0, ignored: 1 });
    expect(files.logged).toEqual([{ event: 'event_ignored', fields: { reason: expect.stringMatching(/\S/) } }]);
    expect(await documents()).toEqual([]);
  });

  test('within a message of Notifications counts as well', async () => {
    store.write('documents/a.txt', 'a');
    const message = { Message: JSON.stringify(event('documents/a.txt')) };
    expect(await hearEvents(context(), BUCKET, Buffer.from(JSON.stringify(message)))).toMatchObject({ written: 1 });
  });

  test('reaches the function outside HTTP, which ignores it where the store is no bucket', async () => {
    const reply = await files.bench.functions.invoke('ingest', JSON.stringify(event('documents/a.txt')));

    expect(reply).toMatchObject({ status: 200, body: { ignored: 1, written: 0 } });
    expect(files.bench.functions.log()).toMatch(/event_ignored/);
  });
});

describe('documents of the bucket and of calls', () => {
  test('a document that was written by a call since is not taken back by an older object', async () => {
    store.write('documents/a.txt', 'of the bucket', { age: 60 });
    await writeByCall('a.txt', 'of the call');

    expect(await hear('documents/a.txt')).toMatchObject({ unchanged: 1 });
    expect(await contents()).toEqual({ 'a.txt': 'of the call' });

    store.objects.delete('documents/a.txt');
    await hear('documents/a.txt', { type: 'deleteobject' });
    expect(await contents()).toEqual({ 'a.txt': 'of the call' });
  });

  test.each([
    ['older', '2026-03-01T10:00:00.300Z', 'of the call'],
    ['newer', '2026-03-01T10:00:00.900Z', 'of the bucket'],
  ])('an object that is %s by less than a second counts as such', async (_, modifiedAt, content) => {
    await writeByCall('a.txt', 'of the call');
    await files.bench.database.execute(
      'system',
      "UPDATE document SET written_at = TIMESTAMP '2026-03-01 10:00:00.600+00'",
    );
    store.write('documents/a.txt', 'of the bucket');
    Object.assign(store.objects.get('documents/a.txt') ?? {}, { modifiedAt: new Date(modifiedAt) });

    await hear('documents/a.txt');

    expect(await contents()).toEqual({ 'a.txt': content });
  });

  test('an object that is put again after a call has written counts, also where its ETag is the same', async () => {
    const asInS3 = { etag: 'of these bytes' };
    store.write('documents/a.txt', 'of the bucket', { age: 60 });
    Object.assign(store.objects.get('documents/a.txt') ?? {}, asInS3);
    await hear('documents/a.txt');
    await writeByCall('a.txt', 'of the call');
    expect(await hear('documents/a.txt')).toMatchObject({ unchanged: 1 });

    store.write('documents/a.txt', 'of the bucket', { age: -60 });
    Object.assign(store.objects.get('documents/a.txt') ?? {}, asInS3);

    expect(await hear('documents/a.txt')).toMatchObject({ written: 1 });
    expect(await contents()).toEqual({ 'a.txt': 'of the bucket' });
  });

  test('an object that comes while stored files are read again is not taken for older', async () => {
    await writeByCall('a.txt', 'of the call');
    await files.bench.database.execute('system', "UPDATE document SET written_at = written_at - INTERVAL '1' HOUR");
    store.write('documents/a.txt', 'of the bucket', { age: 60 });
    await reindex(context(), { type: 'document', prefix: '', after: '', limit: 20 });

    expect(await hear('documents/a.txt')).toMatchObject({ written: 1 });
  });

  test('a newer object takes its place, for the same readers', async () => {
    await writeByCall('a.txt', 'of the call', { audience: '2', labels: 'x' });
    store.write('documents/a.txt', 'of the bucket', { age: -60 });

    expect(await hear('documents/a.txt')).toMatchObject({ written: 1 });
    expect(await documents()).toMatchObject([{ content: 'of the bucket', audience: 'people', origin: 'bucket' }]);
    expect(await files.bench.rows('SELECT employee_id FROM source_reader')).toEqual([{ employee_id: 2 }]);
  });

  test('a new one is for whom the settings say', async () => {
    store.write('documents/a.txt', 'a');
    const sent = Buffer.from(JSON.stringify(event('documents/a.txt')));
    await hearEvents(context({ audience: 'managers' }), BUCKET, sent);

    expect(await documents()).toMatchObject([{ audience: 'managers' }]);
    const reply = await files.bench.functions.call('GET /v1/documents/a.txt', { token: await files.bench.token('2') });
    expect(reply.status).toBe(404);
  });

  test('deleting it by a call removes the object too, so that it does not come back', async () => {
    store.write('documents/a.txt', 'a');
    await hear('documents/a.txt');
    await deleteDocument(context(), 'a.txt');

    expect(store.names()).toEqual([]);
    expect(await reconcile(context())).toMatchObject({ written: 0 });
    expect(await documents()).toEqual([]);
  });

  test.each([
    ['was heard of', () => hear('documents/a.txt')],
    ['was never heard of', () => {}],
  ])('deleting one that a call wrote over an object that %s shows that to nobody either', async (_, before) => {
    store.write('documents/a.txt', 'of the bucket', { age: 60 });
    await before();
    await writeByCall('a.txt', 'of the call', { audience: 'managers' });

    await deleteDocument(context(), 'a.txt');

    expect(await reconcile(context())).toMatchObject({ written: 0 });
    expect(await documents()).toEqual([]);
    expect(store.names()).toEqual([]);
  });

  test('a document stays where its object in the bucket cannot be removed', async () => {
    store.write('documents/a.txt', 'a');
    await hear('documents/a.txt');
    store.remove = () => Promise.reject(new Unavailable('The object store does not answer'));

    await expect(deleteDocument(context(), 'a.txt')).rejects.toMatchObject({ status: 503 });

    expect(await contents()).toEqual({ 'a.txt': 'a' });
    expect(await hear('documents/a.txt')).toMatchObject({ unchanged: 1 });
  });
});
