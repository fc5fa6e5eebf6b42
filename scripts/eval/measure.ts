import { type Found, findCandidates, type Searching } from '../../functions/ask/retrieve.ts';
import { fuse, weightOf } from '../../functions/core/fusion.ts';
import { sourceKey } from '../../functions/core/kinds/kind.ts';
import type { KnownLanguages } from '../../functions/core/language.ts';
import { mean, ndcgAt, recallAt, reciprocalRank } from './ranking-metrics.ts';
import type { RetrievalSet } from './sets.ts';
import { CachingEmbedder } from './vector-cache.ts';

/** The mean figures of one way to rank. */
export interface Figures {
  ndcg10: number;
  recall8: number;
  mrr: number;
}

/** What both branches found for a question: fetched once, ranked in as many ways as one likes. */
export interface Asked {
  question: RetrievalSet['questions'][number];
  found: Found;
}

/** As many as nDCG looks at. */
const TOP_K = 10;
const RECALL_K = 8;

/** The weights of the similarity that are compared. */
export const WEIGHTS = Array.from({ length: 21 }, (_, i) => i / 20);

/** Asks every question of a set. */
export async function askAll(
  searching: Searching,
  questions: RetrievalSet['questions'],
  onProgress: (asked: number) => void = () => {},
  topK = TOP_K,
): Promise<Asked[]> {
  const asked: Asked[] = [];
  // At once, which a model with several workers does faster; an embedder that keeps vectors has them then.
  if (searching.embedder instanceof CachingEmbedder) {
    await searching.embedder.encode(
      questions.map(({ text }) => text),
      'question',
    );
  }
  for (const [i, question] of questions.entries()) {
    const options = { topK, filters: {}, sort: null, approximate: false };
    asked.push({ question, found: await findCandidates(searching, question.text, options) });
    onProgress(i + 1);
  }
  return asked;
}

/** The median time of a search in the database, in milliseconds. */
export function medianSearchMs(asked: Asked[]): number {
  const times = asked.map(({ found }) => found.timings.search).sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? 0;
}

/** The sources of a question in the order that a weight gives them, each once, as type/id. */
function rank({ candidates, named, sort }: Found, vectorWeight: number): string[] {
  return fuse(candidates, { vectorWeight, topK: TOP_K, maxPerSource: 1, named, sort }).map(({ sourceType, sourceId }) =>
    sourceKey({ type: sourceType, id: sourceId }),
  );
}

/**
 * The mean figures of a set with one weight, for an embedding model that knows these languages: of a question in another
 * one the words alone count, as in the product.
 */
export function figuresAt(asked: Asked[], vectorWeight: number, languages: KnownLanguages): Figures {
  const each = asked.map(({ question: { gains, text }, found }) => {
    const ranking = rank(found, weightOf(text, vectorWeight, languages));
    return {
      ndcg10: ndcgAt(TOP_K, ranking, gains),
      recall8: recallAt(RECALL_K, ranking, gains),
      mrr: reciprocalRank(ranking, gains),
    };
  });
  return {
    ndcg10: mean(each.map((one) => one.ndcg10)),
    recall8: mean(each.map((one) => one.recall8)),
    mrr: mean(each.map((one) => one.mrr)),
  };
}
