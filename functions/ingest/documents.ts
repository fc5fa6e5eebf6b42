import { isDeepStrictEqual } from 'node:util';
import { DOCUMENTS, documentPath, encodePath } from '../core/documents/path.ts';
import { NotFound } from '../core/errors.ts';
import type { DocumentQuery, DocumentView } from '../core/kinds/document.ts';
import { toSingleLine, truncate } from '../core/text.ts';
import type { AcceptedFile } from '../file-shapes.ts';
import type { Accepted } from '../shapes.ts';
import { type DocumentWrite, documents, lockDocument, putDocument, removeDocument } from '../store/documents.ts';
import { lockParents } from '../store/readers.ts';
import { type ExtractedText, extractText } from './extraction/extract.ts';
import {
  digestOf,
  documentFile,
  dropLeft,
  type FileContext,
  keepVersion,
  leaveVersion,
  type ReceivedFile,
  sortedIds,
  transact,
} from './raw-files.ts';

const MAX_TITLE = 500;
export const MAX_REASON = 500;

const documentLink = (path: string): string => `/v1/documents/${encodePath(path)}`;

/** The last part of a path. */
export const fileNameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** What a document is besides what was sent with it. */
export function extractedFields(path: string, extracted: ExtractedText, title?: string) {
  const { contentType, charset, textFormat, text, emptyReason } = extracted;
  return {
    title: truncate(title ?? (toSingleLine(extracted.title ?? '') || fileNameOf(path)), MAX_TITLE),
    contentType,
    charset,
    textFormat,
    content: text === '' ? null : text,
    emptyReason: emptyReason === null ? null : truncate(emptyReason, MAX_REASON),
  };
}

/**
 * Writes a document: its bytes into the object store, its text and its place in the queue into the database. Throws what
 * is wrong with the path or the file.
 */
export async function writeDocument(
  context: FileContext,
  rawPath: string,
  { bytes, contentType }: ReceivedFile,
  query: DocumentQuery,
): Promise<AcceptedFile> {
  const path = documentPath(rawPath);
  const extracted = await extractText(bytes, { contentType, name: fileNameOf(path) }, context.readDocument);
  const digest = digestOf(bytes);
  const document: DocumentWrite = {
    path,
    ...extractedFields(path, extracted, query.title),
    bytes: bytes.length,
    digest,
    readers: query.audience,
    projectId: query.projectId,
    labels: query.labels,
    origin: 'api',
    objectEtag: null,
  };
  const file = documentFile(path);
  const kept = await keepVersion(context, file, document, bytes);
  const { former, unchanged } = await transact(context.database, async (tx) => {
    await lockParents(tx, document);
    const former = await lockDocument(tx, path);
    await kept.take(tx, former);
    const [view] = former === null ? [] : await documents.load(tx, [path]);
    const isSame = view !== undefined && isDeepStrictEqual(written(view), asked(document));
    if (isSame && former?.origin === 'api') return { former, unchanged: true };
    await putDocument(tx, { ...document, objectEtag: former?.objectEtag ?? null });
    return { former, unchanged: false };
  });
  await dropLeft(context, file, former, digest);
  return { status: 'accepted', links: { state: documentLink(path) }, unchanged };
}

/** What a stored document is, in the form of {@link asked}. */
const written = ({ id, writtenAt: _, readers, ...view }: DocumentView) => ({
  ...view,
  path: id,
  readers: sortedIds(readers),
});

const asked = ({ origin: _, objectEtag: __, readers: { audience, readers }, ...document }: DocumentWrite) => ({
  ...document,
  audience,
  readers: sortedIds(readers),
});

/**
 * Removes a document and its bytes, and the bucket's object of that path: without the row, this would come back as a new
 * document for the whole organisation. Unavailable where it cannot be removed; then the document stays.
 */
export async function deleteDocument(context: FileContext, rawPath: string): Promise<Accepted> {
  const path = documentPath(rawPath);
  const file = documentFile(path);
  const former = await context.database.transaction('system', async (tx) => {
    const locked = await lockDocument(tx, path);
    if (locked === null || !(await removeDocument(tx, path))) throw new NotFound(`There is no document ${path}`);
    await leaveVersion(tx, file, locked, null);
    await context.objects.remove(DOCUMENTS + path);
    return locked;
  });
  await dropLeft(context, file, former, null);
  return { status: 'accepted', links: { state: documentLink(path) } };
}
