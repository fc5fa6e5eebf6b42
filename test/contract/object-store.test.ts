import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FolderStore } from '../../functions/adapters/local/folder-store.ts';
import { BucketStore } from '../../functions/adapters/oci/object-store.ts';
import { S3Store } from '../../functions/adapters/s3/object-store.ts';
import { InvalidInput, SetupFailed, TooLarge, Unavailable } from '../../functions/core/errors.ts';
import type { ObjectInfo, ObjectStore } from '../../functions/ports/object-store.ts';
import { BucketServer } from '../support/bucket-server.ts';
import { somePrincipal } from '../support/oci-server.ts';
import { S3Server } from '../support/s3-server.ts';

interface Opened {
  store: ObjectStore;
  close(): void | Promise<void>;
  /** The same service, reached as the place says. */
  at?: (place: { url?: string; bucket?: string; timeoutMs?: number; key?: string }) => ObjectStore;
}

const BUCKET = 'some-bucket';
const S3 = 'a server that speaks S3';

const STORES: Record<string, () => Promise<Opened>> = {
  async folder() {
    const folder = mkdtempSync(join(tmpdir(), 'oci-rag-store-'));
    return { store: new FolderStore(join(folder, 'files')), close: () => rmSync(folder, { recursive: true }) };
  },
  async 'OCI Object Storage'() {
    const principal = somePrincipal();
    const server = new BucketServer(principal, 'ns', BUCKET);
    await server.listen();
    const at: Opened['at'] = ({ url = server.url, bucket = BUCKET, timeoutMs = 5000, key }) =>
      new BucketStore({
        namespace: 'ns',
        bucket,
        principal: key === undefined ? principal : somePrincipal(),
        endpoint: url,
        timeoutMs,
      });
    return { store: at({}), close: () => server.close(), at };
  },
  async [S3]() {
    const server = new S3Server();
    await server.listen(BUCKET);
    const { url: own, accessKey, secretKey } = server;
    const at: Opened['at'] = ({ url = own, bucket = BUCKET, timeoutMs = 5000, key = accessKey }) =>
      new S3Store({ url, region: 'us-east-1', bucket, accessKey: key, secretKey, timeoutMs });
    return { store: at({}), close: () => server.close(), at };
  },
};

const listed = async (store: ObjectStore, prefix: string): Promise<ObjectInfo[]> => {
  const found: ObjectInfo[] = [];
  for await (const info of store.list(prefix)) found.push(info);
  return found;
};
const namesIn = async (store: ObjectStore, prefix: string) => (await listed(store, prefix)).map(({ name }) => name);

const LIMIT = 1_000_000;
const put = (store: ObjectStore, name: string, content = 'content') =>
  store.put(name, Buffer.from(content), 'text/plain');

const ODD_NAMES = [
  'a b/ c',
  'Ünïcode/日本語/😀',
  '100%/%41/%2F',
  'a+b/c++',
  'n#1/n?x=1&y=2',
  `it's "quoted"/!*()~`,
  'a:b/c;d=e,f@g$h',
  '<tag>/|pipe|',
  'ends with a dot./…',
  '{braces}/[brackets]/^`',
  `${'x'.repeat(200)}/${'"'.repeat(120)}`,
];

