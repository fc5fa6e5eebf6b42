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
export function hashVector(text: string, dimension = DIMENSIONS): number[] {
  const vector = new Array<number>(dimension).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    const place = createHash('md5').update(word).digest().readUInt16BE(0) % dimension;
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
  readonly dimension: number;
  readonly inDatabase: boolean = false;
  readonly window: number;
  /** Throws for texts that it holds for bad, and delays those that it is told to. */
  before: (text: string) => void | Promise<void> = () => {};
  /** The vector that it makes for a text. */
  vectorOf: (text: string) => VectorBind = (text) => Float32Array.from(hashVector(text, this.dimension));

  constructor(model = HASHING.model, window = 400, dimension = HASHING.dimension) {
    this.model = model;
    this.window = window;
    this.dimension = dimension;
  }

  async encode(texts: string[]): Promise<VectorBind[]> {
    for (const text of texts) await this.before(text);
    this.encoded.push(...texts);
    this.calls.push(texts.length);
    return texts.map(this.vectorOf);
  }
}

/** The same, as a model in the database: what is bound are the texts, and the database makes the vectors. */
export class HashingDatabaseEmbedder extends HashingEmbedder {
  override readonly inDatabase = true;

  override async encode(texts: string[]): Promise<VectorBind[]> {
    await super.encode(texts);
    return texts;
  }
}
