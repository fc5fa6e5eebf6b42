import { splitInlineCode, splitLines } from './markdown.ts';
import { type CitableSource, IN_PARENTHESES, MAX_MARKER, type Marker, parseMarker } from './marker.ts';

export interface CheckedAnswer {
  /** The answer with each marker that holds as [n], several of one place as [1][2], and without those that do not. */
  answer: string;
  /** The numbers of the sources that are really cited, ascending. */
  cited: number[];
  /** What was removed, as it was written: "9", "TASK #99". Each once. */
  removed: string[];
}

/** A stretch of a line. Code is kept, whatever it holds. */
type Piece = string | { code: string } | Marker;

/** What a removal leaves may read as a marker anew, or as code; more rounds than this no answer needs. */
const MAX_ROUNDS = 5;

/**
 * Checks every citation of an answer against its sources. Markers of all usual shapes (see {@link parseMarker}) become [n];
 * several of one place, ascending and each once, [1][2]. What names no source goes. Left as they are: code, links,
 * brackets around words, subscripts (`array[0]`; `rows[9]`, `list()[9]` where 9 is no source) and years.
 */
export function checkCitations(answer: string, sources: CitableSource[]): CheckedAnswer {
  const removed = new Set<string>();
  let text = trimLines(answer);
  let cited = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    cited = new Set();
    const lines = splitLines(text).map((line) =>
      line.isCode ? line.text : checkLine(line.text, sources, cited, removed),
    );
    const checked = trimLines(lines.join(''));
    if (checked === text) break;
    text = checked;
  }
  return { answer: text, cited: [...cited].sort((a, b) => a - b), removed: [...removed] };
}

/** Without blanks around it; an indentation that makes the first line code stays. */
const trimLines = (text: string): string => text.trimEnd().replace(/^(?:\s*\n)?(?: {1,3}(?=\S))?/, '');

function checkLine(line: string, sources: CitableSource[], cited: Set<number>, removed: Set<string>): string {
  const body = line.replace(/\n$/, '');
  const pieces = readPieces(body, sources);
  if (!pieces.some(isMarker)) return line;
  const out: string[] = [];
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i];
    if (piece === undefined) break;
    if (!isMarker(piece)) {
      out.push(typeof piece === 'string' ? piece : piece.code);
      continue;
    }
    const place = [piece];
    for (let next = nextMarker(pieces, i); next !== null; next = nextMarker(pieces, i)) {
      place.push(next.marker);
      i = next.at;
    }
    for (const written of place.flatMap(({ invented }) => invented)) removed.add(written);
    const numbers = [...new Set(place.flatMap(({ valid }) => valid))].sort((a, b) => a - b);
    for (const n of numbers) cited.add(n);
    if (numbers.length > 0) out.push(numbers.map((n) => `[${n}]`).join(''));
    else closeGap(out, pieces, i + 1);
  }
  return out.join('') + line.slice(body.length);
}

const isMarker = (piece: Piece): piece is Marker => typeof piece === 'object' && 'valid' in piece;

/** The marker of the same place: behind it at once, or with blanks and a comma between. */
function nextMarker(pieces: Piece[], at: number): { marker: Marker; at: number } | null {
  const [next, afterNext] = [pieces[at + 1], pieces[at + 2]];
  if (next !== undefined && isMarker(next)) return { marker: next, at: at + 1 };
  const isBetween = typeof next === 'string' && /^[ \t]*[,;]?[ \t]*$/.test(next);
  return isBetween && afterNext !== undefined && isMarker(afterNext) ? { marker: afterNext, at: at + 2 } : null;
}

