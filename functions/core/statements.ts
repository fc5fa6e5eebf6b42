import { splitInlineCode, splitLines } from './markdown.ts';
import { contentWords } from './words.ts';

/** A sentence of an answer, or a line of a list or table. */
export interface Statement {
  /** Without the citations. */
  text: string;
  /** The numbers of the sources it rests on, ascending. */
  cited: number[];
  /** Where it stands in the answer, citations included: `answer.slice(from, to)`. */
  from: number;
  to: number;
}

/** A sentence's end, with the citations behind it, before one that begins with a capital or a figure. */
const SENTENCE_END = /[.!?…]+["'”’»)*_]*(?:[ \t]*\[\d{1,3}\])*(?=\s+["“«¿¡([*_]*[\p{Lu}\p{N}]|\s*$)/gu;
/** Words that end in a full stop within a sentence; single letters as in "J. Peña" and "e.g." too. */
const ABBREVIATION =
  /(?:^|[\s("«])(?:\p{L}|(?:\p{L}\.)+\p{L}|p\. ?ej|ej|mrs?|ms|dr|dra|sra?|st|prof|nos?|n[úu]m|approx|aprox|vs|art|figs?|p[áa]gs?|ca|usw|bzw|etc)\.$/iu;
const LINE_START = /^\s*(?:>\s*)*(?:(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?)?/;
const CITATION = /[ \t]*\[(\d{1,3})\]/g;

/**
 * The statements of an answer whose citations are checked. A citation belongs to the sentence in which it stands or behind which
 * it stands; a sentence or line without one takes the next of the same paragraph (lines without an empty one between), as
 * models often cite once for several. Behind the paragraph's last citation there is none to take: `cited` is empty.
 * Not statements: what cites nothing and is a heading, an introduction that ends in a colon, or without words that say
 * something; and blocks of code.
 */
export function splitStatements(answer: string): Statement[] {
  const statements: Statement[] = [];
  let waiting: Statement[] = [];
  let at = 0;
  for (const { text: line, isCode } of splitLines(answer)) {
    if (isCode || line.trim() === '') waiting = [];
    else {
      for (const statement of sentencesOf(line, at)) {
        if (statement.cited.length > 0) {
          for (const one of waiting) one.cited = statement.cited;
          waiting = [];
        } else waiting.push(statement);
        if (saysSomething(statement)) statements.push(statement);
      }
    }
    at += line.length;
  }
  return statements;
}

function sentencesOf(line: string, at: number): Statement[] {
  const sentences: Statement[] = [];
  let start = LINE_START.exec(line)?.[0].length ?? 0;
  const end = line.trimEnd().length;
  const ends = [...line.matchAll(SENTENCE_END)].filter(
    (match) => !ABBREVIATION.test(line.slice(0, match.index + 1).slice(-12)),
  );
  for (const to of [...ends.map((match) => match.index + match[0].length), end]) {
    const from = start + (/^\s*/.exec(line.slice(start, to))?.[0].length ?? 0);
    if (from >= to) continue;
    sentences.push({ ...withoutCitations(line.slice(from, to)), from: at + from, to: at + to });
    start = to;
  }
  return sentences;
}

function withoutCitations(sentence: string): { text: string; cited: number[] } {
  const cited = new Set<number>();
  const stretches = splitInlineCode(sentence).map(({ text, isCode }) =>
    isCode
      ? text
      : text.replace(CITATION, (_, n: string) => {
          cited.add(Number(n));
          return '';
        }),
  );
  return { text: stretches.join('').trim(), cited: [...cited].sort((a, b) => a - b) };
}

const saysSomething = ({ text, cited }: Statement): boolean => {
  if (cited.length > 0) return /[\p{L}\p{N}]/u.test(text);
  return !/^#{1,6}\s|:[*_]*$/.test(text) && (/\d/.test(text) || contentWords(text).length > 0);
};
