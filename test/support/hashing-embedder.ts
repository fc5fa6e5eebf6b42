import { createHash } from 'node:crypto';
import type { Embedder, EmbeddingModel, VectorBind } from '../../functions/ports/embedder.ts';

/** As many as the column of the cloud's database takes. */
const DIMENSIONS = 384;

/** The model of {@link HashingEmbedder}. */
export const HASHING: EmbeddingModel = { model: 'hashing', dimension: DIMENSIONS, inDatabase: false };

/** A vector that begins with these numbers and goes on with zeros. */
export function vector(...numbers: number[]): Float32Array {
  const padded = new Float32Array(DIMENSIONS);
  padded.set(numbers);
  return padded;
}

/** The vector of a text: a bag of its words, each hashed to a place. Texts that share words are near. */
export function hashVector(text: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    const place = createHash('md5').update(word).digest().readUInt16BE(0) % DIMENSIONS;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  const length = Math.hypot(...vector);
  return vector.map((x) => x / length);
}

/** An embedder without a model, for tests of everything but the model. Counts what it is asked, fails when told. */
export class HashingEmbedder implements Embedder {
  readonly encoded: string[] = [];
  /** How many texts each call that succeeded brought. */
  readonly calls: number[] = [];
  readonly model: string;
  readonly dimension = DIMENSIONS;
  readonly inDatabase = false;
  readonly window: number;
  /** Throws for texts that it holds for bad, and delays those that it is told to. */
  before: (text: string) => void | Promise<void> = () => {};
  /** The vector that it makes for a text. */
  vectorOf: (text: string) => VectorBind = (text) => Float32Array.from(hashVector(text));

  constructor(model = 'hashing', window = 400) {
    this.model = model;
    this.window = window;
  }

  async encode(texts: string[]): Promise<VectorBind[]> {
    for (const text of texts) await this.before(text);
    this.encoded.push(...texts);
    this.calls.push(texts.length);
    return texts.map(this.vectorOf);
  }
}
