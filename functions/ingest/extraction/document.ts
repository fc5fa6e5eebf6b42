/** Files whose text others' programs must dig out: heavy to load, and as slow as a stranger's file makes them. */
export type DocumentKind = 'pdf' | 'docx';

export interface DocumentText {
  title: string | null;
  /** Markdown, or of a PDF plain text with form feeds between its pages. */
  text: string;
  /** How many pages were read; null where that is not known. */
  pages: number | null;
}

/** Reads a document. Throws InvalidInput where it is broken, protected or too large; gives up beyond `maxCharacters`. */
export type DocumentReader = (kind: DocumentKind, bytes: Buffer, maxCharacters: number) => Promise<DocumentText>;
