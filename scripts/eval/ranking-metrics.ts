/** What a question's documents are worth: their gains, above 0 where they are relevant. */
export type Gains = ReadonlyMap<string, number>;

/**
 * Normalised discounted cumulative gain of the first `k` documents (Järvelin and Kekäläinen 2002): the gains, each divided by
 * log2(rank + 1), as a share of what the best order would have; 0 where nothing is relevant.
 */
export function ndcgAt(k: number, ranking: readonly string[], gains: Gains): number {
  const best = [...gains.values()].filter((gain) => gain > 0).sort((a, b) => b - a);
  const ideal = discounted(best.slice(0, k));
  return ideal === 0 ? 0 : discounted(ranking.slice(0, k).map((id) => Math.max(0, gains.get(id) ?? 0))) / ideal;
}

const discounted = (gains: number[]) => gains.reduce((sum, gain, i) => sum + gain / Math.log2(i + 2), 0);

/** The share of the relevant documents that are among the first `k`; 0 where nothing is relevant. */
export function recallAt(k: number, ranking: readonly string[], gains: Gains): number {
  const relevant = [...gains].filter(([, gain]) => gain > 0).map(([id]) => id);
  const first = new Set(ranking.slice(0, k));
  return relevant.length === 0 ? 0 : relevant.filter((id) => first.has(id)).length / relevant.length;
}

/** One divided by the rank of the first relevant document; 0 where there is none. */
export function reciprocalRank(ranking: readonly string[], gains: Gains): number {
  const at = ranking.findIndex((id) => (gains.get(id) ?? 0) > 0);
  return at === -1 ? 0 : 1 / (at + 1);
}

/** The gain of a relevance grade, 2^grade - 1: of a grade above, twice as much and one more (Burges et al. 2005). */
export const gainOf = (grade: number): number => 2 ** Math.max(0, grade) - 1;

export const mean = (numbers: readonly number[]): number =>
  numbers.length === 0 ? 0 : numbers.reduce((sum, n) => sum + n, 0) / numbers.length;
