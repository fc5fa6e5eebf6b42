import { excerptOf } from '../core/excerpt.ts';
import type { NumberedSource } from '../core/extract.ts';
import type { Hit, StoredPassage } from '../core/fusion.ts';
import { validationOf } from '../core/resolutions.ts';
import type { Answer } from '../shapes.ts';
import type { JudgedStatement } from './support.ts';

/** A hit as an answerer sees it. */
export const toNumberedSource = (hit: Hit, i: number): NumberedSource => ({
  n: i + 1,
  title: hit.title,
  text: whatIsShown(hit),
  isNamed: hit.naming !== null,
  isInOrder: hit.naming === 'metric',
});

/** The passage with those beside it: the section around it, as far as it was cut. */
export function whatIsShown(hit: Hit): string {
  const [first, ...others] = [...hit.before, hit, ...hit.after];
  return [first?.content, ...others.map(withoutRepeated)].join('');
}

/** Without what stands before it already. */
const withoutRepeated = ({ content, repeated }: StoredPassage) => content.slice(repeated ?? content.indexOf('\n') + 1);

/** The citation of source n; its excerpt is around what the answer quotes, where there is an answer. */
export function toCitation(hits: Hit[], n: number, answer: string | null): Answer['citations'] {
  const hit = hits[n - 1];
  if (hit === undefined) return [];
  return [
    {
      n,
      sourceType: hit.sourceType,
      sourceId: hit.sourceId,
      title: hit.title,
      heading: hit.heading,
      excerpt: excerptOf(answer === null ? hit.content : whatIsShown(hit), answer),
      distance: Math.round(hit.distance * 1e4) / 1e4,
      metadata: hit.metadata,
      validatedFor: validationOf(hit),
    },
  ];
}

export const toSupport = (statements: JudgedStatement[]): NonNullable<Answer['support']> =>
  statements.map(({ text, cited, support, missing }) => ({
    sentence: text,
    citations: cited,
    verdict: support,
    missing,
  }));
