import { fuse, type Hit } from '../../functions/core/fusion.ts';
import type { Caller } from '../../functions/core/scope.ts';
import type { Database } from '../../functions/ports/database.ts';
import type { EmbeddingModel, VectorBind } from '../../functions/ports/embedder.ts';
import { searchCandidates } from '../../functions/store/candidates.ts';
import type { Filters } from '../../functions/store/scope.ts';

interface NearestSearch {
  question: VectorBind;
  model: EmbeddingModel;
  topK: number;
  approximate?: boolean;
  filters?: Filters;
}

/** The sections nearest to a vector, by their meaning alone. */
export async function searchNearest(db: Database, caller: Caller, search: NearestSearch): Promise<Hit[]> {
  const { question, model, topK, approximate = false, filters = {} } = search;
  const named = { sources: [], codes: [] };
  const parts = { question, terms: [], named, order: null, model, filters, depth: topK, approximate };
  return fuse(await searchCandidates(db, caller, parts), {
    vectorWeight: 1,
    topK,
    maxPerSource: 0,
    named,
    sort: null,
  });
}
