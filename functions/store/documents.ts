import { type DocumentView, documentContent } from '../core/kinds/document.ts';
import type { FileReaders } from '../core/kinds/file.ts';
import type { FileAudience } from '../core/scope.ts';
import type { Actor, Binds, Database, Transaction } from '../ports/database.ts';
import { BEFORE_ALL, inList, isoUtc, isoUtcMillis } from './lists.ts';
import { enqueue } from './queue.ts';
import { groupReaders, joinReaders, putReaders, type ReaderRow, removeReaders } from './readers.ts';
import { columnsOf, deleteRecord, lockRecord, update, upsert, WRITTEN_NOW } from './rows.ts';

/** Where a document has come from: a call of the API, or an object of the bucket. */
type Origin = 'api' | 'bucket';

/** What is read from the raw bytes of a document. */
export type DocumentText = Pick<DocumentView, 'contentType' | 'charset' | 'textFormat' | 'content' | 'emptyReason'>;

/** A version of a document: its raw bytes, what they say, and where they have come from. */
export interface DocumentVersion extends DocumentText {
  title: string;
  bytes: number;
  /** SHA-256 of the raw bytes, in hex. */
  digest: string;
  origin: Origin;
  /** Which version of the bucket's object was last looked at under this path; null where there was none. */
  objectEtag: string | null;
}

/** All that is kept of a document but its raw bytes. */
export interface DocumentWrite extends DocumentVersion {
  path: string;
  readers: FileReaders;
  projectId: number | null;
  labels: string[];
}

const refOf = (path: string) => ({ type: 'document', id: path }) as const;

/** What a writer must know of the document that is there, locked until the transaction ends; null where there is none. */
export interface LockedDocument {
  digest: string;
  origin: Origin;
  objectEtag: string | null;
  writtenAt: Date;
}

export async function lockDocument(tx: Transaction, path: string): Promise<LockedDocument | null> {
  const row = await lockRecord<{ digest: string; origin: Origin; object_etag: string | null; written_at: string }>(
    tx,
    'document',
    path,
    `digest, origin, object_etag, ${isoUtcMillis('written_at')} AS written_at`,
  );
  if (row === undefined) return null;
  return { digest: row.digest, origin: row.origin, objectEtag: row.object_etag, writtenAt: new Date(row.written_at) };
}

/** Writes a document, who reads it, and its place in the queue; who writes it has locked its parents (see lockParents). */
export async function putDocument(tx: Transaction, document: DocumentWrite): Promise<void> {
  const { path, readers } = document;
  const binds = {
    audience: readers.audience,
    project_id: document.projectId,
    labels: JSON.stringify(document.labels),
    ...versionBinds(document),
  };
  await upsert(tx, 'document', path, [WRITTEN_NOW, ...columnsOf(binds)], binds);
  await putReaders(tx, [refOf(path)], readers);
  enqueue(tx, [refOf(path)], 'UPSERT');
}

/** Gives a document other bytes: who reads it, and what it belongs to, is no matter of them. */
export async function replaceVersion(tx: Transaction, path: string, version: DocumentVersion): Promise<void> {
  const binds = versionBinds(version);
  await update(tx, 'document', path, [WRITTEN_NOW, ...columnsOf(binds)], binds);
  enqueue(tx, [refOf(path)], 'UPSERT');
}

/** Writes what the same bytes of a document say, read once more. Nobody has written it by that: it is no newer. */
export async function replaceText(tx: Transaction, path: string, text: DocumentText): Promise<void> {
  const binds = textBinds(text);
  await update(tx, 'document', path, columnsOf(binds), binds);
  enqueue(tx, [refOf(path)], 'UPSERT');
}

const versionBinds = (version: DocumentVersion): Binds => ({
  title: version.title,
  size_bytes: version.bytes,
  digest: version.digest,
  origin: version.origin,
  object_etag: version.objectEtag,
  ...textBinds(version),
});

const textBinds = (text: DocumentText): Binds => ({
  content_type: text.contentType,
  charset: text.charset,
  text_format: text.textFormat,
  empty_reason: text.emptyReason,
  content: text.content,
});

/** Notes which version of the bucket's object was looked at, where that changes nothing else. */
export async function noteLookedAt(tx: Transaction, path: string, etag: string): Promise<void> {
  await tx.execute('UPDATE document SET object_etag = :etag WHERE path = :path', { path, etag });
}

/** Removes a document, which nobody but managers finds from then on, and nobody once the queue has reached it. */
export async function removeDocument(tx: Transaction, path: string): Promise<boolean> {
  if (!(await lockRecord(tx, 'document', path))) return false;
  await removeReaders(tx, [refOf(path)]);
  await deleteRecord(tx, 'document', path);
  enqueue(tx, [refOf(path)], 'DELETE');
  return true;
}

