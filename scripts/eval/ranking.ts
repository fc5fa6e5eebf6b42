import type { TextIndex } from '../../functions/adapters/postgres/dialect.ts';
import type { KnownLanguages } from '../../functions/core/language.ts';
import { chooseWeight } from '../rag/calibrate/rules.ts';
import { type Asked, type Figures, figuresAt, medianSearchMs, WEIGHTS } from './measure.ts';
import { mean } from './ranking-metrics.ts';

/** What is said of one set with one text index. */
export interface RankingResult {
  set: string;
  textIndex: TextIndex;
  questions: number;
  /** The nDCG@10 to be reached. */
  goal: number;
  vector: Figures;
  words: Figures;
  /** With the weight that questions are asked with where nobody has set another. */
  standard: Figures;
  /** Each half of the questions with the weight that the other half has chosen. */
  calibrated: Figures;
  calibratedWeights: [number, number];
  sweep: { weight: number; ndcg10: number }[];
  searchMs: number;
}

/** The figures of a set in each way of ranking. */
export function measureRanking(
  { set, textIndex, goal }: Pick<RankingResult, 'set' | 'textIndex' | 'goal'>,
  asked: Asked[],
  standardWeight: number,
  languages: KnownLanguages,
): RankingResult {
  // Neighbours are often about one document: halves of every other question are alike.
  const halves: [Asked[], Asked[]] = [asked.filter((_, i) => i % 2 === 0), asked.filter((_, i) => i % 2 === 1)];
  const weights: [number, number] = [weightFor(halves[1], languages), weightFor(halves[0], languages)];
  const parts = halves.map((half, i) => ({ half, figures: figuresAt(half, weights[i] ?? standardWeight, languages) }));
  const whole = (of: keyof Figures) => mean(parts.flatMap(({ half, figures }) => half.map(() => figures[of])));
  return {
    set,
    textIndex,
    questions: asked.length,
    goal,
    // The branch as it is, whatever it knows of the language.
    vector: figuresAt(asked, 1, 'any'),
    words: figuresAt(asked, 0, 'any'),
    standard: figuresAt(asked, standardWeight, languages),
    calibrated: { ndcg10: whole('ndcg10'), recall8: whole('recall8'), mrr: whole('mrr') },
    calibratedWeights: weights,
    sweep: WEIGHTS.map((weight) => ({ weight, ndcg10: figuresAt(asked, weight, languages).ndcg10 })),
    searchMs: medianSearchMs(asked),
  };
}

const weightFor = (asked: Asked[], languages: KnownLanguages) =>
  chooseWeight(WEIGHTS.map((weight) => ({ weight, figure: figuresAt(asked, weight, languages).ndcg10 })));

/** What the calibrated weight must not lose to the better branch alone. */
const MAY_LOSE = 0.005;

/** Whether a result reaches its goal, with the standard weight or the calibrated one, and loses nothing to the better branch where calibrated. */
export const isMet = ({ goal, standard, calibrated, vector, words }: RankingResult): boolean =>
  Math.max(standard.ndcg10, calibrated.ndcg10) >= goal &&
  calibrated.ndcg10 >= Math.max(vector.ndcg10, words.ndcg10) - MAY_LOSE;
