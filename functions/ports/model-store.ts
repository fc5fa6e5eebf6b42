import type { EmbeddingModel } from './embedder.ts';

/** Where the database keeps embedding models and their vectors. */
export interface ModelStore {
  /**
   * Makes the database fit for a model: that there is a column for its vectors and, where the database itself embeds,
   * that the model is there and works. Does nothing where all is there. Throws ModelUnavailable.
   */
  prepare(model: EmbeddingModel): Promise<'present' | 'loaded'>;
}
