import { toSingleLine, truncate } from '../text.ts';

/** A heading as it is shown: longer ones are shortened, so that six of them are a path of less than 1,000 characters. */
const MAX_HEADING = 150;
/** What is looked at of a heading's line. */
const MAX_LINE = 1000;

export interface Heading {
  /** 1 for the outermost. */
  level: number;
  text: string;
  /** How many lines it takes: two where it is underlined. */
  lines: number;
}

const ATX = /^ {0,3}(#{1,6})[ \t]/;
const UNDERLINE = /^ {0,3}(={2,}|-{2,})[ \t]*$/;
/** What begins a line that no underline makes a heading: code, an item, a quotation, a table, markup. */
const NO_PARAGRAPH = /^(?: {4}|\t| {0,3}(?:[>|<]|[-*+][ \t]|\d{1,9}[.)][ \t]))/;

/**
 * The Markdown heading that begins at a line: `# Title` to `######`, or a line that stands by itself (`isFresh`: no text
 * right above it) and is underlined. Null where there is none.
 */
export function headingAt(lines: string[], index: number, isFresh: boolean): Heading | null {
  const line = (lines[index] ?? '').slice(0, MAX_LINE);
  const marks = ATX.exec(line)?.[1];
  if (marks !== undefined) {
    const text = plainText(
      line
        .trim()
        .slice(marks.length)
        .replace(/[ \t]#+$/, ''),
    );
    return text === '' ? null : { level: marks.length, text, lines: 1 };
  }
  if (!isFresh || !/[\p{L}\p{N}]/u.test(line) || NO_PARAGRAPH.test(line)) return null;
  const underline = UNDERLINE.exec((lines[index + 1] ?? '').slice(0, MAX_LINE).trimEnd())?.[1];
  if (underline === undefined) return null;
  return { level: underline.startsWith('=') ? 1 : 2, text: plainText(line), lines: 2 };
}

/** A heading without the marks of links, emphasis, code and markup, shortened where it is long. */
export function plainText(heading: string): string {
  const text = heading
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/<\/?[a-zA-Z][^<>]*>/g, '')
    .replace(/\*\*|__|`/g, '');
  return truncate(toSingleLine(text), MAX_HEADING);
}
