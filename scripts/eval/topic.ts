import type { Evidence } from './evidence.ts';
import type { AskSettings } from './outcomes.ts';

/** How many of the questions on a corpus, or foreign to it, are let through to an answer. */
export interface TopicResult {
  corpus: string;
  asked: string;
  /** Whether the corpus is what they are about. */
  isOwn: boolean;
  questions: number;
  /** Shares, 0 to 1: by distance alone, by words alone, and by both together with what is named. */
  byDistance: number;
  byWords: number;
  letThrough: number;
  /** What the shares come from, for other limits. */
  evidence: Evidence[];
}

/** Judges questions by what speaks for them, as the product does. */
export function measureTopic(
  { corpus, asked, isOwn }: Pick<TopicResult, 'corpus' | 'asked' | 'isOwn'>,
  evidence: Evidence[],
  { cutoff, wordCoverage }: Pick<AskSettings, 'cutoff' | 'wordCoverage'>,
): TopicResult {
  const isNear = ({ distance }: Evidence) => distance !== null && distance <= cutoff;
  const hasWords = ({ coverage }: Evidence) => coverage >= wordCoverage;
  const share = (is: (one: Evidence) => boolean) => evidence.filter(is).length / Math.max(1, evidence.length);
  return {
    corpus,
    asked,
    isOwn,
    questions: evidence.length,
    byDistance: share(isNear),
    byWords: share(hasWords),
    letThrough: share((one) => one.isNamed || isNear(one) || hasWords(one)),
    evidence,
  };
}

/** At most `count` of a list, evenly spread over it. */
export const sampleOf = <T>(list: readonly T[], count: number): T[] => {
  const step = Math.max(1, Math.floor(list.length / count));
  return list.filter((_, i) => i % step === 0).slice(0, count);
};
