import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';

/**
 * What is known of a model file, kept beside it as `<name>.sha256`. The pinned digest is in the form of sha256sum, so
 * `sha256sum --check` reads it too; the comment below it is what was measured last.
 */
interface Record {
  /** The digest that every download must have; null until the first one. */
  pinned: string | null;
  measured: { digest: string; stamp: string } | null;
}

const PINNED = /^([0-9a-f]{64}) [ *]/m;
const MEASURED = /^# measured ([0-9a-f]{64}) (.+)$/m;

export const recordFile = (file: string) => file.replace(/\.onnx$/, '.sha256');

/**
 * The SHA-256 of a model file in hexadecimal, or null where there is none. Hashing takes a third of a second, so the digest
 * is kept; what was kept counts only while size, modification time and change time of the file are the same.
 */
export async function modelDigest(file: string): Promise<string | null> {
  return digestOf(file, true);
}

/** The same, always read from the file itself. */
export async function measureDigest(file: string): Promise<string | null> {
  return digestOf(file, false);
}

export async function readPin(file: string): Promise<string | null> {
  return (await readRecord(file)).pinned;
}

export async function writePin(file: string, pinned: string): Promise<void> {
  await writeRecord(file, { ...(await readRecord(file)), pinned });
}

async function digestOf(file: string, trustKept: boolean): Promise<string | null> {
  const handle = await openExisting(file);
  if (handle === null) return null;
  try {
    const stamp = await stampOf(handle);
    const { measured } = await readRecord(file);
    if (trustKept && measured?.stamp === stamp) return measured.digest;
    const hash = createHash('sha256');
    for await (const part of handle.createReadStream({ autoClose: false })) hash.update(part);
    const digest = hash.digest('hex');
    // A file that is written meanwhile, or a folder that may not be written, is measured again the next time.
    if ((await stampOf(handle)) === stamp) {
      const { pinned } = await readRecord(file);
      await writeRecord(file, { pinned, measured: { digest, stamp } }).catch(() => {});
    }
    return digest;
  } finally {
    await handle.close();
  }
}

async function openExisting(file: string): Promise<FileHandle | null> {
  try {
    return await open(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The change time is part of it because every model file gets the same modification time. */
async function stampOf(handle: FileHandle): Promise<string> {
  const { size, mtimeNs, ctimeNs } = await handle.stat({ bigint: true });
  return `${size} bytes, modified ${mtimeNs}, changed ${ctimeNs}`;
}

async function readRecord(file: string): Promise<Record> {
  const text = await readFile(recordFile(file), 'utf8').catch(() => '');
  const [, digest, stamp] = MEASURED.exec(text) ?? [];
  return {
    pinned: PINNED.exec(text)?.[1] ?? null,
    measured: digest === undefined || stamp === undefined ? null : { digest, stamp },
  };
}

/** Written beside and renamed, so that nobody reads half of it. */
async function writeRecord(file: string, { pinned, measured }: Record): Promise<void> {
  const lines = [
    ...(pinned === null ? [] : [`${pinned}  ${basename(file)}`]),
    ...(measured === null ? [] : [`# measured ${measured.digest} ${measured.stamp}`]),
  ];
  const temporary = `${recordFile(file)}.${process.pid}`;
  try {
    await writeFile(temporary, `${lines.join('\n')}\n`);
    await rename(temporary, recordFile(file));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}
