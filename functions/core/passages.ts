import { safeCut } from './text.ts';

/** A piece of a text, no longer than the embedding model's window, so that no sentence is invisible to it. */
export interface Passage {
  content: string;
  /** The section it was cut from; null when the passage is the whole text. */
  section: number | null;
}

/** The smallest window that can be cut to: below it, the repeated first line leaves no room for text. */
export const MIN_WINDOW = 200;

/** Where a text may be cut, best first: after a paragraph, a line, a sentence, a word. */
const BOUNDARIES = [/\n\s*\n/g, /\n/g, /[.!?…]["')\]]*\s+/g, /\s+/g];

/**
 * Cuts a text into passages of at most `window` UTF-16 units. Each but the first repeats the text's first line (the
 * anchor that people cite), shortened where it is long itself. Without those repeated lines, the passages in order
 * are the text, to the letter. The whole text counts as one section, so that its passages are one hit.
 */
export function cutIntoPassages(text: string, window: number): Passage[] {
  if (!Number.isInteger(window) || window < MIN_WINDOW) {
    throw new RangeError(`window must be a whole number of at least ${MIN_WINDOW}, got ${window}`);
  }
  if (text.trim() === '') return [];
  if (text.length <= window) return [{ content: text, section: null }];

  const anchor = anchorOf(text, Math.floor(window / 3));
  const passages: Passage[] = [];
  let start = 0;
  while (start < text.length) {
    const room = passages.length === 0 ? window : window - anchor.length;
    const end = text.length - start <= room ? text.length : start + cutAt(text.slice(start, start + room));
    passages.push({ content: (passages.length === 0 ? '' : anchor) + text.slice(start, end), section: 1 });
    start = end;
  }
  return passages;
}

/** The first line with its line end, at most `limit` units long. */
function anchorOf(text: string, limit: number): string {
  const lineEnd = text.indexOf('\n');
  const first = lineEnd === -1 ? text : text.slice(0, lineEnd);
  return `${first.slice(0, safeCut(first, Math.min(first.length, limit - 1)))}\n`;
}

/**
 * The length of the next passage within `piece`: up to the last boundary of the best kind that lies past the middle,
 * else to the end of the piece.
 */
function cutAt(piece: string): number {
  for (const boundary of BOUNDARIES) {
    let last = 0;
    for (const match of piece.matchAll(boundary)) last = match.index + match[0].length;
    if (last > piece.length / 2) return last;
  }
  const lastUnit = piece.charCodeAt(piece.length - 1);
  const splitsPair = lastUnit >= 0xd800 && lastUnit <= 0xdbff;
  return splitsPair ? piece.length - 1 : piece.length;
}