describe.each(Object.entries(STORES))('%s', (kind, open) => {
  let opened: Opened;
  let store: ObjectStore;
  beforeAll(async () => {
    opened = await open();
    store = opened.store;
  });
  afterAll(() => opened.close());

  test('gives back any bytes as they were', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5000, size: 'max' }), async (bytes) => {
        await store.put('bytes/x', Buffer.from(bytes), 'application/octet-stream');
        const stored = await store.get('bytes/x', LIMIT);
        expect(stored?.content.equals(bytes)).toBe(true);
        expect(stored?.bytes).toBe(bytes.length);
      }),
      { numRuns: 15, examples: [[new Uint8Array()], [Uint8Array.from({ length: 256 }, (_value, at) => at)]] },
    );
  });

  test('takes six megabytes', async () => {
    const content = Buffer.alloc(6 * 1024 * 1024, 'ab');
    await store.put('large/x', content, 'text/plain');
    expect((await store.get('large/x', content.length))?.content.equals(content)).toBe(true);
  });

  test.each(ODD_NAMES)('keeps an object under the name %j, and no other', async (name) => {
    await put(store, `odd/${name}`, name);

    expect((await store.get(`odd/${name}`, LIMIT))?.content.toString()).toBe(name);
    expect(await store.head(`odd/${name}`)).toMatchObject({ name: `odd/${name}`, bytes: Buffer.byteLength(name) });
    expect(await namesIn(store, 'odd/')).toEqual([`odd/${name}`]);
    expect(await namesIn(store, `odd/${name}`)).toEqual([`odd/${name}`]);
    await store.remove(`odd/${name}`);
    expect(await store.head(`odd/${name}`)).toBeNull();
    expect(await namesIn(store, 'odd/')).toEqual([]);
  });

  test.each(['', '/a', 'a/', 'a//b', '.', '..', '../a', 'a/../b', 'a/./b', 'a\\b', 'a\0b', '\ud800', 'x'.repeat(1025)])(
    'refuses the name %j',
    async (name) => {
      for (const use of [store.put(name, Buffer.alloc(1), 'text/plain'), store.get(name, LIMIT), store.head(name)]) {
        await expect(use).rejects.toThrow(InvalidInput);
      }
      await expect(store.remove(name)).rejects.toThrow(InvalidInput);
    },
  );

  test('tells by its etag and its time that an object was written again, and the same wherever it is asked', async () => {
    const since = Date.now() - 2000;
    await put(store, 'again/x', 'one');
    const first = await store.head('again/x');
    await put(store, 'again/x', 'two');
    const second = await store.head('again/x');

    expect(second?.etag).not.toBe(first?.etag);
    expect(await listed(store, 'again/')).toEqual([second]);
    const stored = await store.get('again/x', LIMIT);
    expect(stored?.etag).toBe(second?.etag);
    expect(stored?.content.toString()).toBe('two');
    for (const modifiedAt of [second?.modifiedAt, stored?.modifiedAt]) {
      expect(modifiedAt?.getTime()).toBeGreaterThan(since);
      expect(modifiedAt?.getTime()).toBeLessThan(Date.now() + 2000);
    }
  });

  test('has nothing under a name that nobody wrote, which can be removed all the same', async () => {
    await put(store, 'here/longer');

    expect(await store.get('here/long', LIMIT)).toBeNull();
    expect(await store.head('here/long')).toBeNull();
    expect(await store.head('here')).toBeNull();
    await store.remove('here/long');
    await store.remove('nowhere/x');
    expect(await namesIn(store, 'here/')).toEqual(['here/longer']);
  });

  test('reads an object of the limit, and none of a byte more', async () => {
    await put(store, 'limit/x', 'x'.repeat(100));

    expect((await store.get('limit/x', 100))?.bytes).toBe(100);
    const refused = store.get('limit/x', 99);
    await expect(refused).rejects.toThrow(TooLarge);
    await expect(refused).rejects.toThrow('The file has 100 bytes; at most 99 are read');
  });

  test('lists by the bytes of names, over pages, what begins with a prefix', async () => {
    const names = ['p-q', 'p/q/r', 'p/q', 'pq/r'].map((name) => `order/${name}x`);
    const many = Array.from({ length: 1003 }, (_value, at) => `many/${String(at).padStart(4, '0')}`);
    const unicode = ['many/é', 'many/￮', 'many/😀'];
    for (let at = 0; at < many.length; at += 50) {
      await Promise.all(many.slice(at, at + 50).map((name) => put(store, name, name)));
    }
    await Promise.all([...unicode, ...names].map((name) => put(store, name)));

    expect(await namesIn(store, 'many/')).toEqual([...many, ...unicode]);
    expect(await namesIn(store, 'many/010')).toEqual(many.slice(100, 110));
    expect((await namesIn(store, 'order/p')).sort()).toEqual([...names].sort());
    expect(await namesIn(store, 'order/p/')).toEqual(['order/p/q/rx', 'order/p/qx']);
    expect(await namesIn(store, 'none/')).toEqual([]);
  }, 60_000);

  // This server of S3 overwrites in place, as the service does not.
  test.skipIf(kind === S3)('shows a reader all of the old bytes or all of the new ones', async () => {
    const contents = ['a', 'b'].map((char) => char.repeat(300_000));
    await put(store, 'atomic/x', contents[0]);
    const writes = (async () => {
      for (let round = 0; round < 10; round++) await put(store, 'atomic/x', contents[round % 2]);
    })();
    const seen = new Set<boolean>();
    for (let round = 0; round < 20; round++) {
      const content = (await store.get('atomic/x', LIMIT))?.content.toString() ?? '';
      seen.add(contents.includes(content));
    }
    await writes;
    expect([...seen]).toEqual([true]);
  });
});

