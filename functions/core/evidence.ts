import { withoutNames } from './codes.ts';
import type { Hit } from './fusion.ts';
import { type KnownLanguages, understands } from './language.ts';
import { contentWords } from './words.ts';

/** What decides whether anything found is worth an answer. */
export interface TopicLimits {
  /** The cosine distance up to which a passage is near; it belongs to the embedding model. */
  cutoff: number;
  /** The share of the question's words, by their rarity, from which on a passage that has them is near, too; 0 to 1. */
  wordCoverage: number;
  /** What the embedding model understands: English alone, or any language. */
  languages: KnownLanguages;
}

/**
 * Whether a question is on the subject of what was found: something is named by it, is near to it, or has enough of its words.
 * Distances count only where the model understands the question's language: all that is written in another one lies close
 * together for it, whatever it is about (measured: docs/retrieval.md).
 */
export function isOnTopic(question: string, hits: Hit[], { cutoff, wordCoverage, languages }: TopicLimits): boolean {
  const isUnderstood = understands(languages, question);
  return (
    hits.length > 0 &&
    (hits.some(({ naming, distance }) => naming !== null || (isUnderstood && distance <= cutoff)) ||
      bestCoverage(question, hits) >= wordCoverage)
  );
}

/** The largest share of the question's content words, each weighed by its rarity among the hits, that one hit has. */
export function bestCoverage(question: string, hits: Pick<Hit, 'title' | 'content'>[]): number {
  const asked = [...new Set(contentWords(withoutNames(question)))];
  if (asked.length === 0) return 0;
  const texts = hits.map(({ title, content }) => new Set(contentWords(`${title}\n${content}`)));
  const weights = asked.map((word) => rarity(texts.filter((words) => words.has(word)).length, texts.length));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = texts.map(
    (words) => asked.reduce((sum, word, i) => sum + (words.has(word) ? (weights[i] ?? 0) : 0), 0) / total,
  );
  return Math.max(0, ...shares);
}

/** The weight of a word that `having` of `count` texts hold: the inverse document frequency, smoothed. */
export const rarity = (having: number, count: number): number => Math.log(1 + (count + 0.5) / (having + 0.5));
