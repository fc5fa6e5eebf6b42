import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Embedder, TextRole, VectorBind } from '../../functions/ports/embedder.ts';

/** Where vectors are kept between runs, a file for each model; removing it costs the time to make them again. */
export const VECTOR_CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'oci-rag', 'vectors');

const HASH_BYTES = 32;
const FLOAT_BYTES = 4;
/** Texts that are sent to the model at once. */
const AT_ONCE = 32;

/**
 * An embedder that keeps each vector in a file, for the next time that the model is given the same text in the same role.
 * The file is a row of records: SHA-256 of role and text, then the vector's numbers as 32-bit floats.
 */
export class CachingEmbedder implements Embedder {
  readonly model: string;
  readonly dimension: number;
  readonly window: number;
  readonly inDatabase = false;
  readonly #embedder: Embedder;
  readonly #path: string;
  readonly #known: Map<string, Float32Array>;
  readonly #onProgress: (made: number, of: number) => void;

  /** `onProgress` hears how many of the texts of one call that are not known have been embedded. */
  constructor(embedder: Embedder, folder = VECTOR_CACHE, onProgress: (made: number, of: number) => void = () => {}) {
    this.model = embedder.model;
    this.dimension = embedder.dimension;
    this.window = embedder.window;
    this.#embedder = embedder;
    this.#onProgress = onProgress;
    mkdirSync(folder, { recursive: true });
    this.#path = join(folder, `${embedder.model.replace(/[^\w.-]/g, '_')}-${embedder.dimension}.vectors`);
    this.#known = readVectors(this.#path, embedder.dimension);
  }

  async encode(texts: string[], role: TextRole): Promise<VectorBind[]> {
    const keys = texts.map((text) => hashOf(role, text));
    const missing = [...new Map(keys.map((key, i) => [key, texts[i] ?? ''])).entries()].filter(
      ([key]) => !this.#known.has(key),
    );
    for (let at = 0; at < missing.length; at += AT_ONCE) {
      const part = missing.slice(at, at + AT_ONCE);
      const vectors = await this.#embedder.encode(
        part.map(([, text]) => text),
        role,
      );
      for (const [i, [key]] of part.entries()) this.#keep(key, vectors[i]);
      this.#onProgress(at + part.length, missing.length);
    }
    return keys.map((key) => this.#known.get(key) ?? new Float32Array());
  }

  #keep(key: string, vector: VectorBind | undefined): void {
    if (!(vector instanceof Float32Array)) throw new Error(`${this.model} makes no vectors that can be kept`);
    this.#known.set(key, vector);
    const numbers = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
    appendFileSync(this.#path, Buffer.concat([Buffer.from(key, 'hex'), numbers]));
  }
}

const hashOf = (role: TextRole, text: string) => createHash('sha256').update(`${role}\n${text}`).digest('hex');

function readVectors(path: string, dimension: number): Map<string, Float32Array> {
  const known = new Map<string, Float32Array>();
  if (!existsSync(path)) return known;
  const bytes = readFileSync(path);
  const size = HASH_BYTES + dimension * FLOAT_BYTES;
  const whole = bytes.length - (bytes.length % size);
  // A run that was cut off may have left the beginning of a record.
  if (whole < bytes.length) truncateSync(path, whole);
  for (let at = 0; at < whole; at += size) {
    const numbers = bytes.buffer.slice(bytes.byteOffset + at + HASH_BYTES, bytes.byteOffset + at + size);
    known.set(bytes.toString('hex', at, at + HASH_BYTES), new Float32Array(numbers));
  }
  return known;
}
