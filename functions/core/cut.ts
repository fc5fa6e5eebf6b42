import type { Block } from './blocks.ts';
import { minus, type Room, reach, reachBack } from './room.ts';

/** A block's place in the text. */
interface Span {
  kind: Block['kind'];
  start: number;
  end: number;
  /** What text that begins amid the span is preceded by; '' for nothing. */
  header: string;
  /** Whether the span begins with its header, and so needs none where it begins. */
  opens: boolean;
  /** Whether it goes on with the rows of the span before it. */
  continues: boolean;
}

/** The text of blocks, and where each stands in it. */
export interface Layout {
  text: string;
  spans: Span[];
}

/** Where text may be cut, best first: after a paragraph, a line, a sentence, a word. */
export const BOUNDARIES = [/\n\s*\n/g, /\n/g, /[.!?…]["'”’»)\]]*\s+|[。！？][”’」』）]*/g, /\s+/g];
/** The first so many of them are ends of lines, where rows may be cut too. */
const LINE_ENDS = 2;

/**
 * The layout of blocks. A table's header is kept with the first row behind it, so that no passage ends in a header
 * without rows.
 */
export function layoutOf(blocks: Block[]): Layout {
  const spans: Span[] = [];
  let start = 0;
  for (const { text, kind, header = '' } of blocks) {
    const end = start + text.length;
    const opens = header !== '' && text.startsWith(header);
    const span: Span = { kind, start, end, header, opens, continues: false };
    if (kind === 'rows' && opens) {
      const firstRowEnd = start + (text.indexOf('\n', header.length) + 1 || text.length);
      spans.push({ ...span, kind: 'whole', end: firstRowEnd });
      spans.push({ ...span, start: firstRowEnd, opens: false, continues: true });
    } else spans.push(span);
    start = end;
  }
  return { text: blocks.map((block) => block.text).join(''), spans: spans.filter((span) => span.start < span.end) };
}

/** What text that begins at `position` is preceded by: the header of the table that it begins amid, else ''. */
export function headerAt({ spans }: Layout, position: number): string {
  const span = spans[spanIndexAt(spans, position)];
  return span === undefined || (span.opens && span.start === position) ? '' : span.header;
}

/** The index of the span that holds the position. */
function spanIndexAt(spans: Span[], position: number): number {
  let low = 0;
  let high = spans.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.start ?? 0) <= position) low = middle;
    else high = middle;
  }
  return low;
}

export interface CutRules {
  /** The room for text that begins at a position. */
  capacityAt: (position: number) => Room;
  /** How much of the room is wanted for text that is repeated. Given up where a row or a whole block needs it. */
  reserve: Room;
  /** The share of the room that is to be filled: before it, there is no cut at a better boundary. */
  fullness: number;
  /**
   * The share of the text that is left for later, at least, where there is a boundary for it: so the last piece is no
   * scrap. A paragraph may be left by itself.
   */
  rest: number;
}

/** Where the text from one position to another may be cut. */
interface Places {
  /** Beginnings of blocks, each with the rank of the boundary that it counts as. */
  blockStarts: { position: number; rank: number }[];
  /** Stretches, each with how many of the boundaries it may be cut at, best first. */
  stretches: { start: number; end: number; ranks: number }[];
  /** What reaches over the end and is not to be cut: a row or a block. */
  kept: { start: number; end: number } | null;
}

/**
 * Where the text that begins at `from` and may go to `to` is cut: at the last boundary of the best kind that lies behind
 * the fullness wanted; the beginning of a block counts as that of a paragraph. A row, or a block that is whole, is cut
 * only where it is longer than the room it would have by itself. Always behind `from`. Linear in the room.
 */
export function cutAt(layout: Layout, from: number, to: number, rules: CutRules): number {
  const { text } = layout;
  const end = reach(text, from, minus(rules.capacityAt(from), rules.reserve));
  if (end >= to) return to;
  const least = from + (end - from) * rules.fullness;
  const most = Math.floor(to - (to - from) * rules.rest);
  const places = placesOf(layout, from, end, to, rules);
  const boundary = lastBoundary(text, places, least, end, most) ?? lastBoundary(text, places, least, end, end);
  if (boundary !== null) return boundary;
  const { kept } = places;
  if (kept === null) return end;
  return kept.start > from ? kept.start : kept.end;
}