/** Makes good where a marker was taken out between `out` and the piece at `next`: blanks, empty parentheses, commas. */
function closeGap(out: string[], pieces: Piece[], next: number): void {
  const written = out.at(-1) ?? '';
  const piece = pieces[next];
  let after = typeof piece === 'string' ? piece : '';
  let before = written.trimEnd();
  if (before.endsWith('(') && /^\s*\)/.test(after)) {
    before = before.slice(0, -1).trimEnd();
    after = after.replace(/^\s*\)/, '');
  }
  if (out.length <= 1 && /^\s*(?:[-*+>#]+|\d{1,9}[.)])?$/.test(before)) {
    // At the start of a line, or of a list's item.
    before = written;
    after = after.replace(/^[ \t]*[:.,–—]?[ \t]*/, '');
  } else if (/[,;]$/.test(before) && /^\s*[,;.]/.test(after)) before = before.slice(0, -1);
  else if (/[\p{L}\p{N}]$/u.test(before) && /^[\p{L}\p{N}]/u.test(after)) after = ` ${after}`;
  if (out.length > 0) out[out.length - 1] = before;
  if (typeof piece === 'string') pieces[next] = after;
}

const BRACKET = /[[\]【】［］]/g;
const LINK = /\([^\s()]{0,500}\)/y;
const ADDRESS = /^\((?:[a-z]+:|www\.|[#/.])/i;

/** A line as text, code and markers. Each bracket is looked at once, with the little that stands in it. */
function readPieces(line: string, sources: CitableSource[]): Piece[] {
  const pieces: Piece[] = [];
  const open: number[] = [];
  for (const { text: written, isCode } of splitInlineCode(line)) {
    if (isCode) {
      pieces.push({ code: written });
      continue;
    }
    const text = written.replace(IN_PARENTHESES, (whole, inner: string) =>
      parseMarker(inner, sources) === null ? whole : `[${inner}]`,
    );
    let done = 0;
    for (const { 0: bracket, index } of text.matchAll(BRACKET)) {
      if (index < done) continue;
      if (index > done) pieces.push(text.slice(done, index));
      done = index + 1;
      if ('[【［'.includes(bracket)) {
        open.push(pieces.length);
        pieces.push(bracket);
        continue;
      }
      const start = open.pop();
      LINK.lastIndex = done;
      const link = start === undefined ? undefined : LINK.exec(text)?.[0];
      const marker = start === undefined ? null : readMarker(pieces, start, sources);
      if (marker === null || start === undefined) {
        pieces.push(bracket + (link ?? ''));
        done += link?.length ?? 0;
        continue;
      }
      pieces.length = start;
      const before = pieces.at(-1);
      if (typeof before === 'string' && before.endsWith('\\')) pieces[pieces.length - 1] = before.slice(0, -1);
      pieces.push(marker);
      if (link !== undefined && ADDRESS.test(link)) done += link.length;
    }
    if (done < text.length) pieces.push(text.slice(done));
  }
  return pieces;
}

/** The marker that the pieces from the bracket at `start` make; null where they are prose. */
function readMarker(pieces: Piece[], start: number, sources: CitableSource[]): Marker | null {
  if (pieces.length - start > MAX_MARKER) return null;
  const content = pieces.slice(start + 1);
  const markers = content.filter(isMarker);
  if (content.some((piece) => typeof piece === 'object' && 'code' in piece)) return null;
  const text = content
    .filter((piece) => typeof piece === 'string')
    .join('')
    .replace(/\\$/, '');
  const isWrapper = markers.length > 0 && /^[\s,;]*$/.test(text);
  if (!isWrapper && markers.some(({ valid }) => valid.length > 0)) return null;
  const own = isWrapper ? { valid: [], invented: [] } : parseMarker(text, sources);
  if (own === null) return null;
  const marker = {
    valid: [...markers.flatMap(({ valid }) => valid), ...own.valid],
    invented: [...markers.flatMap(({ invented }) => invented), ...own.invented],
  };
  const before = pieces[start - 1];
  return typeof before === 'string' && isSubscript(before, marker) ? null : marker;
}

/** Names of what code has many of; a sentence seldom ends with one of them and a marker at once. */
const COLLECTION =
  /^(?:rows?|cols?|columns?|cells?|items?|elements?|elems?|entries|lists?|values?|vals?|keys?|nodes?|tokens?|bytes?|buf|buffer|data|dict|map|tuples?|stack|queue|params?|str|nums?|objs?|foo|bar|baz)$/;

/**
 * Whether brackets behind a word are code's: behind `array` or `x` always; unless they name a source, behind a call, `conf.list` or
 * `rows`; and [0] behind any word, since code counts from there.
 */
function isSubscript(before: string, { valid, invented }: Marker): boolean {
  if (valid.length === 0 && before.endsWith(')')) return true;
  const [word] = /[\p{L}\p{N}_$.:/\\'’-]*[\p{L}\p{N}_$]$/u.exec(before.slice(-60)) ?? [];
  if (word === undefined) return false;
  if (/^(?:array|arr|matrix|vector|tuple|argv|args|[a-z])$/.test(word)) return true;
  if (valid.length > 0) return false;
  return invented.join() === '0' || COLLECTION.test(word) || /[_$/\\]|\p{L}\.\p{L}|\p{Ll}\p{Lu}/u.test(word);
}
