import type { EmbeddingModel } from './embedder.ts';

export interface VectorIndexState {
  status: 'absent' | 'ready' | 'unusable';
  /** The vectors that there were when it was built; 0 where it is absent. */
  builtRows: number;
  /** UTC, as ISO 8601 text. */
  builtAt: string | null;
}

/** The approximate index of a model's vectors, in databases that have one. */
export interface VectorIndex {
  state(model: EmbeddingModel): Promise<VectorIndexState>;
  /** Builds it from the `rows` vectors that are there; nothing where another process does. */
  build(model: EmbeddingModel, rows: number): Promise<void>;
  /** Builds it anew while searches go on. */
  rebuild(model: EmbeddingModel, rows: number): Promise<void>;
}
