import { createHash } from 'node:crypto';
import { objectNameOf, parseObjectName } from '../core/documents/path.ts';
import { Conflict } from '../core/errors.ts';
import { type Database, DuplicateKey, type Transaction } from '../ports/database.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { Log } from '../ports/platform.ts';
import { lockDiagnostic } from '../store/diagnostics.ts';
import { lockDocument } from '../store/documents.ts';
import { forgetObject, lockNote, noteObject } from '../store/objects.ts';
import type { DocumentReader } from './extraction/document.ts';

/** What writing and reading files works with. */
export interface FileContext {
  database: Database;
  objects: ObjectStore;
  log: Log;
  deadline: Date | null;
  /** What reads a PDF or a DOCX. */
  readDocument: DocumentReader;
}

/** A file as it was sent, with what its sender says that it is. */
export interface ReceivedFile {
  bytes: Buffer;
  contentType: string | null;
}

/** Where the versions of one file are kept, and how its row is locked. */
export interface VersionedFile {
  objectName(digest: string): string;
  /** Null where there is no such file. */
  lock(tx: Transaction): Promise<{ digest: string } | null>;
}

export const documentFile = (path: string): VersionedFile => ({
  objectName: (digest) => objectNameOf(path, digest),
  lock: (tx) => lockDocument(tx, path),
});

export const DIAGNOSTICS = 'diagnostics/';

export const diagnosticFile = (id: string): VersionedFile => ({
  objectName: (digest) => `${DIAGNOSTICS}${id}/${digest}`,
  lock: (tx) => lockDiagnostic(tx, id),
});

/** The file and the version that an object's name tells; null where it is no version's. */
export function versionOf(objectName: string): { file: VersionedFile; digest: string } | null {
  if (objectName.startsWith(DIAGNOSTICS)) {
    const [id = '', digest = '', ...more] = objectName.slice(DIAGNOSTICS.length).split('/');
    return more.length === 0 && digest !== '' ? { file: diagnosticFile(id), digest } : null;
  }
  const { path, digest = null } = parseObjectName(objectName) ?? {};
  return path === undefined || digest === null ? null : { file: documentFile(path), digest };
}

/** SHA-256 of the bytes, as 64 hex digits: the name of a version. */
export const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Runs a write again where another writer has made the same row at the same moment. */
export async function transact<T>(database: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await database.transaction('system', work);
  } catch (error) {
    if (!(error instanceof DuplicateKey)) throw error;
    return database.transaction('system', work).catch((again) => {
      throw again instanceof DuplicateKey
        ? new Conflict('This is being written by somebody else', { cause: again })
        : again;
    });
  }
}

/** The version that a file has; null where there is no such file. */
type Version = { digest: string } | null;

/**
 * Keeps a version before its row is written: what ends between the two leaves an object that is noted, and never a row
 * without its bytes. `take`, with the row locked, makes the version the row's, puts right what another writer has taken away
 * meanwhile, and notes the one that the row has had.
 */
export async function keepVersion(
  { database, objects }: FileContext,
  file: VersionedFile,
  { digest, contentType }: { digest: string; contentType: string },
  bytes: Buffer,
): Promise<{ take(tx: Transaction, former: Version): Promise<void> }> {
  const name = file.objectName(digest);
  await transact(database, (tx) => noteObject(tx, name));
  await objects.put(name, bytes, contentType);
  return {
    async take(tx, former) {
      await forgetObject(tx, name);
      if ((await objects.head(name)) === null) await objects.put(name, bytes, contentType);
      await leaveVersion(tx, file, former, digest);
    },
  };
}

/** Notes the version of a row that gets another, or with null goes: the object is removed once that is committed. */
export async function leaveVersion(
  tx: Transaction,
  file: VersionedFile,
  former: Version,
  digest: string | null,
): Promise<void> {
  if (former !== null && former.digest !== digest) await noteObject(tx, file.objectName(former.digest));
}

/** Removes what {@link leaveVersion} has noted. What cannot be removed is logged, and left to reconciling. */
export async function dropLeft(
  context: FileContext,
  file: VersionedFile,
  former: Version,
  digest: string | null,
): Promise<void> {
  if (former === null || former.digest === digest) return;
  try {
    await dropNoted(context, file, former.digest);
  } catch (error) {
    context.log.warn('raw_file_left', { reason: String(error) });
  }
}

/**
 * Removes a version that is noted, for `minutes` or longer, and that its file does not have, and then the note; whether there
 * was one to remove. The lock of the row, or without a row that of the note, holds up who has just kept the same bytes.
 */
export async function dropNoted(
  { database, objects }: FileContext,
  file: VersionedFile,
  digest: string,
  minutes = 0,
): Promise<boolean> {
  const name = file.objectName(digest);
  return database.transaction('system', async (tx) => {
    const now = await file.lock(tx);
    if (!(await lockNote(tx, name, minutes))) return false;
    const isNeeded = now?.digest === digest;
    if (!isNeeded) await objects.remove(name);
    await forgetObject(tx, name);
    return !isNeeded;
  });
}

/** What is sent is the same as what is stored: compared without regard to the order of readers. */
export const sortedIds = (ids: number[]): number[] => [...ids].sort((a, b) => a - b);
