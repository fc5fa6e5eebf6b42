import type { Embedder } from '../../ports/embedder.ts';

interface DatabaseEmbedderOptions {
  model: string;
  dimension: number;
  window: number;
}

/** The model in the database: what is bound is the text itself, which the statement embeds. */
export class DatabaseEmbedder implements Embedder {
  readonly model: string;
  readonly dimension: number;
  readonly inDatabase = true;
  readonly window: number;

  constructor({ model, dimension, window }: DatabaseEmbedderOptions) {
    this.model = model;
    this.dimension = dimension;
    this.window = window;
  }

  async encode(texts: string[]): Promise<string[]> {
    return texts;
  }
}