interface DocumentRow {
  path: string;
  title: string;
  content_type: string;
  charset: string | null;
  size_bytes: number;
  digest: string;
  text_format: DocumentView['textFormat'];
  content: string | null;
  empty_reason: string | null;
  audience: FileAudience;
  project_id: number | null;
  labels: string[];
  written_at: string;
}

async function loadDocuments(tx: Transaction, paths: string[]): Promise<DocumentView[]> {
  const list = inList('path', paths);
  // Text and readers in one statement: what is indexed of a version is for the readers of that version.
  const rows = await tx.rows<DocumentRow & ReaderRow>(
    `SELECT d.path, d.title, d.content_type, d.charset, d.size_bytes, d.digest, d.text_format, d.empty_reason, d.audience,
            d.project_id, d.labels, ${isoUtc('d.written_at')} AS written_at, r.employee_id AS reader,
            CASE WHEN ROW_NUMBER() OVER (PARTITION BY d.path ORDER BY r.employee_id) = 1 THEN d.content END AS content
     FROM document d ${joinReaders('document', 'd.path')}
     WHERE d.path IN ${list.sql}
     ORDER BY d.path, r.employee_id`,
    list.binds,
  );
  return groupReaders(rows, (row) => row.path).map(({ row, readers }) => ({
    id: row.path,
    title: row.title,
    textFormat: row.text_format,
    content: row.content,
    emptyReason: row.empty_reason,
    contentType: row.content_type,
    charset: row.charset,
    bytes: row.size_bytes,
    digest: row.digest,
    audience: row.audience,
    readers,
    projectId: row.project_id,
    labels: row.labels,
    writtenAt: row.written_at,
  }));
}

/** A document with its text, if the actor may see it. */
export async function readDocument(db: Database, actor: Actor, path: string): Promise<DocumentView | null> {
  const [view] = await db.transaction(actor, (tx) => loadDocuments(tx, [path]));
  return view ?? null;
}

/** A document in a list. */
export interface DocumentEntry {
  path: string;
  title: string;
  contentType: string;
  bytes: number;
  digest: string;
  audience: FileAudience;
  projectId: number | null;
  labels: string[];
  writtenAt: string;
}

/** The documents that the actor may see, in the order of their paths: those that begin with a prefix, after a path. */
export async function listDocuments(
  db: Database,
  actor: Actor,
  { prefix, after, limit }: { prefix: string; after: string; limit: number },
): Promise<DocumentEntry[]> {
  const isPrefixed =
    prefix === ''
      ? { sql: '1 = 1', binds: {} }
      : {
          sql: 'path >= :prefix AND SUBSTR(path, 1, CAST(:length AS INTEGER)) = :prefix',
          binds: { prefix, length: [...prefix].length },
        };
  const rows = await db.transaction(actor, (tx) =>
    tx.rows<Omit<DocumentRow, 'content' | 'empty_reason' | 'text_format' | 'charset'>>(
      `SELECT path, title, content_type, size_bytes, digest, audience, project_id, labels,
              ${isoUtc('written_at')} AS written_at
       FROM document WHERE path > :after AND ${isPrefixed.sql}
       ORDER BY path FETCH FIRST :most ROWS ONLY`,
      { after: after || BEFORE_ALL, most: limit, ...isPrefixed.binds },
    ),
  );
  return rows.map((row) => ({
    path: row.path,
    title: row.title,
    contentType: row.content_type,
    bytes: row.size_bytes,
    digest: row.digest,
    audience: row.audience,
    projectId: row.project_id,
    labels: row.labels,
    writtenAt: row.written_at,
  }));
}

/** What reconciling must know of each document, in the order of their paths. */
export interface ListedObject {
  path: string;
  digest: string;
  origin: Origin;
  objectEtag: string | null;
}

export async function listObjects(db: Database, after: string, limit: number): Promise<ListedObject[]> {
  const rows = await db.rows<{ path: string; digest: string; origin: Origin; object_etag: string | null }>(
    'system',
    `SELECT path, digest, origin, object_etag FROM document
     WHERE path > :after ORDER BY path FETCH FIRST :most ROWS ONLY`,
    { after: after || BEFORE_ALL, most: limit },
  );
  return rows.map((row) => ({ path: row.path, digest: row.digest, origin: row.origin, objectEtag: row.object_etag }));
}

export const documents = { table: 'document', key: 'path', load: loadDocuments, content: documentContent } as const;
