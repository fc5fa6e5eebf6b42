/** Families of five digits, of which people and tools leave out leading zeros: ORA-1652 is ORA-01652. */
const PADDED = 'ORA|PLS|TNS|RMAN';
/** Families that are taken for codes with exactly five digits alone. */
const FIVE_DIGITS = 'FRM|DIA|DRG|EXP|IMP|KUP|LRM|UDE|UDI';
/** An error code of Oracle in a regular expression: ORA-600, FRM-40735, APP-FND-01564. Use with `iu`. */
export const CODE_PATTERN =
  `(?:(?:${PADDED})-\\d{1,5}|(?:${FIVE_DIGITS})-\\d{5}|APP-(?:[A-Z]{2,10}-)?\\d{4,6})` +
  // The end of a code, neither within a longer number nor a name.
  '(?![\\p{L}\\p{N}_]|-\\d)';
const CODES = new RegExp(`(?<![\\p{L}\\p{N}_-])${CODE_PATTERN}`, 'giu');
const WRITTEN_LOOSELY = new RegExp(`^(${PADDED})[- ]?0*(\\d{1,5})$`);
const ANY_CODE = /^[A-Z][A-Z0-9]{1,9}(?:-[A-Z0-9]{2,10})?-\d{1,8}$/;

/** How codes are kept: ORA-01652. The number without leading zeros. */
const padded = (prefix: string, number: string) => `${prefix}-${number.padStart(5, '0')}`;

/**
 * A code that somebody names as it is kept, in upper case and with all its digits: `ora 1652` is ORA-01652. Null where it is
 * no code: letters, a hyphen, digits.
 */
export function normalizeErrorCode(text: string): string | null {
  const code = text.trim().toUpperCase();
  const [, prefix, number] = WRITTEN_LOOSELY.exec(code) ?? [];
  if (prefix !== undefined && number !== undefined) return padded(prefix, number);
  return ANY_CODE.test(code) ? code : null;
}

/** Oracle's error codes in a text as they are kept, each once, in the order of the text, at most `max`. */
export function errorCodesIn(text: string, max = 50): string[] {
  const codes = new Set<string>();
  for (const [found] of text.matchAll(CODES)) {
    codes.add(normalizeErrorCode(found) ?? found.toUpperCase());
    if (codes.size === max) break;
  }
  return [...codes];
}

/** Codes in one line for a heading: at most `max`, those that say only where (ORA-06512) last. */
export const codesInShort = (codes: string[], max = 5): string =>
  [...codes.filter((code) => code !== 'ORA-06512'), ...codes.filter((code) => code === 'ORA-06512')]
    .slice(0, max)
    .join(', ');
