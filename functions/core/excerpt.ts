import { safeCut, truncate } from './text.ts';
import { contentWords } from './words.ts';

const LIMIT = 320;

/**
 * The part of a source's text that an answer rests on: around the answer's own words where it quotes them, or where most of
 * them are; without an answer from the start of the text after its first line, which the title already tells.
 */
export function excerptOf(text: string, answer: string | null): string {
  const body = text.includes('\n') ? text.slice(text.indexOf('\n') + 1) : text;
  if (body.length <= LIMIT) return body.trim();
  const quoted = answer === null ? -1 : firstQuote(body, answer);
  if (quoted <= LIMIT / 4) return truncate(body, LIMIT).trim();
  const from = safeCut(body, Math.max(0, quoted - LIMIT / 4));
  const tail = truncate(body.slice(from), LIMIT - 1);
  return `…${tail.trim()}`;
}

/** Where in the body the answer's line stands literally, else the line or sentence that shares most of its words; -1 for none. */
function firstQuote(body: string, answer: string): number {
  for (const line of answer.split('\n')) {
    const quote = line.replace(/\s*\[\d+\]\s*$/, '').trim();
    const at = quote.length >= 20 ? body.indexOf(quote) : -1;
    if (at !== -1) return at;
  }
  return likest(body, new Set(contentWords(answer)));
}

/** A line, or a sentence of a longer one. */
const UNIT = /[^\n.!?]*(?:[.!?](?!\s)[^\n.!?]*)*[.!?\n]*/g;

function likest(body: string, words: Set<string>): number {
  let best = 0;
  let at = -1;
  for (const { 0: unit, index } of body.matchAll(UNIT)) {
    const shared = new Set(contentWords(unit).filter((word) => words.has(word))).size;
    if (shared > best) {
      best = shared;
      at = index;
    }
  }
  return at;
}
