import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BucketStore } from '../../functions/adapters/oci/object-store.ts';
import { findNotInForce, SetupFailed, TooLarge, Unavailable } from '../../functions/core/errors.ts';
import { readWithin } from '../../functions/core/objects.ts';
import { BucketServer } from '../support/bucket-server.ts';
import { somePrincipal } from '../support/oci-server.ts';
import { SdkTypes } from '../support/sdk-types.ts';

const principal = somePrincipal();
let server: BucketServer;
let store: BucketStore;
const said: unknown[] = [];
beforeEach(async () => {
  server = new BucketServer(principal, 'ns', 'bucket');
  await server.listen();
  store = new BucketStore({ namespace: 'ns', bucket: 'bucket', principal, endpoint: server.url, timeoutMs: 5000 });
  for (const method of ['log', 'info', 'warn', 'error'] as const) {
    vi.spyOn(console, method).mockImplementation((...words) => void said.push(words));
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  server.close();
  // The SDK's own words would go into the log of the function.
  expect(said).toEqual([]);
});

const put = (name = 'a/x', content = 'content') => store.put(name, Buffer.from(content), 'text/markdown');

test('keeps the content type', async () => {
  await put();

  expect((await store.get('a/x', 100))?.contentType).toBe('text/markdown');
});

test.each([
  ['the connection drops, as one does that a sleeping function has kept', 'drop' as const],
  ['the service is busy', { status: 429, code: 'TooManyRequests' }],
  ['the service fails', { status: 503, code: 'ServiceUnavailable' }],
])('calls again where %s', async (_, fault) => {
  server.faults.push(fault, fault);
  await put();
  server.faults.push(fault);

  expect((await store.get('a/x', 100))?.content.toString()).toBe('content');
  expect(server.requests).toBe(5);
});

test('reads again what broke off, and gives nothing that is not whole', async () => {
  await put();
  server.faults.push('cut');
  expect((await store.get('a/x', 100))?.content.toString()).toBe('content');

  server.faults.push('cut', 'cut', 'cut');
  await expect(store.get('a/x', 100)).rejects.toThrow(Unavailable);
});

test('gives up after three tries, and says when to come again', async () => {
  server.faults.push(...Array.from({ length: 3 }, () => ({ status: 500, code: 'InternalServerError' })));
  const refused = await put().catch((error: unknown) => error);

  expect(refused).toBeInstanceOf(Unavailable);
  expect((refused as Unavailable).retryAfterSeconds).toBeGreaterThan(0);
  expect(server.requests).toBe(3);
});

test('does not call again what is refused for good', async () => {
  server.faults.push({ status: 400, code: 'InvalidObjectName' });

  await expect(put()).rejects.toThrow(/HTTP 400 InvalidObjectName/);
  expect(server.requests).toBe(1);
});

test.each([
  [404, 'BucketNotFound', /no bucket bucket in the namespace ns .*must let this function manage objects/],
  [404, 'NamespaceNotFound', /no bucket bucket in the namespace ns /],
  [401, 'NotAuthenticated', /must let this function manage objects where target\.bucket\.name = 'bucket'/],
  [403, 'NotAllowed', /must let this function manage objects where target\.bucket\.name = 'bucket'/],
])(
  'HTTP %s %s is told with what to look at, and may be a policy that is not in force yet',
  async (status, code, words) => {
    server.faults.push({ status, code });
    const refused = await put().catch((error: unknown) => error);

    expect(refused).toBeInstanceOf(SetupFailed);
    expect((refused as SetupFailed).message).toMatch(words);
    expect(findNotInForce(refused)).not.toBeNull();
  },
);

test('a reader is told of the right to read alone', async () => {
  server.faults.push({ status: 404, code: 'BucketNotFound' });

  await expect(store.head('a/x')).rejects.toThrow('must let this function read objects where');
});

test('of a stream without end, no more is read than the limit', async () => {
  let read = 0;
  async function* endless() {
    for (;;) yield Buffer.alloc(10, read++);
  }

  await expect(readWithin(endless(), 95)).rejects.toThrow(TooLarge);
  expect(read).toBe(10);
});

test('the list that the stand-in gives is one of the service', async () => {
  await put();
  const answers: unknown[] = [];
  const list = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    list.mockRestore();
    const response = await fetch(input, init);
    answers.push(await response.clone().json());
    return response;
  });
  for await (const { name } of store.list('')) expect(name).toBe('a/x');

  expect(new SdkTypes('oci-objectstorage').faults(answers[0], 'ListObjects')).toEqual([]);
});
