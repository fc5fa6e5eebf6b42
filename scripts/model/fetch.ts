import { mkdir, rename, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { say } from '../rag/printing.ts';
import { UserError } from '../user-error.ts';
import { measureDigest, readPin, recordFile, writePin } from './digest.ts';
import { download } from './download.ts';
import { shown } from './http.ts';
import { claimScratch } from './scratch.ts';
import { BY_BROWSER, BY_HAND, findZip } from './source.ts';
import { BadArchive, unpack } from './unpack.ts';

/** Terraform takes a file with another modification time for another file, and would upload it again. */
const MODIFIED = new Date('2025-10-30T00:00:00Z');

export interface FetchOptions {
  folder: string;
  /** The file's name, in the zip and in the folder, and its exact size. */
  name: string;
  bytes: number;
  /** The zip; null: where `page` says it is. */
  url: string | null;
  page: string;
  /** The digest to insist on; null: the one that was pinned before, or else whatever comes first. */
  sha256: string | null;
  retryDelayMs?: number;
}

/**
 * Brings the model file into its folder, and returns its digest. Nothing but a whole, checked file ever has its name; a
 * file that is there and right is not fetched again. What a person can mend is a UserError.
 */
export async function fetchModel(options: FetchOptions): Promise<string> {
  const { folder, name, bytes, sha256 } = options;
  const file = join(folder, name);
  try {
    await mkdir(folder, { recursive: true });
    return (await keepPresent(file, bytes, sha256)) ?? (await bring(file, options));
  } catch (error) {
    throw explain(error, folder);
  }
}

/** The digest of the file where it is there and right. */
async function keepPresent(file: string, bytes: number, sha256: string | null): Promise<string | null> {
  if ((await stat(file).catch(() => null))?.size !== bytes) return null;
  const wanted = sha256 ?? (await readPin(file));
  // The time is mended before the file is measured, so that what is kept of the measure stays valid.
  await mendTime(file);
  const digest = await measureDigest(file);
  if (digest === null) return null;
  if (wanted !== null && digest !== wanted) {
    say(`${file} has the SHA-256 ${digest}, not ${wanted}: it is fetched anew.`);
    return null;
  }
  say(`${file} is already there, SHA-256 ${digest}.`);
  await pin(file, digest, sha256);
  return digest;
}

async function bring(
  file: string,
  { folder, name, bytes, url, page, sha256, retryDelayMs }: FetchOptions,
): Promise<string> {
  const scratch = await claimScratch(folder);
  try {
    const zip = url ?? (await findZip(page));
    say(`Downloading ${shown(zip)} …`);
    const archive = await download(zip, scratch.path, {
      retryDelayMs: retryDelayMs ?? 1000,
      byHand: BY_HAND,
      byBrowser: BY_BROWSER,
    });
    const unpacked = join(scratch.path, name);
    const digest = await unpack(archive, name, bytes, unpacked);
    await requireDigest(file, digest, sha256);
    await utimes(unpacked, MODIFIED, MODIFIED);
    await rename(unpacked, file);
    await measureDigest(file);
    say(`${file}: ${bytes.toLocaleString('en')} bytes, SHA-256 ${digest}.`);
    await pin(file, digest, sha256);
    await scratch.remove();
    return digest;
  } catch (error) {
    // A wrong archive would be found again; what is merely not whole yet is gone on with.
    if (error instanceof BadArchive) await scratch.remove();
    else await scratch.leave();
    throw error;
  }
}

async function requireDigest(file: string, digest: string, sha256: string | null): Promise<void> {
  const pinned = await readPin(file);
  if ((sha256 ?? pinned ?? digest) === digest) return;
  const remedy =
    sha256 === null
      ? `Where Oracle has published a new file, and you trust it, run again with --sha256 ${digest}; else ask where the ` +
        `file comes from. The digest that was pinned is in ${recordFile(file)}`
      : 'Where the digest is right, another address may have the file: --url';
  throw new BadArchive(
    `The downloaded model is not the expected one, and was removed.\n  expected SHA-256 ${sha256 ?? pinned}\n` +
      `  downloaded SHA-256 ${digest}\n${remedy}.`,
  );
}

/** Every later download must have this digest. */
async function pin(file: string, digest: string, sha256: string | null): Promise<void> {
  if ((await readPin(file)) === digest) return;
  await writePin(file, digest);
  if (sha256 === null) {
    say(`Oracle publishes no checksum: this digest is pinned at first sight, in ${recordFile(file)}.`);
  }
}

async function mendTime(file: string): Promise<void> {
  const { mtimeMs } = await stat(file);
  if (mtimeMs !== MODIFIED.getTime()) await utimes(file, MODIFIED, MODIFIED);
}

/** Says what a person does about a failure of the file system. */
export function explain(error: unknown, folder: string, megabytes = 260): unknown {
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new UserError(
      `The disk is full: ${folder} needs some ${megabytes} MB for the time of the download. Free some, and run the same ` +
        'command again; it goes on where it stopped',
    );
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOTDIR' || code === 'EEXIST') {
    return new UserError(`${path ?? folder} cannot be written (${code})`);
  }
  return error;
}
