import { indexStep } from '../core/vector-index.ts';
import type { Database } from '../ports/database.ts';
import type { EmbeddingModel } from '../ports/embedder.ts';
import type { Log } from '../ports/platform.ts';
import type { VectorIndex } from '../ports/vector-index.ts';
import { countVectors } from '../store/models.ts';

/**
 * Builds the vector index when there is enough to build it from, and anew when there is ten times as much. Where that
 * fails it is logged, and tried again by a later drain: searches are exact meanwhile.
 */
export async function tendVectorIndex(
  database: Database,
  index: VectorIndex,
  model: EmbeddingModel,
  log: Log,
): Promise<void> {
  try {
    const state = await index.state(model);
    const rows = await countVectors(database, model.model);
    const step = indexStep(state, rows);
    if (step === null) return;
    await index[step](model, rows);
    log.info('vector_index', { step, rows });
  } catch (error) {
    log.error('vector_index_failed', error);
  }
}
