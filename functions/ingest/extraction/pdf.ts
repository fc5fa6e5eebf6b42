import { InvalidInput } from '../../core/errors.ts';
import { toSingleLine } from '../../core/text.ts';

const MAX_PAGES = 2000;

/** Lines further apart than this, in heights of their letters, are of two paragraphs. */
const PARAGRAPH_GAP = 1.6;

/** A title that a program made up: the name of a file, or of a document without a name. */
const NO_TITLE =
  /\.[a-z]{2,5}$|^(?:untitled|sin t[ií]tulo|(?:document|documento|presentation|presentación)\d*$)|^microsoft word - /i;

export interface PdfText {
  title: string | null;
  /** Each page's text, without what databases cannot keep. */
  pages: string[];
}

/**
 * The text of a PDF by pages, lines as they stand, a blank line between paragraphs. `maxCharacters`: reading stops with
 * the page that goes over it. The bytes are taken over, and written to. Throws InvalidInput where the PDF is broken, protected with a password, or too long.
 */
export async function readPdf(bytes: Uint8Array, maxCharacters: number): Promise<PdfText> {
  const { getDocumentProxy } = await import('unpdf');
  try {
    const pdf = await getDocumentProxy(bytes, { verbosity: 0, isEvalSupported: false });
    try {
      if (pdf.numPages > MAX_PAGES) throw refused(`the PDF has ${pdf.numPages} pages, at most ${MAX_PAGES} are taken`);
      const { info } = await pdf.getMetadata();
      const pages: string[] = [];
      for (let characters = 0; pages.length < pdf.numPages && characters <= maxCharacters; ) {
        const page = await pdf.getPage(pages.length + 1);
        const { items } = await page.getTextContent();
        page.cleanup();
        const text = pageText(items);
        characters += text.length;
        pages.push(text);
      }
      return { title: usableTitle(info), pages };
    } finally {
      await pdf.destroy();
    }
  } catch (error) {
    if (error instanceof InvalidInput) throw error;
    const isProtected = error instanceof Error && error.name === 'PasswordException';
    const fault = isProtected
      ? 'the PDF is protected with a password; send it without one'
      : 'the PDF is broken and cannot be read';
    throw Object.assign(refused(fault), { cause: error });
  }
}

const refused = (fault: string): InvalidInput => InvalidInput.of([{ field: 'body', fault }]);

/** A run of characters, as pdf.js gives it: blanks between words are runs of their own; marks of structure have none. */
type Item = { str: string; hasEOL: boolean; height: number; transform: number[] } | { type: string };

function pageText(items: Item[]): string {
  let text = '';
  /** Of the line before: where it stands, and the height of its letters. */
  let last: { y: number; height: number } | null = null;
  let isStart = true;
  for (const item of items) {
    if (!('str' in item)) continue;
    const y = item.transform[5] ?? 0;
    if (item.str.trim() !== '') {
      if (isStart && last !== null && Math.abs(last.y - y) > PARAGRAPH_GAP * Math.max(last.height, item.height))
        text += '\n';
      last = { y, height: item.height };
      isStart = false;
    }
    text += item.str;
    if (item.hasEOL) {
      text = `${text.trimEnd()}\n`;
      isStart = true;
    }
  }
  // Fonts without a table of characters leave control characters and halves of pairs.
  return text.replace(/[\0-\x08\x0b-\x1f\x7f]|\p{Surrogate}/gu, '').trimEnd();
}

function usableTitle(info: object): string | null {
  const title =
    'Title' in info && typeof info.Title === 'string'
      ? toSingleLine(info.Title.toWellFormed().replaceAll('\0', ''))
      : '';
  return title === '' || NO_TITLE.test(title) ? null : title;
}
