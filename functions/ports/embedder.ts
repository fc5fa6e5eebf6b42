/** A vector, or the text that the database makes one of. */
export type VectorBind = Float32Array | string;

export type TextRole = 'passage' | 'question';

/** What must be known of an embedding model where its vectors are kept. */
export interface EmbeddingModel {
  /** Its name, stored with each chunk: distances of two models are never compared. */
  readonly model: string;
  /** The numbers in a vector. */
  readonly dimension: number;
  /** Whether the database itself embeds. */
  readonly inDatabase: boolean;
}

/**
 * Turns text into what the database binds where its Dialect writes a vector: the vector itself where a process of ours
 * computes it, the text where the database embeds it.
 */
export interface Embedder extends EmbeddingModel {
  /** The longest text, in UTF-16 units, that the model reads to its end. */
  readonly window: number;
  /**
   * One bind a text, in order, for texts that are looked through or that are looked for: some models tell them apart.
   * Throws Unavailable where the model cannot be reached, so that no source is blamed.
   */
  encode(texts: string[], role: TextRole): Promise<VectorBind[]>;
}
