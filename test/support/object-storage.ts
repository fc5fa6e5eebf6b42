import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface FakeBucket {
  versions: { name: string; versionId: string; isDeleteMarker: boolean; timeModified: string }[];
  uploads: { object: string; uploadId: string }[];
  links: { id: string; name: string }[];
}

/** Object Storage, as far as emptying a bucket goes: pages of two, only signed requests, 404 for what is gone. */
export interface ObjectStorage {
  url: string;
  buckets: Map<string, FakeBucket>;
  /** What was asked for, in order. */
  asked: string[];
  /** Answers this status to every deletion. */
  refuses: number | null;
  close(): Promise<void>;
}

const PAGE = 2;

export async function startObjectStorage(): Promise<ObjectStorage> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const [, , , , bucketName = '', kind, item] = url.pathname.split('/').map(decodeURIComponent);
    storage.asked.push(`${request.method} ${decodeURIComponent(url.pathname)}${url.search}`);
    const answer = (status: number, body?: unknown, headers = {}) =>
      response
        .writeHead(status, { 'Content-Type': 'application/json', ...headers })
        .end(body === undefined ? undefined : JSON.stringify(body));
    const bucket = storage.buckets.get(bucketName);
    if (!request.headers.authorization?.startsWith('Signature ')) return answer(401, { code: 'NotAuthenticated' });
    if (bucket === undefined) return answer(404, { code: 'BucketNotFound', message: 'no such bucket' });
    if (request.method === 'HEAD') return answer(200);
    const parameter = (name: string) => url.searchParams.get(name);
    const [list, isWanted] = {
      objectversions: [bucket.versions, () => false] as const,
      o: [bucket.versions, (v: never) => isVersion(v, item, parameter('versionId'))] as const,
      u: [bucket.uploads, (u: never) => isUpload(u, item, parameter('uploadId'))] as const,
      p: [bucket.links, ({ id }: { id: string }) => id === item] as const,
    }[kind ?? ''] as [unknown[], (entry: unknown) => boolean];
    if (request.method === 'DELETE') {
      if (storage.refuses !== null) return answer(storage.refuses, { code: 'Refused', message: 'kept by a rule' });
      const at = list.findIndex(isWanted);
      if (at === -1) return answer(404, { code: 'NotFound', message: 'gone' });
      list.splice(at, 1);
      return answer(204);
    }
    // As with the service, a page begins behind the last entry of the one before it, which may be gone by then.
    const page = snapshots.get(parameter('page') ?? '') ?? [...list];
    const rest = page.slice(PAGE);
    const token = `page+${snapshots.size}/=`;
    if (rest.length > 0) snapshots.set(token, rest);
    const items = page.slice(0, PAGE);
    return answer(
      200,
      kind === 'objectversions' ? { items, prefixes: [] } : items,
      rest.length > 0 ? { 'opc-next-page': token } : {},
    );
  });
  const snapshots = new Map<string, unknown[]>();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const storage: ObjectStorage = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    buckets: new Map(),
    asked: [],
    refuses: null,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return storage;
}

const isVersion = (version: FakeBucket['versions'][number], name: string | undefined, id: string | null) =>
  version.name === name && version.versionId === id;
const isUpload = (upload: FakeBucket['uploads'][number], name: string | undefined, id: string | null) =>
  upload.object === name && upload.uploadId === id;
