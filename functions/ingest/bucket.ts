import { isDeepStrictEqual } from 'node:util';
import { DOCUMENTS, parseObjectName } from '../core/documents/path.ts';
import { AppError, Unavailable } from '../core/errors.ts';
import { truncate } from '../core/text.ts';
import type { ObjectInfo, StoredObject } from '../ports/object-store.ts';
import type { Log } from '../ports/platform.ts';
import {
  type DocumentVersion,
  type LockedDocument,
  lockDocument,
  noteLookedAt,
  putDocument,
  removeDocument,
  replaceVersion,
} from '../store/documents.ts';
import { extractedFields, fileNameOf, MAX_REASON } from './documents.ts';
import { extractText } from './extraction/extract.ts';
import {
  digestOf,
  documentFile,
  dropLeft,
  type FileContext,
  keepVersion,
  leaveVersion,
  transact,
} from './raw-files.ts';

export interface BucketContext extends FileContext {
  /** The largest object that is read. */
  maxBytes: number;
  /** Who reads a document from the bucket that has no readers yet. */
  audience: 'organization' | 'managers';
}

/**
 * What an object under documents/ belongs to (see parseObjectName); null where its name is no path, or one that is
 * written otherwise here: it must be in composed form (NFC).
 */
export function documentOf(objectName: string): { path: string; digest: string | null } | null {
  const parsed = parseObjectName(objectName);
  return parsed !== null && objectName.startsWith(DOCUMENTS + parsed.path) ? parsed : null;
}

/** What came of an object: its document was written or removed, or nothing had to be done. */
export type Synced = 'written' | 'removed' | 'unchanged';

/** An object that changes faster than it is read is left to the next event, or to reconciling. */
const MAX_ATTEMPTS = 5;

/** A file may take a minute to be read, and then it must be written. */
const FILE_MS = 65_000;

/** Whether the time that is left may not suffice for one more file: a call that is ended while it reads would end so again. */
export const isNear = (deadline: Date | null): boolean =>
  deadline !== null && deadline.getTime() - Date.now() < FILE_MS;

/** What tells a version of an object from others: S3 gives the same ETag to the same bytes, whenever they were written. */
export const markOf = ({ etag, modifiedAt }: ObjectInfo): string => `${etag} ${modifiedAt.toISOString()}`;

/**
 * Makes the document of a path what the bucket's object of that path says now, whatever was told of it: late, repeated
 * and parallel events all end with the newest version. With the row locked it is looked whether the object is still the
 * one that was read; what happens to it later has an event of its own, which waits for the lock.
 */
export async function syncObject(context: BucketContext, path: string): Promise<Synced> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const outcome = await trySync(context, path);
    if (outcome !== 'again') return outcome;
    if (isNear(context.deadline)) break;
  }
  throw new Unavailable(`The object ${DOCUMENTS}${path} changes faster than it can be read`);
}

async function trySync(context: BucketContext, path: string): Promise<Synced | 'again'> {
  const { database, objects } = context;
  const info = await objects.head(DOCUMENTS + path);
  if (info === null) return removeGone(context, path);
  const known = await database.transaction('system', (tx) => lockDocument(tx, path));
  if (known?.objectEtag === markOf(info)) return 'unchanged';
  if (known?.origin === 'api' && known.writtenAt > info.modifiedAt) return passOver(context, path, info, known);
  if (info.bytes > context.maxBytes) return storeObject(context, path, info, known);
  const object = await objects.get(info.name, context.maxBytes);
  return object === null ? 'again' : storeObject(context, path, object, known);
}

/** Removes the document of an object that has gone, unless it has been written by other ways. */
async function removeGone(context: BucketContext, path: string): Promise<Synced | 'again'> {
  const file = documentFile(path);
  const removed = await context.database.transaction('system', async (tx) => {
    const former = await lockDocument(tx, path);
    if (former === null || former.origin === 'api') return 'unchanged';
    if ((await context.objects.head(DOCUMENTS + path)) !== null) return 'again';
    await removeDocument(tx, path);
    await leaveVersion(tx, file, former, null);
    return former;
  });
  if (typeof removed === 'string') return removed;
  await dropLeft(context, file, removed, null);
  return 'removed';
}

/** Notes an object that is older than what was written under its path since, so that it is not looked at again. */
function passOver(
  { database }: BucketContext,
  path: string,
  info: ObjectInfo,
  known: LockedDocument,
): Promise<Synced | 'again'> {
  return database.transaction('system', async (tx) => {
    if (!isDeepStrictEqual(await lockDocument(tx, path), known)) return 'again';
    await noteLookedAt(tx, path, markOf(info));
    return 'unchanged';
  });
}

/** Writes what an object says, unless object or document have changed since they were looked at. */
async function storeObject(
  context: BucketContext,
  path: string,
  object: ObjectInfo | StoredObject,
  known: LockedDocument | null,
): Promise<Synced | 'again'> {
  const { database, objects, audience } = context;
  const bytes = 'content' in object ? object.content : null;
  const fields = {
    ...(await readFields(context, path, object)),
    bytes: object.bytes,
    digest: digestOf(bytes ?? NOTHING),
  };
  const file = documentFile(path);
  const kept = bytes === null ? null : await keepVersion(context, file, fields, bytes);
  const isStored = await transact(database, async (tx) => {
    if (!isDeepStrictEqual(await lockDocument(tx, path), known)) return false;
    const info = await objects.head(object.name);
    if (info === null || info.etag !== object.etag) return false;
    if (kept === null) await leaveVersion(tx, file, known, fields.digest);
    else await kept.take(tx, known);
    const version = { ...fields, origin: 'bucket' as const, objectEtag: markOf(info) };
    if (known !== null) await replaceVersion(tx, path, version);
    else await putDocument(tx, { path, ...version, readers: { audience, readers: [] }, projectId: null, labels: [] });
    return true;
  });
  if (!isStored) return 'again';
  await dropLeft(context, file, known, fields.digest);
  // The event of a deletion that came before the row was there has found nothing to remove.
  if (known === null && (await objects.head(object.name)) === null) return 'again';
  return 'written';
}

const NOTHING = Buffer.alloc(0);

type Fields = Omit<DocumentVersion, 'bytes' | 'digest' | 'origin' | 'objectEtag'>;

/** Nobody waits for an answer: a file that cannot be read is a document without text, which says why. */
async function readFields(
  { log, maxBytes, readDocument }: BucketContext,
  path: string,
  object: ObjectInfo | StoredObject,
): Promise<Fields> {
  const name = fileNameOf(path);
  if (!('content' in object)) {
    return unreadable(name, `The file has ${object.bytes} bytes, and files of the bucket have at most ${maxBytes}`);
  }
  try {
    return extractedFields(
      path,
      await extractText(object.content, { contentType: object.contentType, name }, readDocument),
    );
  } catch (error) {
    return unreadable(name, reasonOf(error, log));
  }
}

const unreadable = (name: string, reason: string): Fields => ({
  title: name,
  contentType: 'application/octet-stream',
  charset: null,
  textFormat: 'plain',
  content: null,
  emptyReason: truncate(reason, MAX_REASON),
});

/** Why a file could not be read, in words that everybody may see. */
export function reasonOf(error: unknown, log: Log): string {
  if (error instanceof AppError) return error.message;
  log.error('file_unreadable', error);
  return 'The file cannot be read: it is damaged, or of a make that is not understood';
}
