import { GenerativeAiClient } from 'oci-generativeai';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Capability, modelCatalog, requireModel } from '../../functions/adapters/oci/model-catalog.ts';
import { findNotInForce, SetupFailed, Unavailable } from '../../functions/core/errors.ts';
import { type ModelReply, ModelServer } from '../support/model-server.ts';
import { somePrincipal } from '../support/oci-server.ts';
import { signatureFault } from '../support/oci-signature.ts';

const principal = somePrincipal();
const MODEL = 'cohere.command-a-03-2025';
const SETTINGS = { model: 'RAG_ANSWER_MODEL', region: 'RAG_ANSWER_REGION', compartment: 'RAG_ANSWER_COMPARTMENT' };

let server: ModelServer;

beforeEach(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  server = new ModelServer((request) => {
    const fault = signatureFault(request, principal);
    const { pathname, searchParams } = new URL(request.url, 'http://oci');
    const isList = pathname === '/20231130/models' && searchParams.get('compartmentId') === 'ocid1.compartment.oc1..c';
    return [...(fault === null ? [] : [fault]), ...(isList ? [] : [request.url])];
  });
  await server.listen();
});
afterEach(() => {
  server.close();
  expect(server.faults).toEqual([]);
});

const entry = (more: object = {}) => ({
  id: 'ocid1.generativeaimodel.oc1..x',
  displayName: MODEL,
  lifecycleState: 'ACTIVE',
  capabilities: ['CHAT'],
  ...more,
});
const list = (...items: object[]): ModelReply => ({ body: { items } });

function required(capability: Capability = 'CHAT', timeoutMs = 5000) {
  const catalog = modelCatalog({ region: 'us-chicago-1', principal, timeoutMs, endpoint: server.url });
  return requireModel(catalog, {
    compartmentId: 'ocid1.compartment.oc1..c',
    model: MODEL,
    capability,
    region: 'us-chicago-1',
    settings: SETTINGS,
  });
}

test('is asked in the region of the setting', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('nothing leaves this machine'));
  onTestFinished(() => fetched.mockRestore());
  await expect(
    modelCatalog({ region: 'us-chicago-1', principal }).listModels({ compartmentId: 'c' }),
  ).rejects.toThrow();

  const [request] = fetched.mock.calls[0] ?? [];
  expect(request).toHaveProperty(
    'url',
    'https://generativeai.us-chicago-1.oci.oraclecloud.com/20231130/models?compartmentId=c',
  );
});

test("asks and reads as the SDK's own client does", async () => {
  const client = new GenerativeAiClient({ authenticationDetailsProvider: principal });
  client.endpoint = server.url;
  const request = { compartmentId: 'ocid1.compartment.oc1..c', page: 'two three' };
  server.replies = [{ headers: { 'opc-next-page': 'four' }, body: { items: [entry()] } }];
  const theirs = await client.listModels(request);
  const ours = await modelCatalog({ region: 'x', principal, endpoint: server.url }).listModels(request);

  expect(ours).toMatchObject({ modelCollection: { items: [{ displayName: MODEL }] }, opcNextPage: 'four' });
  expect({ items: ours.modelCollection.items, next: ours.opcNextPage }).toEqual({
    items: JSON.parse(JSON.stringify(theirs.modelCollection.items)),
    next: theirs.opcNextPage,
  });
  const [first, second] = server.asked.map(({ url }) => new URL(url, 'http://oci'));
  expect(second?.pathname).toBe(first?.pathname);
  expect([...(second?.searchParams ?? [])].sort()).toEqual([...(first?.searchParams ?? [])].sort());
});

describe('a model that can be asked', () => {
  test('is told with its state, and the end of its time', async () => {
    server.replies = [list(entry({ timeOnDemandRetired: '2999-01-31T00:00:00.000Z' }))];

    expect(await required()).toEqual({ state: 'ACTIVE', retiresAt: '2999-01-31T00:00:00.000Z' });
  });

  test('is found on any page, by name or OCID, beside entries of its name that cannot be asked', async () => {
    server.replies = [
      { headers: { 'opc-next-page': 'two' }, body: { items: [entry({ lifecycleState: 'DELETED' })] } },
      list(entry({ displayName: 'other' }), entry({ id: MODEL, displayName: 'by id' })),
    ];

    expect(await required()).toEqual({ state: 'ACTIVE', retiresAt: null });
    expect(server.asked).toHaveLength(2);
  });

  test('may be one that embeds', async () => {
    server.replies = [list(entry({ capabilities: ['TEXT_EMBEDDINGS'] }))];

    expect((await required('TEXT_EMBEDDINGS')).state).toBe('ACTIVE');
  });
});

describe('SetupFailed says what to set', () => {
  test.each<[string, ModelReply, RegExp]>([
    [
      'a name that is misspelt',
      list(entry({ displayName: 'cohere.command-a-03-2026' }), entry({ displayName: 'xai.grok-4.6' })),
      /^RAG_ANSWER_MODEL: Generative AI in us-chicago-1: has no model cohere\.command-a-03-2025; the nearest names are cohere\.command-a-03-2026\. /,
    ],
    ['a region without models', list(), /has no model cohere\.command-a-03-2025\. Set RAG_ANSWER_MODEL to a model/],
    ['a model that embeds', list(entry({ capabilities: ['TEXT_EMBEDDINGS'] })), /does not chat \(TEXT_EMBEDDINGS\)/],
    ['a model that is deleted', list(entry({ lifecycleState: 'DELETED' })), /is DELETED/],
    [
      'a model that is retired',
      list(entry({ timeOnDemandRetired: '2020-01-31T00:00:00Z' })),
      /retired since 2020-01-31/,
    ],
  ])('for %s', async (_, reply, message) => {
    server.replies = [reply];
    const failure = await required().catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(SetupFailed);
    expect((failure as SetupFailed).message).toMatch(message);
    expect(findNotInForce(failure)).toBeNull();
  });

  test.each([401, 403, 404])('for missing rights (%d), which may come into force', async (status) => {
    server.replies = [{ status, body: { code: 'NotAuthorizedOrNotFound', message: 'nothing here' } }];
    const failure = await required().catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(SetupFailed);
    expect((failure as SetupFailed).message).toMatch(/RAG_ANSWER_REGION.*RAG_ANSWER_COMPARTMENT/);
    expect(findNotInForce(failure)).not.toBeNull();
  });
});

test.each<[string, ModelReply]>([
  ['is throttled', { status: 429, body: {} }],
  ['is broken', { status: 500, body: {} }],
  ['hangs', 'hang'],
])('a list that %s is Unavailable', async (_, reply) => {
  server.replies = [reply];

  await expect(required('CHAT', 200)).rejects.toThrow(Unavailable);
});
