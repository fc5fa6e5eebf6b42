import { InvalidInput, UnsupportedMediaType } from '../../core/errors.ts';
import { openZip, ZipFault } from './zip.ts';

/** The kinds of file that text is taken out of. */
export type FileKind = 'text' | 'markdown' | 'html' | 'csv' | 'pdf' | 'docx';

/** The media type that each kind is served with. */
export const MEDIA_TYPES: Record<FileKind, string> = {
  text: 'text/plain',
  markdown: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
};

const DECLARED = new Map<string, FileKind>([
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['text/markdown', 'markdown'],
  ['text/x-markdown', 'markdown'],
  ['text/csv', 'csv'],
  [MEDIA_TYPES.pdf, 'pdf'],
  ['application/x-pdf', 'pdf'],
  [MEDIA_TYPES.docx, 'docx'],
]);

/** What says nothing of the bytes; the last is what curl sends by itself. */
const UNDECLARED = ['', 'application/octet-stream', 'binary/octet-stream', 'application/x-www-form-urlencoded'];

const TEXT_TYPE = /^(?:text\/.*|.*\+(?:json|xml|yaml)|application\/(?:json|xml|yaml|x-yaml|toml|sql|javascript|x-sh))$/;

const ENDINGS = new Map<string, FileKind>([
  ['md', 'markdown'],
  ['markdown', 'markdown'],
  ['html', 'html'],
  ['htm', 'html'],
  ['xhtml', 'html'],
  ['csv', 'csv'],
  ['pdf', 'pdf'],
  ['docx', 'docx'],
]);

/** The first bytes of what is not taken, in hexadecimal, and what it is. */
const SIGNATURES: [string, string][] = [
  ['1f8b', 'a file packed with gzip'],
  ['89504e470d0a1a0a', 'a PNG image'],
  ['ffd8ff', 'a JPEG image'],
  ['474946383761', 'a GIF image'],
  ['474946383961', 'a GIF image'],
  ['7f454c46', 'a program (ELF)'],
  ['377abcaf271c', 'a 7z archive'],
  ['526172211a07', 'a RAR archive'],
  ['fd377a585a00', 'a file packed with xz'],
  ['28b52ffd', 'a file packed with Zstandard'],
  ['7b5c727466', 'a document in Rich Text Format (RTF): save it as DOCX'],
];
const OLE = 'd0cf11e0a1b11ae1';

/** What a ZIP file without a Word document is, by a part that it has. */
const ZIP_KINDS: [RegExp, string][] = [
  [/^xl\//, 'an Excel workbook (XLSX): save its sheets as CSV'],
  [/^ppt\//, 'a PowerPoint presentation (PPTX): save it as PDF'],
  [/^META-INF\/MANIFEST\.MF$/, 'a Java archive (JAR)'],
  [/^META-INF\/container\.xml$/, 'an e-book (EPUB)'],
  [/^content\.xml$/, 'an OpenDocument file: save it as DOCX or PDF'],
];

const TAKEN = 'taken are text, Markdown, HTML, CSV, PDF and DOCX';

/** Of a text, control characters other than blanks, backspace and escape are no more than this share. */
const MAX_CONTROL_SHARE = 0.01;

const notTaken = (what: string): UnsupportedMediaType => new UnsupportedMediaType(`The body is ${what}; ${TAKEN}`);

/** The parts of a Content-Type header, lower case: the media type without parameters, and its charset. */
export function parseContentType(value: string | null): { mediaType: string; charset: string | null } {
  const [mediaType = '', ...parameters] = (value ?? '').split(';');
  const charset = parameters.map((text) => /^\s*charset\s*=\s*"?([^"]*)/i.exec(text)?.[1]?.trim()).find(Boolean);
  return { mediaType: mediaType.trim().toLowerCase(), charset: charset?.toLowerCase() ?? null };
}

/** The kind that a declared media type names, or else the ending of a file's name; null where neither does. */
export function statedKind(mediaType: string, name: string): FileKind | null {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return DECLARED.get(mediaType) ?? ENDINGS.get(ending) ?? null;
}

/**
 * What the bytes are: a PDF, a Word document, or text of a kind that other signs tell.
 * Throws UnsupportedMediaType for anything else, and where text is declared to be something else.
 */
export function detectKind(bytes: Buffer, mediaType: string, isUtf16: boolean): 'pdf' | 'docx' | 'text' {
  if (isPdf(bytes)) return 'pdf';
  if (bytes.toString('latin1', 0, 4) === 'PK\x03\x04' || bytes.toString('latin1', 0, 4) === 'PK\x05\x06') {
    return detectZip(bytes, mediaType);
  }
  const start = bytes.toString('hex', 0, 8);
  if (start === OLE) throw oleFault(bytes);
  const [, signed] = SIGNATURES.find(([signature]) => start.startsWith(signature)) ?? [];
  if (signed !== undefined) throw notTaken(signed);
  if (!isUtf16) refuseBinary(bytes);
  const declared = DECLARED.get(mediaType);
  if (declared === 'pdf' || declared === 'docx') {
    throw new UnsupportedMediaType(`The body is text and not ${mediaType}, as Content-Type says`);
  }
  if (!UNDECLARED.includes(mediaType) && declared === undefined && !TEXT_TYPE.test(mediaType)) {
    throw new UnsupportedMediaType(`Content-Type is ${mediaType.slice(0, 100)}; ${TAKEN}`);
  }
  return 'text';
}

/** Readers of PDF allow for bytes before its mark; a text about PDF has the mark too, and no index at its end. */
function isPdf(bytes: Buffer): boolean {
  const at = bytes.subarray(0, 1024).indexOf('%PDF-');
  return at === 0 || (at > 0 && bytes.subarray(-2048).includes('startxref'));
}

function detectZip(bytes: Buffer, mediaType: string): 'docx' {
  let names: string[];
  try {
    ({ names } = openZip(bytes));
  } catch (error) {
    if (!(error instanceof ZipFault)) throw error;
    // Only a Word document would be unpacked, and only of that is it said why it cannot be.
    if (DECLARED.get(mediaType) !== 'docx' && !bytes.includes('word/document.xml')) throw notTaken('a ZIP archive');
    throw InvalidInput.of([{ field: 'body', fault: `the file is ${error.message}` }]);
  }
  if (names.includes('[Content_Types].xml') && names.includes('word/document.xml')) return 'docx';
  throw notTaken(ZIP_KINDS.find(([part]) => names.some((name) => part.test(name)))?.[1] ?? 'a ZIP archive');
}

/** Word wraps a document with a password in the same container that .doc files are. */
function oleFault(bytes: Buffer): Error {
  if (bytes.includes(Buffer.from('EncryptedPackage', 'utf16le'))) {
    return InvalidInput.of([{ field: 'body', fault: 'the file is protected with a password; send it without one' }]);
  }
  return notTaken('a file of an old Office program (DOC, XLS, PPT) or of Outlook: save it as DOCX or PDF');
}

/** NUL bytes alone are left to the charset, which says what UTF-16 and damaged text need. */
function refuseBinary(bytes: Buffer): void {
  let zeros = 0;
  let controls = 0;
  for (const byte of bytes) {
    if (byte === 0) zeros++;
    else if ((byte < 0x20 && (byte < 0x08 || byte > 0x0d) && byte !== 0x1b) || byte === 0x7f) controls++;
  }
  if (controls > bytes.length * MAX_CONTROL_SHARE)
    throw notTaken(`not text: ${controls} of its ${bytes.length} bytes are control characters`);
  if (zeros > 0 && zeros < bytes.length * 0.2 && controls > 0) throw notTaken('not text: it has NUL bytes');
}