function placesOf({ text, spans }: Layout, from: number, end: number, to: number, { capacityAt }: CutRules): Places {
  const places: Places = { blockStarts: [], stretches: [], kept: null };
  const allow = (start: number, stop: number, ranks: number) => places.stretches.push({ start, end: stop, ranks });
  for (let i = spanIndexAt(spans, from); i < spans.length; i++) {
    const span = spans[i];
    if (span === undefined || span.start > end) break;
    places.blockStarts.push({ position: span.start, rank: span.continues ? 1 : 0 });
    const start = Math.max(from, span.start);
    const stop = Math.min(to, span.end);
    if (span.kind === 'prose') allow(start, Math.min(end, stop), BOUNDARIES.length);
    else if (stop <= end) {
      if (span.kind === 'rows') allow(start, stop, LINE_ENDS);
    } else if (span.kind === 'whole' && stop <= reach(text, start, capacityAt(start))) {
      places.kept = { start, end: stop };
    } else {
      allow(start, end, LINE_ENDS);
      const line = start + text.slice(start, end).lastIndexOf('\n') + 1;
      if (line === end) continue;
      const lineEnd = lineEndAt(text, end, stop, reach(text, line, capacityAt(line)));
      if (lineEnd === null) allow(line, end, BOUNDARIES.length);
      else places.kept = { start: line, end: lineEnd };
    }
  }
  return places;
}

/** The last boundary of the best kind behind `least`: a paragraph's up to `end`, others up to `most`; null for none. */
function lastBoundary(text: string, places: Places, least: number, end: number, most: number): number | null {
  for (const [rank, boundary] of BOUNDARIES.entries()) {
    const limit = rank === 0 ? end : most;
    const starts = places.blockStarts.filter((start) => start.rank === rank && start.position <= limit);
    let last = starts.at(-1)?.position ?? 0;
    for (const stretch of places.stretches) {
      if (rank >= stretch.ranks) continue;
      for (const match of text.slice(stretch.start, Math.min(stretch.end, limit)).matchAll(boundary)) {
        last = Math.max(last, stretch.start + match.index + match[0].length);
      }
    }
    if (last > least) return last;
  }
  return null;
}

/** The end of the line that `position` stands in, or of the block (`stop`); null where it lies behind `limit`. */
function lineEndAt(text: string, position: number, stop: number, limit: number): number | null {
  const lineFeed = text.slice(position, Math.min(stop, limit)).indexOf('\n');
  if (lineFeed !== -1) return position + lineFeed + 1;
  return stop <= limit ? stop : null;
}

/**
 * Where the text begins that is repeated before `at`: as much as fits in the room, from the beginning of a word in prose,
 * of a line in rows, of the block where it is whole; never so that it needs a header that the text at `at` does not, or
 * lacks the one that it does. `at` itself where nothing can be repeated.
 */
export function overlapStart(layout: Layout, at: number, room: Room): number {
  const { text, spans } = layout;
  const lowest = reachBack(text, at, room);
  const header = headerAt(layout, at);
  for (let i = spanIndexAt(spans, lowest); i < spans.length; i++) {
    const span = spans[i];
    if (span === undefined || span.start >= at) break;
    const start = startWithin(text, span, Math.max(lowest, span.start), at);
    if (start === null) continue;
    const shows = span.opens && start === span.start ? span.header : headerAt(layout, start);
    if (header !== '' ? shows !== header : headerAt(layout, start) !== '') continue;
    return text.slice(start, at).trim() === '' ? at : start;
  }
  return at;
}

/** The first position from `from` where text of the span that is repeated before `at` may begin. */
function startWithin(text: string, span: Span, from: number, at: number): number | null {
  const end = Math.min(at, span.end);
  if (from >= end) return null;
  if (from === span.start) return from;
  if (span.kind === 'whole' && span.end <= at) return null;
  // Neither begins with an empty line.
  const boundary = span.kind === 'prose' ? /\s+/ : /\n(?:[^\S\n]*\n)*/;
  const match = boundary.exec(text.slice(from - 1, end));
  const start = match === null ? end : from - 1 + match.index + match[0].length;
  if (start < end) return start;
  return span.kind === 'prose' && span.end >= at ? from : null;
}
