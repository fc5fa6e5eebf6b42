import { NotFound, TooLarge } from '../core/errors.ts';
import { type SourceRef, sourceKey } from '../core/kinds/kind.ts';
import { type Caller, type FileAudience, maySee, seesEverything } from '../core/scope.ts';
import type { FunctionResponse } from '../http.ts';
import type { Actor, Database } from '../ports/database.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { MAX_BODY_BYTES } from '../routes.ts';
import { readListed, readReaders } from '../store/readers.ts';
import { type FileState, readStates } from '../store/states.ts';
import { notHere } from './read.ts';

/** What reading files works with; `caller` is null for a writing token that names no employee. */
export interface FileAccess {
  database: Database;
  objects(): Promise<ObjectStore>;
  caller: Caller | null;
  mayWrite: boolean;
  maxAttempts: number;
}

/**
 * A file that the caller may see, or whose state the caller may know because the caller may write; `isVisible` says
 * which. Read under the caller's row security; the rule of readers is checked once more.
 */
export async function readFile<Found extends { view: { audience: FileAudience } }>(
  { database, caller, mayWrite }: FileAccess,
  ref: SourceRef,
  read: (actor: Actor) => Promise<Found | null>,
): Promise<Found & { isVisible: boolean }> {
  const found = caller === null ? null : await read(caller);
  if (found !== null && caller !== null) {
    const { audience } = found.view;
    const isReader = audience === 'people' && (await isListed(database, caller, ref));
    if (maySee(caller, { ownerEmployeeId: null, audience, isReader })) return { ...found, isVisible: true };
  }
  const known = mayWrite ? await read('system') : null;
  if (known === null) throw notHere(ref.type, ref.id);
  return { ...known, isVisible: false };
}

async function isListed(database: Database, caller: Caller, ref: SourceRef): Promise<boolean> {
  const listed = await database.transaction(caller, (tx) => readListed(tx, caller.employeeId, [ref]));
  return listed.has(sourceKey(ref));
}

/** As whom files are listed: who may write knows of all of them. */
export function listingActor({ caller, mayWrite }: FileAccess): Actor {
  if (mayWrite) return 'system';
  if (caller === null) throw new Error('the route lets callers in who are neither employees nor writers');
  return caller;
}

const NOT_INDEXED: FileState = { state: 'queued', chunkCount: 0, indexedAt: null, reason: null };

/** How far files are in the index. */
export async function readProgress(
  { database, maxAttempts }: FileAccess,
  refs: SourceRef[],
): Promise<(ref: SourceRef) => FileState> {
  const states = await readStates(database, maxAttempts, refs);
  return (ref) => states.get(sourceKey(ref)) ?? NOT_INDEXED;
}

/** The listed readers, for who may write or sees everything. */
export async function readersShown(
  { database, caller, mayWrite }: FileAccess,
  ref: SourceRef,
): Promise<number[] | null> {
  const isShown = mayWrite || (caller !== null && seesEverything(caller));
  return isShown ? database.transaction('system', (tx) => readReaders(tx, ref)) : null;
}

interface RawFile {
  objectName: string;
  fileName: string;
  contentType: string;
  charset: string | null;
  bytes: number;
  digest: string;
}

/** The bytes of a file as they came, to be saved and not to be shown. */
export async function rawAnswer({ objects }: FileAccess, file: RawFile): Promise<FunctionResponse> {
  if (file.bytes > MAX_BODY_BYTES) {
    throw new TooLarge(`The file has ${file.bytes} bytes, and an answer has at most ${MAX_BODY_BYTES}`);
  }
  const object = await (await objects()).get(file.objectName, MAX_BODY_BYTES);
  if (object === null) throw new NotFound('The bytes of this file are not in the object store');
  return {
    status: 200,
    headers: {
      'Content-Type': file.charset === null ? file.contentType : `${file.contentType}; charset=${file.charset}`,
      'Content-Disposition': `attachment; filename*=UTF-8''${extendedValue(file.fileName)}`,
      'X-Content-Type-Options': 'nosniff',
      ETag: `"${file.digest}"`,
    },
    body: object.content,
  };
}

/** The value of a header's extended parameter (RFC 8187). */
const extendedValue = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** A text that is indexed, as it is. */
export function textAnswer(text: string | null): FunctionResponse {
  const body = Buffer.from(text ?? '');
  if (body.length > MAX_BODY_BYTES) {
    throw new TooLarge(`The text has ${body.length} bytes, and an answer has at most ${MAX_BODY_BYTES}`);
  }
  return {
    status: 200,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
    body,
  };
}
