import { BOUNDARIES, cutAt, headerAt, type Layout, layoutOf, overlapStart } from './cut.ts';
import type { Part, SourceContent } from './kinds/kind.ts';
import { minus, NO_ROOM, narrower, type Room, reach, roomOf, shareOf, sizeOf } from './room.ts';
import { safeCut } from './text.ts';

/** A piece of a text, no longer than the embedding model's window, so that no sentence is invisible to it. */
export interface Passage {
  content: string;
  /** The section it was cut from, from 1; null when the passage is the whole of a short record. */
  section: number | null;
  /** How many UTF-16 units at its beginning stand elsewhere too: the anchor, a table's header, the end of what is before. */
  repeated: number;
  /** The part of a file that it was cut from. */
  part: Part | null;
}

export interface CuttingOptions {
  /** UTF-16 units that the embedding model reads; at least {@link MIN_WINDOW}. */
  window: number;
  /** Code points of a document's section, with what it repeats and without anchor and header. */
  sectionSize: number;
  /** Code points that a section repeats of the one before it, at most; at most half of the size. */
  sectionOverlap: number;
  /** Tokens of a diagnostic's passage, all of it counted, by the estimate of core/tokens.ts. */
  passageTokens: number;
  /** The share of the passage before it that a diagnostic's passage repeats, about; at most half. */
  passageOverlap: number;
}

/** The smallest window that can be cut to: below it, the repeated first line leaves no room for text. */
export const MIN_WINDOW = 200;
export const MIN_SECTION_SIZE = 200;
export const MAX_SECTION_SIZE = 8000;
const MIN_PASSAGE_TOKENS = 50;

/** How full what is cut has to be before a better boundary counts for more than more text (see core/cut.ts). */
const SECTION_FULLNESS = 0.5;
/** So that passages of 500 tokens come out at 300 and more. */
const DIAGNOSTIC_FULLNESS = 0.6;
/** So that a section is not cut into full passages and a few words, which are found by nothing. */
const PASSAGE_REST = 1 / 3;

/**
 * The passages of a source, in order; none where it has nothing to index. Without what they repeat they are its text, to
 * the letter; each has text of its own and is valid Unicode where the text is. A short record is one section; for the
 * sections of a file, see {@link SourceContent}. Linear in the text. RangeError for an option that cannot be cut to.
 */
export function passagesOf(content: SourceContent, options: CuttingOptions): Passage[] {
  checkOptions(options);
  if (content.parts === null) return cutRecord(content.text, options.window);
  const { cutting, parts } = content.parts;
  const cut = cutting === 'document' ? cutDocument : cutDiagnostic;
  let section = 1;
  return parts.flatMap((part) => {
    const passages = cut(part, section, options);
    section = (passages.at(-1)?.section ?? section - 1) + 1;
    return passages;
  });
}

function checkOptions(options: CuttingOptions): void {
  const check = (name: keyof CuttingOptions, min: number, max: number, isWhole = true) => {
    const value = options[name];
    if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return;
    const range = max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new RangeError(`${name} must be a ${isWhole ? 'whole ' : ''}number ${range}, got ${value}`);
  };
  check('window', MIN_WINDOW, Infinity);
  check('sectionSize', MIN_SECTION_SIZE, MAX_SECTION_SIZE);
  check('sectionOverlap', 0, Math.floor(options.sectionSize / 2));
  check('passageTokens', MIN_PASSAGE_TOKENS, Infinity);
  check('passageOverlap', 0, 0.5, false);
}

/** Sections by size, each beginning with the end of the one before it in the part; and their passages. */
function cutDocument(part: Part, firstSection: number, options: CuttingOptions): Passage[] {
  const layout = layoutOf(part.blocks);
  const { text } = layout;
  const cutter = passageCutter(part, layout, roomOf({ units: options.window }));
  const size = roomOf({ codePoints: options.sectionSize });
  const overlap = roomOf({ codePoints: options.sectionOverlap });
  const passages: Passage[] = [];
  let section = firstSection;
  for (let start = 0; start < text.length; section++) {
    const reserve = sizeOf(text.slice(overlapStart(layout, start, overlap), start));
    const end = cutAt(layout, start, text.length, {
      capacityAt: () => size,
      reserve,
      fullness: SECTION_FULLNESS,
      rest: 0,
    });
    let repeat = narrower(overlap, minus(size, sizeOf(text.slice(start, end))));
    while (start < end) {
      const next = cutter(start, end, repeat, SECTION_FULLNESS);
      passages.push({ ...next.passage, section });
      start = next.end;
      repeat = NO_ROOM;
    }
  }
  return passages;
}

