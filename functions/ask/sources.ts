import { excerptOf } from '../core/excerpt.ts';
import type { NumberedSource } from '../core/extract.ts';
import type { Hit } from '../core/fusion.ts';
import type { Answer } from '../shapes.ts';
import type { JudgedStatement } from './support.ts';

/** A hit as an answerer sees it. */
export const toNumberedSource = (hit: Hit, i: number): NumberedSource => ({
  n: i + 1,
  title: hit.title,
  text: whatIsShown(hit),
  isNamed: hit.naming !== null,
});

/** The passage with those beside it: the section around it, as far as it was cut. */
export function whatIsShown(hit: Hit): string {
  const withoutAnchor = (passage: string) => passage.slice(passage.indexOf('\n') + 1);
  const parts = [hit.content];
  if (hit.before !== null) parts.unshift(hit.before);
  if (hit.after !== null) parts.push(hit.after);
  return parts.map((part, i) => (i === 0 ? part : withoutAnchor(part))).join('');
}

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
      excerpt: excerptOf(answer === null ? hit.content : whatIsShown(hit), answer),
      distance: Math.round(hit.distance * 1e4) / 1e4,
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
