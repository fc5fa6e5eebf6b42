import type { Bind, Binds } from '../ports/database.ts';

/**
 * The binds of an IN list. Its length is padded to a power of two by repeating the last value, so that few statement
 * texts exist and the statement caches stay warm.
 */
export function inList(prefix: string, values: Bind[]): { sql: string; binds: Binds } {
  const length = 2 ** Math.ceil(Math.log2(Math.max(1, values.length)));
  const names = Array.from({ length }, (_, i) => `${prefix}${i}`);
  const last = values.at(-1) ?? null;
  return {
    sql: `(${names.map((name) => `:${name}`).join(', ')})`,
    binds: Object.fromEntries(names.map((name, i) => [name, values[i] ?? last])),
  };
}

/** UTC, to the second, as ISO 8601 text: the same expression in both databases. */
export const isoUtc = (column: string) => `TO_CHAR(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** The same to the millisecond, for what is compared and not shown. */
export const isoUtcMillis = (column: string) =>
  `TO_CHAR(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.FF3"Z"')`;

/** Comes before every key: an empty text is null in Oracle, which nothing comes after, and no key begins with a blank. */
export const BEFORE_ALL = ' ';

/** A calendar date as text. */
export const isoDate = (column: string) => `TO_CHAR(${column}, 'YYYY-MM-DD')`;

/** How many passages of its section are shown before a passage that was found, and behind it. */
export const BESIDE = 3;
