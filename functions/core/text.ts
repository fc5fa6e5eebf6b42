/** Whether a database can keep the text: valid Unicode without a NUL character. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** The text as a database can keep it: without NUL characters, halves of surrogate pairs replaced. */
export const toStorable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

export const NOT_STORABLE =
  'must not contain a NUL character or half of a surrogate pair (text that is not valid Unicode)';

/** Line ends as LF and composed characters (NFC), so that the same text always has the same hash. */
export function normalizeText(text: string): string {
  return text.replace(/\r\n?/g, '\n').normalize('NFC');
}

/** One line: every run of white space, line ends included, becomes one blank. Keeps a title from posing as a field. */
export function toSingleLine(text: string): string {
  return normalizeText(text)
    .replace(/[\s\u0085]+/gu, ' ')
    .trim();
}

/** Empty and blank text as null: Oracle stores an empty string so, and both databases must read alike. */
export function blankToNull(text: string | null | undefined): string | null {
  return text === null || text === undefined || text.trim() === '' ? null : text;
}

/** The largest cut position at or before `at` that does not split a surrogate pair. */
export function safeCut(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && at < text.length && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

/** The text cut to `limit` UTF-16 units, with an ellipsis where something was left out. */
export function truncate(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, safeCut(text, limit - 1)).trimEnd()}…`;
}