/** A part as one section, each of whose passages begins with the end of the one before it. */
function cutDiagnostic(part: Part, section: number, options: CuttingOptions): Passage[] {
  const layout = layoutOf(part.blocks);
  const { text } = layout;
  const cutter = passageCutter(part, layout, roomOf({ units: options.window, tokens: options.passageTokens }));
  const passages: Passage[] = [];
  let repeat = NO_ROOM;
  for (let start = 0; start < text.length; ) {
    const next = cutter(start, text.length, repeat, DIAGNOSTIC_FULLNESS);
    passages.push({ ...next.passage, section });
    repeat = shareOf(sizeOf(text.slice(start, next.end)), options.passageOverlap);
    start = next.end;
  }
  return passages;
}

type PassageCutter = (
  start: number,
  to: number,
  repeat: Room,
  fullness: number,
) => { passage: Omit<Passage, 'section'>; end: number };

/**
 * What makes the passage whose own text begins at `start` and may go to `to`, in front of it as much as fits in `repeat`,
 * and tells where its text ends.
 */
function passageCutter(part: Part, layout: Layout, whole: Room): PassageCutter {
  const { text } = layout;
  const third = shareOf(whole, 1 / 3);
  const anchor =
    part.anchor === '' ? '' : `${part.anchor.slice(0, reach(part.anchor, 0, minus(third, sizeOf('\n'))))}\n`;
  const afterAnchor = minus(whole, sizeOf(anchor));
  const heads = new Map([['', { head: anchor, capacity: afterAnchor }]]);
  const headAt = (position: number) => {
    const header = headerAt(layout, position);
    const known = heads.get(header);
    if (known !== undefined) return known;
    const shown = shorten(header, minus(afterAnchor, third));
    const made = { head: anchor + shown, capacity: minus(afterAnchor, sizeOf(shown)) };
    heads.set(header, made);
    return made;
  };
  const capacityAt = (position: number) => headAt(position).capacity;

  return (start, to, repeat, fullness) => {
    const capacity = capacityAt(start);
    // The other half is for new text.
    const allowed = narrower(repeat, shareOf(capacity, 0.5));
    const reserve = sizeOf(text.slice(overlapStart(layout, start, allowed), start));
    const end = cutAt(layout, start, to, { capacityAt, reserve, fullness, rest: PASSAGE_REST });
    const left = minus(capacity, sizeOf(text.slice(start, end)));
    const from = overlapStart(layout, start, narrower(allowed, left));
    const { head } = headAt(from);
    return { passage: { content: head + text.slice(from, end), repeated: head.length + start - from, part }, end };
  };
}

/** A header that fits in the room, with an ellipsis where something was left out. */
function shorten(header: string, room: Room): string {
  const end = '…\n';
  return reach(header, 0, room) === header.length
    ? header
    : header.slice(0, reach(header, 0, minus(room, sizeOf(end)))) + end;
}

/**
 * Cuts a record's text into passages of at most `window` UTF-16 units. Each but the first repeats the text's first line (the
 * anchor that people cite), shortened where it is long itself. The whole text counts as one section, so that its
 * passages are one hit.
 */
function cutRecord(text: string, window: number): Passage[] {
  if (text.trim() === '') return [];
  if (text.length <= window) return [{ content: text, section: null, repeated: 0, part: null }];

  const anchor = anchorOf(text, Math.floor(window / 3));
  const passages: Passage[] = [];
  let start = 0;
  while (start < text.length) {
    const head = start === 0 ? '' : anchor;
    const room = window - head.length;
    const end = text.length - start <= room ? text.length : start + cutRecordAt(text.slice(start, start + room));
    passages.push({ content: head + text.slice(start, end), section: 1, repeated: head.length, part: null });
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
function cutRecordAt(piece: string): number {
  for (const boundary of BOUNDARIES) {
    let last = 0;
    for (const match of piece.matchAll(boundary)) last = match.index + match[0].length;
    if (last > piece.length / 2) return last;
  }
  const lastUnit = piece.charCodeAt(piece.length - 1);
  const splitsPair = lastUnit >= 0xd800 && lastUnit <= 0xdbff;
  return splitsPair ? piece.length - 1 : piece.length;
}
