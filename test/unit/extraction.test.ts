import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extractText } from '../../functions/ingest/extraction/extract.ts';
import { docxOf, linesOf, paragraph, pdfOf } from '../support/documents.ts';
import { zipOf } from '../support/zip.ts';

const extract = (content: Buffer | string, contentType: string | null = null, name = 'file') =>
  extractText(Buffer.from(content), { contentType, name });

const DOCX = docxOf(paragraph('Hello'));
const PDF = pdfOf([linesOf(['Hello'])]);
const PAGE = '<!DOCTYPE html><title>T</title><p>Hello';

describe('what a file is', () => {
  test.each<[string, Buffer | string, string | null, string, string]>([
    ['a declared type of text', 'a,b', 'text/csv', 'notes.md', 'csv'],
    ['with parameters, in capitals', 'a', 'Text/Markdown; charset="UTF-8"', 'a.txt', 'markdown'],
    ['XHTML', '<p>a</p>', 'application/xhtml+xml', 'a', 'html'],
    ['text/plain, by the ending', '# a', 'text/plain', 'a.MD', 'markdown'],
    ['no type, by the ending', 'a,b', null, 'x/a.csv', 'csv'],
    ['what curl sends by itself', '# a', 'application/x-www-form-urlencoded', 'a.markdown', 'markdown'],
    ['by its looks', PAGE, 'application/octet-stream', 'a', 'html'],
    ['a page saved as PDF', PAGE, null, 'a.pdf', 'html'],
    ['text with a tag', '<b> html', null, 'a', 'text'],
    ['JSON', '{}', 'application/problem+json', 'a', 'text'],
    ['a PDF under another type', PDF, 'text/plain', 'a.txt', 'pdf'],
    ['a PDF behind other bytes', Buffer.concat([Buffer.from('mail\n'), PDF]), null, 'a', 'pdf'],
    ['text about PDF', 'A file begins with %PDF-1.7', 'text/plain', 'a', 'text'],
    ['a Word document under another type', DOCX, 'application/pdf', 'a.pdf', 'docx'],
    ['a name of JavaScript', 'a', 'constructor', 'a.__proto__', 'refused'],
  ])('%s', async (_, content, contentType, name, kind) => {
    const found = await extract(content, contentType, name).then(
      (file) => file.kind,
      () => 'refused',
    );
    expect(found).toBe(kind);
  });

  test.each<[string, Buffer | string, string | null, RegExp]>([
    [
      'PNG',
      Buffer.from('89504e470d0a1a0a0000', 'hex'),
      'text/plain',
      /is a PNG image; taken are text, Markdown, HTML, CSV, PDF and DOCX/,
    ],
    ['gzip', Buffer.from('1f8b0800', 'hex'), 'text/csv', /packed with gzip/],
    ['RTF', '{\\rtf1 Hello}', null, /Rich Text Format/],
    ['DOC', Buffer.from('d0cf11e0a1b11ae100', 'hex'), 'application/msword', /old Office program/],
    ['XLSX', zipOf([{ name: 'xl/workbook.xml', data: Buffer.from('<a/>') }]), null, /Excel workbook/],
    ['a ZIP archive', zipOf([{ name: 'a.txt', data: Buffer.from('a') }]), null, /a ZIP archive/],
    ['a cut ZIP archive', Buffer.from('PK\x03\x04abc'), 'text/plain', /a ZIP archive/],
    [
      'control characters',
      Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
      'text/plain',
      /not text: 2\d of its 256 bytes are control characters/,
    ],
    ['text as PDF', 'Hello', 'application/pdf', /is text and not application\/pdf/],
    ['text as another thing', 'Hello', 'image/svg', /Content-Type is image\/svg/],
  ])('%s is refused with 415', async (_, content, contentType, message) => {
    const refusal = extract(content, contentType);
    await expect(refusal).rejects.toMatchObject({ status: 415, code: 'unsupported_media_type' });
    await expect(refusal).rejects.toThrow(message);
  });
});

describe('text', () => {
  test('is kept but for line ends and composed letters', async () => {
    const file = await extract('a\r\nb\rcafe\u0301 \ufffd', 'text/plain');
    expect(file).toMatchObject({
      text: 'a\nb\ncaf\xe9 \ufffd',
      charset: 'utf-8',
      contentType: 'text/plain',
      textFormat: 'plain',
    });
  });

  test('of any characters is read as it was written, in every Unicode charset', async () => {
    const text = fc
      .string({ unit: 'binary', minLength: 1 })
      .map((drawn) => `text ${drawn.replace(/[\0-\x1f\x7f]/g, '')}`);
    await fc.assert(
      fc.asyncProperty(text, async (written) => {
        const expected = written.normalize('NFC');
        expect((await extract(written)).text).toBe(expected);
        expect((await extract(Buffer.from(`\ufeff${written}`, 'utf16le'))).text).toBe(expected);
        expect((await extract(Buffer.from(written, 'utf16le').swap16(), 'text/plain; charset=utf-16be')).text).toBe(
          expected,
        );
      }),
    );
  });

  test('that is random bytes is refused, or is what they say in UTF-8', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), async (drawn) => {
        const bytes = Buffer.from(drawn);
        const text = await extract(bytes, 'text/plain').then(
          (file) => file.text,
          (error) => {
            expect([415, 422]).toContain(error.status);
            return null;
          },
        );
        if (text !== null && text !== '' && bytes[0] !== 0xff && bytes[0] !== 0xfe)
          expect(text).toBe(bytes.toString().replace('\ufeff', '').replace(/\r\n?/g, '\n').normalize('NFC'));
      }),
    );
  });

  test.each([
    ['# The *plan*  ##\n# Other', 'The *plan*'],
    ['```\n# code\n```\n## Part\n# Real\n', 'Real'],
    ['Leave\n=====\n', 'Leave'],
    ['#hashtag\n==\n', '#hashtag'],
    ['# **Leave** of [`HR`](hr.md)\r\n', 'Leave of HR'],
    ['## Part\n---\ntitle: x\n---\n', null],
    ['---\n# comment\n---\n# Real', 'Real'],
    ['no heading', null],
  ])('of Markdown has a title: %j', async (markdown, title) => {
    expect((await extract(markdown, 'text/markdown')).title).toBe(title);
  });

  test('of CSV is taken with quotes as they are', async () => {
    const csv = 'a,"b\n1,2"3\n';
    expect(await extract(csv, 'text/csv')).toMatchObject({ text: csv, textFormat: 'csv', contentType: 'text/csv' });
  });

  test('is at most 20,000,000 characters', async () => {
    await expect(extract(Buffer.alloc(20_000_001, 'a'))).rejects.toThrow(
      'the text is at most 20000000 characters, got 20000001',
    );
  });
});

test.each<[string, Buffer | string, string | null, RegExp]>([
  ['no bytes', '', 'application/pdf', /^The file is empty$/],
  ['a byte order mark', '\ufeff', null, /blank characters only/],
  ['blanks', ' \n\t\xa0\n', 'text/markdown', /blank characters only/],
  ['a page of scripts', '<html><script>go()</script>', null, /no text besides scripts/],
  ['a scan', pdfOf(['', '', '']), null, /has 3 pages and no text: it is a scan; run it through OCR and send it again/],
  ['a Word document of pictures', docxOf('<w:p/>'), null, /text in pictures/],
])('nothing to index in %s is not an error, and has a reason', async (_, content, contentType, reason) => {
  expect(await extract(content, contentType)).toMatchObject({ text: '', emptyReason: expect.stringMatching(reason) });
});
