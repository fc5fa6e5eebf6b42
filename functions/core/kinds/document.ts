import * as z from 'zod';
import { partsOf, type TextFormat } from '../documents/parts.ts';
import type { Fact } from '../facts.ts';
import { line } from '../fields.ts';
import { fitMetadata } from '../metadata.ts';
import type { FileAudience } from '../scope.ts';
import { audience, labels, projectId, readerFacts } from './file.ts';
import type { SourceContent } from './kind.ts';

/** The parameters that a document is sent with. */
export const documentQuery = z.strictObject({
  audience,
  projectId,
  labels,
  title: line(500).optional().describe('Its title; without one, the one that it has itself, or else its name'),
});

export type DocumentQuery = z.output<typeof documentQuery>;

/** A document as stored. */
export interface DocumentView {
  /** Its path. */
  id: string;
  title: string;
  textFormat: TextFormat;
  /** Its text, with line ends as LF and in composed form (NFC); null where it has none. */
  content: string | null;
  /** Why it has none, and what can be done about it. */
  emptyReason: string | null;
  contentType: string;
  charset: string | null;
  bytes: number;
  /** SHA-256 of its bytes, in hexadecimal. */
  digest: string;
  audience: FileAudience;
  /** The employees who are listed as its readers, where the audience is `people`. */
  readers: number[];
  projectId: number | null;
  labels: string[];
  writtenAt: string;
}

/** A document is seen by whom its sender named; without a name, by the whole organisation. */
export function documentContent(view: DocumentView): SourceContent {
  return {
    title: view.title,
    text: view.content ?? '',
    parts: { cutting: 'document', parts: partsOf(view) },
    scope: { ownerEmployeeId: null, audience: view.audience, projectId: view.projectId, sprintId: null },
    metadata: fitMetadata({ contentType: view.contentType, labels: view.labels }, 'source'),
    facts: [...view.labels.map((value): Fact => ({ name: 'labels', value })), ...readerFacts(view.readers)],
    emptyReason: view.emptyReason,
  };
}
