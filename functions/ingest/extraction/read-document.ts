import type { DocumentKind, DocumentReader, DocumentText } from './document.ts';

/** Reads a document in this thread, for as long as it takes. */
export const readDocument: DocumentReader = (kind, bytes, maxCharacters) =>
  takeDocument(kind, Uint8Array.from(bytes), maxCharacters);

/** Reads a document as {@link readDocument} does, and takes its bytes over: no second copy of them is made. */
export async function takeDocument(
  kind: DocumentKind,
  bytes: Uint8Array,
  maxCharacters: number,
): Promise<DocumentText> {
  if (kind === 'pdf') {
    const { readPdf } = await import('./pdf.ts');
    const { title, pages } = await readPdf(bytes, maxCharacters);
    return { title, text: pages.join('\f'), pages: pages.length };
  }
  const { readDocx } = await import('./docx.ts');
  const { title, markdown } = await readDocx(bytes);
  return { title, text: markdown, pages: null };
}