const REMOTE = Object.entries(STORES).filter(([name]) => name !== 'folder');

describe.each(REMOTE)('%s', (_, open) => {
  let opened: Opened;
  let silent: Server;
  beforeAll(async () => {
    opened = await open();
    silent = createServer(() => {});
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  });
  afterAll(async () => {
    silent.closeAllConnections();
    silent.close();
    await opened.close();
  });
  const at = (place: Parameters<NonNullable<Opened['at']>>[0]) => opened.at?.(place) as ObjectStore;

  const calls: [string, (store: ObjectStore) => Promise<unknown>][] = [
    ['put', (store) => put(store, 'a/x')],
    ['get', (store) => store.get('a/x', LIMIT)],
    ['head', (store) => store.head('a/x')],
    ['remove', (store) => store.remove('a/x')],
    ['list', (store) => listed(store, '')],
  ];

  test.each(calls)('%s is unavailable where nothing listens, and where nothing answers', async (_call, call) => {
    await expect(call(at({ url: 'http://127.0.0.1:9', timeoutMs: 3000 }))).rejects.toThrow(Unavailable);
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    await expect(call(at({ url, timeoutMs: 200 }))).rejects.toThrow(Unavailable);
  });

  test.each(calls)('%s names the bucket that is not there, and the setting', async (_call, call) => {
    const refused = call(at({ bucket: 'another-bucket' }));
    await expect(refused).rejects.toThrow(SetupFailed);
    await expect(refused).rejects.toThrow(/There is no bucket another-bucket .*RAG_STORAGE must name one that exists/);
  });

  test.each(calls)('%s says which right is missing where a key is not taken', async (_call, call) => {
    const refused = call(at({ key: 'another' }));
    await expect(refused).rejects.toThrow(SetupFailed);
    await expect(refused).rejects.toThrow(
      /(objects where target\.bucket\.name = 'some-bucket'|RAG_STORAGE_SECRET_KEY)/,
    );
  });
});

test('a server that speaks S3, and puts ETags in quotes in some of its answers alone, tells one ETag of an object', async () => {
  const server = createServer((request, response) => {
    const isList = request.url?.includes('list-type=2') ?? false;
    if (!isList) return response.setHeader('ETag', '"0cc175b9"').setHeader('Content-Length', 1).end('a');
    const entry = '<Contents><Key>a/x</Key><Size>1</Size><ETag>0cc175b9</ETag></Contents>';
    return response.end(`<?xml version="1.0"?><ListBucketResult>${entry}</ListBucketResult>`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store = new S3Store({ url, region: 'us-east-1', bucket: BUCKET, accessKey: 'key', secretKey: 'secret' });

  const told = [await store.get('a/x', LIMIT), await store.head('a/x'), ...(await listed(store, 'a/'))];
  server.closeAllConnections();
  server.close();

  expect(told.map((object) => object?.etag)).toEqual(['0cc175b9', '0cc175b9', '0cc175b9']);
});
