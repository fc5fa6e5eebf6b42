import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { extractText } from '../../functions/ingest/extraction/extract.ts';
import { megabytesFor, workerReader } from '../../functions/ingest/extraction/worker-reader.ts';
import { bundle } from '../../scripts/build.ts';
import { docxOf, linesOf, paragraph, pdfOf } from '../support/documents.ts';
import { zipOf } from '../support/zip.ts';

const extract = (bytes: Buffer, contentType: string | null = null) => extractText(bytes, { contentType, name: 'file' });

describe('a Word document', () => {
  test('is Markdown with its title, headings, tables and notes of pictures', async () => {
    const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`;
    const row = (...texts: string[]) => `<w:tr>${texts.map(cell).join('')}</w:tr>`;
    const body = [
      paragraph('Leave', 'Title'),
      paragraph('Who &amp; when', 'Heading1'),
      '<w:p><w:r><w:t xml:space="preserve">Ten </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>days</w:t><w:br/><w:t>a year</w:t></w:r></w:p>',
      `<w:tbl>${row('Role', 'Days')}${row('Dev', '10')}</w:tbl>`,
    ];
    expect(await extract(docxOf(body.join('')))).toEqual({
      kind: 'docx',
      contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      charset: null,
      textFormat: 'markdown',
      title: 'Leave',
      text: '# Leave\n\n# Who & when\n\nTen days\na year\n\n| Role | Days |\n| --- | --- |\n| Dev | 10 |',
      emptyReason: null,
    });
  });

  const part = (data: Buffer | string, name = 'word/media/a.bin') => ({ name, data: Buffer.from(data) });
  /** A document whose text is these bytes, in the charset that its declaration names. */
  const written = (charset: string, text: Buffer | string) => {
    const [start = '', end = ''] =
      `<?xml version="1.0" encoding="${charset}"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${paragraph('|')}</w:body></w:document>`.split(
        '|',
      );
    const data = Buffer.concat([Buffer.from(start), Buffer.from(text), Buffer.from(end)]);
    return zipOf([part('<Types/>', '[Content_Types].xml'), part(data, 'word/document.xml')]);
  };

  test.each<[string, Buffer, string]>([
    ['the charset that it declares', written('windows-1252', Buffer.from([0x80, 0xe9, 0x92])), '€é’'],
    ['UTF-8, and has U+FFFD itself', written('UTF-8', 'é\ufffd'), 'é\ufffd'],
    ['references, some of them to no character', written('UTF-8', 'a&#0;b&#xD800;c&#x20AC;'), 'abc€'],
  ])('is read by %s', async (_, bytes, text) => {
    expect((await extract(bytes)).text).toBe(text);
  });

  const encrypted = docxOf(paragraph('a'));
  for (let at = encrypted.indexOf('PK\x01\x02'); at !== -1; at = encrypted.indexOf('PK\x01\x02', at + 1))
    encrypted[at + 8] = 1;

  test.each<[string, Buffer, RegExp]>([
    ['cut off', docxOf(paragraph('a')).subarray(0, -30), /the file is broken/],
    ['not XML', zipOf([part('', '[Content_Types].xml'), part('<w', 'word/document.xml')]), /the document is broken/],
    [
      'not in the charset that it declares',
      written('UTF-8', Buffer.from([0x80, 0xe9])),
      /part word\/document\.xml is not written in UTF-8, as it should be; open it in Word and save it again/,
    ],
    ['in an unknown charset', written('klingon', 'a'), /part word\/document\.xml is not written in klingon/],
    ['encrypted', encrypted, /protected with a password/],
    [
      'protected by Word',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
      /protected with a password/,
    ],
    [
      'a bomb',
      docxOf('', [{ ...part(Buffer.alloc(2_000_000)), deflate: true }]),
      /word\/media\/a\.bin is packed to less than 1\/200/,
    ],
    [
      'a bomb that says it is small',
      docxOf('', [{ ...part(Buffer.alloc(3_000_000), 'word/numbering.xml'), deflate: true, claims: { size: 1000 } }]),
      /part word\/numbering\.xml cannot be unpacked/,
    ],
    [
      'large unpacked',
      docxOf('', [
        { ...part('a'), claims: { size: 0 } },
        ...Array.from({ length: 6 }, (_, i) => ({
          ...part(Buffer.alloc(100_000), `${i}`),
          claims: { size: 19_000_000 },
        })),
      ]),
      /its parts are 11\d{7} bytes, at most 100000000/,
    ],
    [
      'of many parts',
      docxOf(
        '',
        Array.from({ length: 10_000 }, (_, i) => part('', `${i}`)),
      ),
      /it has 10003 parts, at most 10000/,
    ],
    [
      'of many tags',
      docxOf(Array.from({ length: 101_000 }, (_, i) => `<w:p a="${(i * 7919).toString(36)}"/><w:p/><w:p/>`).join('')),
      /more than 300000 XML tags/,
    ],
    [
      'nested deeply',
      docxOf(
        `${Array.from({ length: 50_000 }, (_, i) => `<w:ins a="${i * 7919}">`).join('')}${'</w:ins>'.repeat(50_000)}`,
      ),
      /the document is broken/,
    ],
  ])('that is %s is refused', async (_, bytes, message) => {
    const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    const refusal = extract(bytes, type);
    await expect(refusal).rejects.toMatchObject({ status: 422, faults: [{ field: 'body' }] });
    await expect(refusal).rejects.toThrow(message);
  });
});

describe('a PDF', () => {
  test('is its lines and paragraphs, page by page', async () => {
    const pages = [linesOf(['First line', 'second line', '', 'New para-', 'graph']), '', linesOf(['Page three'])];
    expect(await extract(pdfOf(pages, { title: 'Leave policy', deflate: true }))).toEqual({
      kind: 'pdf',
      contentType: 'application/pdf',
      charset: null,
      textFormat: 'plain',
      title: 'Leave policy',
      text: 'First line\nsecond line\n\nNew para-\ngraph\f\fPage three',
      emptyReason: null,
    });
  });

  test.each(['', 'Untitled', 'Microsoft Word - leave.doc', 'leave_v2.docx', 'Documento1'])(
    'is not called %j',
    async (title) => {
      expect((await extract(pdfOf([linesOf(['a'])], { title }))).title).toBeNull();
    },
  );

  test('with words apart has them apart', async () => {
    const page = 'BT /F1 12 Tf 72 700 Td (Ten) Tj 40 0 Td (days) Tj ET BT /F1 12 Tf 72 690 Td [(a) -600 (year)] TJ ET';
    expect((await extract(pdfOf([page]))).text).toBe('Ten days\na year');
  });

  const encryption =
    '/Encrypt << /Filter /Standard /V 1 /R 2 /O (01234567890123456789012345678901) /U (01234567890123456789012345678901) /P -4 >> /ID [(0123456789012345) (0123456789012345)] ';
  test.each<[string, Buffer, RegExp]>([
    ['protected', pdfOf([linesOf(['a'])], { trailer: encryption }), /^body: the PDF is protected with a password/],
    ['broken', Buffer.from('%PDF-1.7\nnothing'), /^body: the PDF is broken and cannot be read/],
    ['too long', pdfOf(Array(2001).fill('')), /has 2001 pages, at most 2000 are taken/],
  ])('that is %s is refused, and nothing is printed', async (_, bytes, message) => {
    const printed = (['log', 'warn', 'error'] as const).map((method) => vi.spyOn(console, method));
    const refusal = extract(bytes);
    await expect(refusal).rejects.toMatchObject({ status: 422, faults: [{ field: 'body' }] });
    await expect(refusal).rejects.toThrow(message);
    for (const spy of printed) expect(spy).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});

describe('in a thread of its own', () => {
  let folder: string;
  let program: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'extraction-'));
    program = join(folder, 'worker.cjs');
    await bundle({ worker: join(import.meta.dirname, '../../functions/ingest/extraction/worker.ts') }, folder, []);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const inWorker = (bytes: Buffer, limits = { seconds: 60, megabytes: 300 }) =>
    extractText(bytes, { contentType: null, name: 'a' }, workerReader(program, limits));

  test('documents are read as in this one, from the bundle', async () => {
    for (const bytes of [docxOf(paragraph('Hello', 'Title')), pdfOf([linesOf(['Hello'])], { title: 'T' })]) {
      expect(await inWorker(bytes)).toEqual(await extract(bytes));
    }
    await expect(inWorker(Buffer.from('%PDF-1.7'))).rejects.toMatchObject({
      status: 422,
      message: 'body: the PDF is broken and cannot be read',
    });
  });

  test.each([
    ['512', 64e9, 170],
    ['1024', 1e9, 341],
    ['128', 64e9, 42],
    [undefined, 64e9, 300],
    ['', 600 * 2 ** 20, 200],
  ])(
    'a document may take a third of a function’s memory (%j, on a machine of %d bytes): %d MB',
    (given, machine, most) => {
      expect(megabytesFor(given, machine)).toBe(most);
    },
  );

  test('a document that would take hours is given up', async () => {
    const hours = pdfOf(['q '.repeat(2_000_000)]);
    const refusal = inWorker(hours, { seconds: 2, megabytes: 300 });
    await expect(refusal).rejects.toMatchObject({ status: 422 });
    await expect(refusal).rejects.toThrow('the document takes longer than 2 seconds to read; split it');
  });

  test('a document that needs too much memory ends its thread alone', async () => {
    const large = docxOf(
      Array.from({ length: 90_000 }, (_, i) => `<w:p a="${(i * 7919).toString(36)}"/><w:p/><w:p/>`).join(''),
    );
    const refusal = inWorker(large, { seconds: 60, megabytes: 30 });
    await expect(refusal).rejects.toMatchObject({ status: 422 });
    await expect(refusal).rejects.toThrow('the document takes more than 30 MB of memory to read');
  });
});
