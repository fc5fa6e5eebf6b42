import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { GenerativeAiEmbedder } from '../../functions/adapters/oci/embedder.ts';
import { SetupFailed, Unavailable } from '../../functions/core/errors.ts';
import { generativeAiServer, PRINCIPAL } from '../support/generative-ai-server.ts';
import type { ModelReply, ModelServer } from '../support/model-server.ts';

const SECRET = 'The canary of Ana Torres is 4711-heliotrope.';
const PLACE = { region: 'us-chicago-1', compartmentId: 'ocid1.compartment.oc1..c', principal: PRINCIPAL };

let server: ModelServer;

beforeEach(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  server = generativeAiServer();
  await server.listen();
});
afterEach(() => {
  server.close();
  expect(server.faults).toEqual([]);
});

const embedder = (more: { model?: string; dimension?: number; timeoutMs?: number } = {}) =>
  new GenerativeAiEmbedder({
    ...PLACE,
    endpoint: server.url,
    model: 'cohere.embed-v4.0',
    dimension: 256,
    window: 2000,
    clock: { now: Date.now, sleep: async () => {}, random: () => 0 },
    ...more,
  });

/** A vector that begins with a number. */
const vector = (first: number, dimension = 256) => [first, ...new Array<number>(dimension - 1).fill(0.5)];
const answer = (embeddings: unknown[]): ModelReply => ({ body: { id: 'x', embeddings } });
const refused = (status: number, message = 'not now'): ModelReply => ({ status, body: { code: 'SomeCode', message } });

describe('texts', () => {
  test.each([
    ['passage', 'SEARCH_DOCUMENT'],
    ['question', 'SEARCH_QUERY'],
  ] as const)('of the role %s are %s, and cut nowhere', async (role, inputType) => {
    server.replies = [answer([vector(1)])];
    await embedder().encode(['Uno.'], role);

    expect(server.body()).toEqual({
      compartmentId: PLACE.compartmentId,
      servingMode: { servingType: 'ON_DEMAND', modelId: 'cohere.embed-v4.0' },
      inputs: ['Uno.'],
      inputType,
      truncate: 'NONE',
      embeddingTypes: ['float'],
      outputDimensions: 256,
    });
  });

  test('of more than one call keep their order', async () => {
    const texts = Array.from({ length: 200 }, (_, i) => `text ${i}`);
    const numbers = texts.map((_, i) => i);
    server.replies = [numbers.slice(0, 96), numbers.slice(96, 192), numbers.slice(192)].map((part) =>
      answer(part.map((n) => vector(n))),
    );
    const vectors = await embedder().encode(texts, 'passage');

    expect(vectors.map(([first]) => first)).toEqual(numbers);
    expect(vectors[0]).toBeInstanceOf(Float32Array);
    expect(server.asked.map((_, at) => (server.body(at).inputs as string[]).length)).toEqual([96, 96, 8]);
    expect(server.asked.flatMap((_, at) => server.body(at).inputs)).toEqual(texts);
  });

  test('that are none are not asked about', async () => {
    expect(await embedder().encode([], 'passage')).toEqual([]);
    expect(server.asked).toHaveLength(0);
  });

  test('may be answered under the name of the type', async () => {
    server.replies = [{ body: { id: 'x', embeddings: [], embeddingsByType: { float: [vector(7)] } } }];

    expect((await embedder().encode(['a'], 'question'))[0]?.[0]).toBe(7);
  });

  test('of a model with one length are sent without one', async () => {
    server.replies = [answer([vector(1, 1024)])];
    await embedder({ model: 'cohere.embed-multilingual-v3.0', dimension: 1024 }).encode(['a'], 'passage');

    expect(server.body()).not.toHaveProperty('outputDimensions');
  });
});

test('a length that the model has not is refused at once', () => {
  expect(() => embedder({ dimension: 384 })).toThrow(SetupFailed);
  expect(() => embedder({ dimension: 384 })).toThrow('RAG_EMBEDDING_DIMENSION is 384');
});

const failureOf = async (replies: ModelReply[], timeoutMs = 5000): Promise<Error> => {
  server.replies = replies;
  const failure: unknown = await embedder({ timeoutMs })
    .encode([SECRET], 'passage')
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  return failure as Error;
};

test('a service that is away for a moment is asked again', async () => {
  server.replies = [refused(503), answer([vector(3)])];

  expect((await embedder().encode(['a'], 'passage'))[0]?.[0]).toBe(3);
});

describe('no source is blamed for', () => {
  test.each<[string, ModelReply]>([
    ['throttling', refused(429)],
    ['a service that is broken', refused(500)],
    ['missing rights', refused(404)],
    ['a body that ends early', { cutAfter: '{"id"' }],
    ['an answer of another shape', { body: { id: 'x' } }],
    ['too few vectors', answer([])],
    ['vectors of another length', answer([vector(1, 255)])],
  ])('%s', async (_, reply) => {
    const failure = await failureOf([reply]);

    expect(failure).toBeInstanceOf(Unavailable);
    expect((failure as Unavailable).retryAfterSeconds).toBeGreaterThan(0);
  });

  test('a service that hangs', async () => {
    expect(await failureOf(['hang'], 150)).toBeInstanceOf(Unavailable);
  });
});

describe('the texts are blamed for', () => {
  test.each<[string, ModelReply]>([
    ['what the model refuses', refused(400, `too long: ${SECRET}`)],
    ['a vector with something else than numbers', answer([[...vector(1, 255), '0.5']])],
    ['a vector with a number that no database keeps', answer([[...vector(1, 255), 1e300]])],
  ])('%s', async (_, reply) => {
    const failure = await failureOf([reply]);

    expect(failure).not.toBeInstanceOf(Unavailable);
    expect(`${failure.message} ${failure.cause}`).not.toContain('heliotrope');
  });
});
