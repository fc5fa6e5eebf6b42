import { GenerativeAiInferenceClient, models } from 'oci-generativeaiinference';
import { SetupFailed, Unavailable } from '../../core/errors.ts';
import { CLOCK, type Clock, callWithRetry, ModelCallFailed, retryAfterOf } from '../../core/model-call.ts';
import type { Embedder, TextRole } from '../../ports/embedder.ts';
import { askOnce, type GenerativeAiPlace } from './one-call.ts';

export interface GenerativeAiEmbedderOptions extends GenerativeAiPlace {
  /** Such as cohere.embed-v4.0. */
  model: string;
  dimension: number;
  window: number;
  /** The longest that one call may take with all tries. */
  timeoutMs?: number;
  clock?: Clock;
}

const TIMEOUT_MS = 20_000;
/** The service's limit of texts in a call. */
const MAX_INPUTS = 96;

/** From Embed 4 on, the length of a vector can be chosen. */
const HAS_LENGTHS = /^cohere\.embed-v([4-9]|\d\d)/;
const LENGTHS = [256, 512, 1024, 1536];

const { InputType, Truncate, EmbeddingTypes } = models.EmbedTextDetails;
const INPUT_TYPES: Record<TextRole, models.EmbedTextDetails.InputType> = {
  passage: InputType.SearchDocument,
  question: InputType.SearchQuery,
};

/** What is wrong with the texts; every other refusal is about us: rights, the model's name, the region. */
const REFUSED_TEXTS = [400, 413, 422];

/** An embedding model of OCI Generative AI, for either database. */
export class GenerativeAiEmbedder implements Embedder {
  readonly model: string;
  readonly dimension: number;
  readonly window: number;
  readonly inDatabase = false;
  readonly #place: GenerativeAiPlace;
  readonly #timeoutMs: number;
  readonly #clock: Clock;

  /** Throws SetupFailed where the model has no vectors of this length: each text would be blamed for it otherwise. */
  constructor(options: GenerativeAiEmbedderOptions) {
    const { model, dimension, window, timeoutMs = TIMEOUT_MS, clock = CLOCK, ...place } = options;
    if (HAS_LENGTHS.test(model) && !LENGTHS.includes(dimension)) {
      throw new SetupFailed(
        `RAG_EMBEDDING_DIMENSION is ${dimension}, but ${model} makes vectors of 256, 512, 1024 or 1536 numbers`,
      );
    }
    this.model = model;
    this.dimension = dimension;
    this.window = window;
    this.#place = place;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
  }

  async encode(texts: string[], role: TextRole): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let from = 0; from < texts.length; from += MAX_INPUTS) {
      vectors.push(...(await this.#encodeBatch(texts.slice(from, from + MAX_INPUTS), role)));
    }
    return vectors;
  }

  async #encodeBatch(inputs: string[], role: TextRole): Promise<Float32Array[]> {
    const time = { deadline: null, timeoutMs: this.#timeoutMs, clock: this.#clock };
    try {
      return await callWithRetry((msLeft) => this.#ask(inputs, role, msLeft), time);
    } catch (error) {
      if (!(error instanceof ModelCallFailed)) throw error;
      const cause = new Error(`${this.model} in ${this.#place.region}: ${error.message}`, { cause: error });
      if (REFUSED_TEXTS.includes(error.status)) throw new Error('the embedding model refused the texts', { cause });
      throw new Unavailable('The embedding model cannot be reached', { cause, retryAfterSeconds: retryAfterOf(error) });
    }
  }

  async #ask(inputs: string[], role: TextRole, msLeft: number): Promise<Float32Array[]> {
    const embedTextDetails: models.EmbedTextDetails = {
      compartmentId: this.#place.compartmentId,
      servingMode: { servingType: 'ON_DEMAND', modelId: this.model } as models.OnDemandServingMode,
      inputs,
      inputType: INPUT_TYPES[role],
      // A text that is too long is refused, not cut: nobody would know what of it is found by.
      truncate: Truncate.None,
      embeddingTypes: [EmbeddingTypes.Float],
      ...(HAS_LENGTHS.test(this.model) && { outputDimensions: this.dimension }),
    };
    const question = { place: this.#place, msLeft, sent: inputs };
    const { embedTextResult } = await askOnce(GenerativeAiInferenceClient, question, (client) =>
      client.embedText({ embedTextDetails }),
    );
    const vectors = vectorsOf(embedTextResult);
    if (vectors.length !== inputs.length || !vectors.every((vector) => hasLength(vector, this.dimension))) {
      throw ModelCallFailed.unreadable(
        `${inputs.length} texts were answered with something else than as many vectors of ${this.dimension} numbers`,
      );
    }
    // A vector is made of its text alone: here the text is to blame, and waiting would not mend it.
    if (!vectors.flat().every(isFloat)) throw new Error('the embedding model made a vector of what are no numbers');
    return vectors.map((vector) => Float32Array.from(vector));
  }
}

/** Where vectors of named types are asked for, they may come under their type's name. */
function vectorsOf(result: Partial<models.EmbedTextResult> | null | undefined): number[][] {
  const { embeddings, embeddingsByType } = result ?? {};
  const vectors: unknown = Array.isArray(embeddings) && embeddings.length > 0 ? embeddings : embeddingsByType?.float;
  return Array.isArray(vectors) ? vectors : [];
}

const hasLength = (vector: unknown, dimension: number) => Array.isArray(vector) && vector.length === dimension;

/** Also as the database keeps it, with 32 bits. */
const isFloat = (x: unknown) => typeof x === 'number' && Number.isFinite(Math.fround(x));
