import { Unavailable } from '../../core/errors.ts';
import type { Embedder } from '../../ports/embedder.ts';
import { HttpStatusError, postJson } from './http-json.ts';

export interface EmbedderOptions {
  url: string;
  model: string;
  dimension: number;
  window: number;
}

const TIMEOUT_MS = 60_000;
const RETRY_AFTER_SECONDS = 2;

/**
 * An encoder process that takes {model, texts} and answers {vectors}: as in the cloud, where the model lives beside the
 * data, no function loads one. A refusal of the texts (HTTP 4xx) is the texts' fault; everything else is the encoder's.
 */
export class HttpEmbedder implements Embedder {
  readonly model: string;
  readonly dimension: number;
  readonly inDatabase = false;
  readonly window: number;
  readonly #url: string;

  constructor(options: EmbedderOptions) {
    this.model = options.model;
    this.dimension = options.dimension;
    this.window = options.window;
    this.#url = options.url;
  }

  async encode(texts: string[]): Promise<Float32Array[]> {
    let reply: { vectors?: unknown } | null;
    try {
      reply = (await postJson(this.#url, { model: this.model, texts }, TIMEOUT_MS)) as { vectors?: unknown } | null;
    } catch (cause) {
      if (cause instanceof HttpStatusError && cause.status < 500) {
        throw new Error('the encoder refused the texts', { cause });
      }
      throw new Unavailable('The embedding model cannot be reached', { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    const vectors = reply?.vectors;
    if (!Array.isArray(vectors) || vectors.length !== texts.length || !areVectors(vectors, this.dimension)) {
      throw new Error(
        `the encoder answered ${texts.length} texts with something else than as many vectors of ${this.dimension} numbers`,
      );
    }
    return vectors.map((vector) => Float32Array.from(vector));
  }
}

/** Numbers, as many as the model has: a single odd vector would make every search fail that meets it. */
function areVectors(values: unknown[], dimension: number): values is number[][] {
  return values.every(
    (value) => Array.isArray(value) && value.length === dimension && value.every((x) => Number.isFinite(x)),
  );
}
