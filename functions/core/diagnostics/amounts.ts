/**
 * The number that a report prints: `28,898`, `1.234,5`, `.6`, `0,03`. Of two kinds of sign, the last is the decimal one; a comma
 * before groups of three digits separates thousands. Null where it is none.
 */
export function parseAmount(printed: string): number | null {
  const text = printed.trim();
  if (text.length > 40 || !/^-?(?=[.,]?\d)[\d.,]+$/.test(text)) return null;
  const decimal = decimalSign(text);
  const number = Number([...text].map((sign) => (sign === decimal ? '.' : /[.,]/.test(sign) ? '' : sign)).join(''));
  return Number.isFinite(number) ? number : null;
}

function decimalSign(text: string): '.' | ',' | null {
  const point = text.lastIndexOf('.');
  const comma = text.lastIndexOf(',');
  if (point >= 0 && comma >= 0) return point > comma ? '.' : ',';
  if (comma >= 0) return /^-?\d{1,3}(?:,\d{3})+$/.test(text) ? null : ',';
  return text.indexOf('.') === point ? '.' : null;
}
