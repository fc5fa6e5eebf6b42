import { safeCut } from './text.ts';
import { estimateTokens } from './tokens.ts';

/** How much text there is, or may be at most: in every measure at once, `Infinity` where one does not count. */
export interface Room {
  codePoints: number;
  /** UTF-16 code units: what `length` counts. */
  units: number;
  /** By {@link estimateTokens}. */
  tokens: number;
}

const UNBOUNDED: Room = { codePoints: Infinity, units: Infinity, tokens: Infinity };
export const NO_ROOM: Room = { codePoints: 0, units: 0, tokens: 0 };

/** No character costs so little that more of them make a token. */
const MAX_UNITS_PER_TOKEN = 4;

export const roomOf = (bounds: Partial<Room>): Room => ({ ...UNBOUNDED, ...bounds });

export function sizeOf(text: string): Room {
  let codePoints = 0;
  for (const _ of text) codePoints++;
  return { codePoints, units: text.length, tokens: estimateTokens(text) };
}

const combine = (a: Room, b: Room, of: (a: number, b: number) => number): Room => ({
  codePoints: of(a.codePoints, b.codePoints),
  units: of(a.units, b.units),
  tokens: of(a.tokens, b.tokens),
});

/** What is left of a room, at least none. */
export const minus = (room: Room, used: Room): Room =>
  combine(room, used, (a, b) => (a === Infinity ? Infinity : Math.max(0, a - b)));

export const narrower = (a: Room, b: Room): Room => combine(a, b, Math.min);

export const shareOf = (room: Room, share: number): Room => combine(room, room, (size) => Math.floor(size * share));

/** The largest `end` such that the text from `from` to it fits; never amid a surrogate pair. Linear in the room. */
export function reach(text: string, from: number, room: Room): number {
  let end = Math.min(text.length, from + room.units);
  if (room.codePoints < end - from) {
    let at = from;
    for (let n = 0; n < room.codePoints && at < end; n++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    end = Math.min(end, at);
  }
  const units = largest(Math.min(end - from, room.tokens * MAX_UNITS_PER_TOKEN), room.tokens, (n) =>
    text.slice(from, from + n),
  );
  return safeCut(text, from + units);
}

/** The smallest `start` such that the text from it to `to` fits; never amid a surrogate pair. Linear in the room. */
export function reachBack(text: string, to: number, room: Room): number {
  let start = Math.max(0, to - room.units);
  if (room.codePoints < to - start) {
    let at = to;
    for (let n = 0; n < room.codePoints && at > start; n++) at = safeCut(text, at - 1);
    start = Math.max(start, at);
  }
  const units = largest(Math.min(to - start, room.tokens * MAX_UNITS_PER_TOKEN), room.tokens, (n) =>
    text.slice(to - n, to),
  );
  const at = to - units;
  return safeCut(text, at) < at ? at + 1 : at;
}

/** The largest number of units, at most `max`, whose text is at most so many tokens. */
function largest(max: number, tokens: number, textOf: (units: number) => string): number {
  if (tokens === Infinity || estimateTokens(textOf(max)) <= tokens) return max;
  let fits = 0;
  let tooMany = max;
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (estimateTokens(textOf(middle)) <= tokens) fits = middle;
    else tooMany = middle;
  }
  return fits;
}
