import { deflateSync } from 'node:zlib';
import { type ZipEntry, zipOf } from './zip.ts';

const NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

/** A Word document of the given body (WordprocessingML), with the styles Title and Heading1, and further parts. */
export function docxOf(body: string, parts: ZipEntry[] = []): Buffer {
  const styles = ['Title', 'Heading1'].map((id) => {
    const name = id.replace('1', ' 1');
    return `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`;
  });
  return zipOf([
    {
      name: '[Content_Types].xml',
      data: xml('<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'),
    },
    { name: 'word/styles.xml', data: xml(`<w:styles ${NAMESPACE}>${styles.join('')}</w:styles>`), deflate: true },
    {
      name: 'word/document.xml',
      data: xml(`<w:document ${NAMESPACE}><w:body>${body}</w:body></w:document>`),
      deflate: true,
    },
    ...parts,
  ]);
}

const xml = (text: string): Buffer => Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`);

/** A paragraph of a Word document. */
export const paragraph = (text: string, style = 'Normal'): string =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;

/** A PDF with one page for each operator text (PDF 32000, 9.4), in Helvetica; its streams are deflated if asked for. */
export function pdfOf(pages: string[], { title = '', deflate = false, trailer = '' } = {}): Buffer {
  const stream = (text: string): Buffer => {
    const data = deflate ? deflateSync(text) : Buffer.from(text, 'latin1');
    const filter = deflate ? '/Filter /FlateDecode ' : '';
    return Buffer.concat([
      Buffer.from(`<< ${filter}/Length ${data.length} >> stream\n`),
      data,
      Buffer.from('\nendstream'),
    ]);
  };
  const kids = pages.map((_, i) => `${5 + 2 * i} 0 R`).join(' ');
  const objects = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'),
    Buffer.from(`<< /Title (${title}) >>`),
    ...pages.flatMap((page, i) => [
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${6 + 2 * i} 0 R >>`,
      ),
      stream(page),
    ]),
  ];
  const pieces = [Buffer.from('%PDF-1.7\n')];
  let size = pieces[0]?.length ?? 0;
  const offsets = objects.map((object, i) => {
    const at = size;
    const piece = Buffer.concat([Buffer.from(`${i + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    pieces.push(piece);
    size += piece.length;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const count = objects.length + 1;
  const index = `xref\n0 ${count}\n0000000000 65535 f \n${offsets.join('')}`;
  const end = `trailer\n<< /Size ${count} /Root 1 0 R /Info 4 0 R ${trailer}>>\nstartxref\n${size}\n%%EOF\n`;
  return Buffer.concat([...pieces, Buffer.from(index + end)]);
}

/** The operators that write lines of a page, each 14 points below the one before; an empty one leaves its place free. */
export const linesOf = (lines: string[]): string =>
  `BT /F1 12 Tf 14 TL 72 770 Td ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
