import { markdownTitle } from '../../core/documents/markdown.ts';
import { InvalidInput } from '../../core/errors.ts';
import { normalizeText } from '../../core/text.ts';
import { charsetOfMark, decodeText } from './charset.ts';
import type { DocumentReader } from './document.ts';
import { htmlToMarkdown } from './html.ts';
import { detectKind, type FileKind, MEDIA_TYPES, parseContentType, statedKind } from './kind.ts';
import { readDocument } from './read-document.ts';

/** The longest text that a file may have, in characters. */
const MAX_TEXT = 20_000_000;

/** The bytes at a file's beginning where signs of its kind and charset are looked for (HTML, 4.2.5.5). */
const HEAD_BYTES = 1024;

export interface ExtractedText {
  kind: FileKind;
  /** The media type to serve the file with, without a charset. */
  contentType: string;
  /** What a text is written in, as WHATWG names it, lower case; null for PDF and DOCX. */
  charset: string | null;
  /** How the text is to be read: HTML and DOCX become Markdown; the pages of a PDF are separated by form feeds. */
  textFormat: 'plain' | 'markdown' | 'csv';
  /** What the file calls itself: its element `title`, its first heading of the first level, the PDF's title. */
  title: string | null;
  /** Line ends LF, composed (NFC), fit for a database; empty where there is none. */
  text: string;
  /** For an empty text: why, and what can be done about it. */
  emptyReason: string | null;
}

type Reading = Omit<ExtractedText, 'contentType' | 'emptyReason'> & { pages: number | null };

/**
 * The text of a file. The bytes decide what it is; among kinds of text the declared content type, then the name's ending,
 * then its beginning. PDF and DOCX are left to `reader`. Throws UnsupportedMediaType for kinds that are not taken, InvalidInput for what cannot be read.
 */
export async function extractText(
  bytes: Buffer,
  given: { contentType: string | null; name: string },
  reader: DocumentReader = readDocument,
): Promise<ExtractedText> {
  const { mediaType, charset } = parseContentType(given.contentType);
  const stated = statedKind(mediaType, given.name);
  const reading = bytes.length === 0 ? emptyReading(stated) : await read(bytes, { mediaType, charset, stated }, reader);
  const text = normalizeText(reading.text);
  if (text.length > MAX_TEXT) {
    const fault = `the text is at most ${MAX_TEXT} characters, got ${text.length}${reading.kind === 'pdf' ? ' or more' : ''}`;
    throw InvalidInput.of([{ field: 'body', fault }]);
  }
  const isEmpty = text.trim() === '';
  const { kind, textFormat, title } = reading;
  return {
    kind,
    contentType: MEDIA_TYPES[kind],
    charset: reading.charset,
    textFormat,
    title,
    text: isEmpty ? '' : text,
    emptyReason: isEmpty ? emptyReason(bytes, kind, reading.pages) : null,
  };
}

const emptyReading = (stated: FileKind | null): Reading => ({
  kind: stated ?? 'text',
  charset: stated === 'pdf' || stated === 'docx' ? null : 'utf-8',
  textFormat: 'plain',
  title: null,
  text: '',
  pages: null,
});

async function read(
  bytes: Buffer,
  { mediaType, charset, stated }: { mediaType: string; charset: string | null; stated: FileKind | null },
  reader: DocumentReader,
): Promise<Reading> {
  const isUtf16 = (charsetOfMark(bytes) ?? charset)?.startsWith('utf-16') === true;
  const found = detectKind(bytes, mediaType, isUtf16);
  if (found !== 'text') {
    const document = await reader(found, bytes, MAX_TEXT);
    return { kind: found, charset: null, textFormat: found === 'pdf' ? 'plain' : 'markdown', ...document };
  }
  const head = bytes.toString('latin1', 0, HEAD_BYTES);
  const isHtml = stated === 'html' || looksLikeHtml(head);
  const decoded = decodeText(bytes, charset ?? (isHtml ? charsetInside(head) : null));
  return { charset: decoded.charset, pages: null, ...readText(decoded.text, stated) };
}

function readText(text: string, stated: FileKind | null): Omit<Reading, 'charset' | 'pages'> {
  if (stated === 'html' || ((stated === null || stated === 'pdf' || stated === 'docx') && looksLikeHtml(text))) {
    const { title, markdown } = htmlToMarkdown(text);
    return { kind: 'html', textFormat: 'markdown', title, text: markdown };
  }
  if (stated === 'markdown')
    return { kind: 'markdown', textFormat: 'markdown', title: markdownTitle(normalizeText(text)), text };
  if (stated === 'csv') return { kind: 'csv', textFormat: 'csv', title: null, text };
  return { kind: 'text', textFormat: 'plain', title: null, text };
}

/** Whether it begins with a tag, and soon is called HTML. */
function looksLikeHtml(text: string): boolean {
  const head = text.slice(0, HEAD_BYTES).trimStart().toLowerCase();
  return head.startsWith('<') && /<(?:!doctype\s+html|html)[\s>]/.test(head);
}

/** The charset that HTML names in its beginning: as XML, or in an element `meta`. */
function charsetInside(head: string): string | null {
  const label =
    /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([^"']+)/i.exec(head)?.[1] ??
    /<meta[^>]*[\s"';]charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(head)?.[1];
  // Whoever can read this in bytes does not read UTF-16 (HTML, 13.2.3.2).
  return label === undefined || /^utf-?16/i.test(label) ? null : label.toLowerCase();
}

function emptyReason(bytes: Buffer, kind: FileKind, pages: number | null): string {
  if (bytes.length === 0) return 'The file is empty';
  if (kind === 'pdf') {
    const size = pages === 1 ? '1 page' : `${pages ?? 0} pages`;
    return `The PDF has ${size} and no text: it is a scan; run it through OCR and send it again`;
  }
  if (kind === 'docx') return 'The document has no text; text in pictures must be run through OCR, and sent again';
  if (kind === 'html')
    return 'The page has no text besides scripts, styles and navigation; send a page with its text in it';
  return 'The file has blank characters only';
}
