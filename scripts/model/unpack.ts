import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { basename } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { UserError } from '../user-error.ts';

/** The archive does not hold what it should; another download may. */
export class BadArchive extends UserError {}

/**
 * Writes the file `name` of a zip, whatever folder of the zip it is in, to `target`, and returns its SHA-256. The file
 * must have exactly `bytes` bytes; no more are ever written. Throws {@link BadArchive}.
 */
export async function unpack(zip: string, name: string, bytes: number, target: string): Promise<string> {
  const archive = await openPromise(zip, { autoClose: false }).catch((error: Error) => {
    throw new BadArchive(`What was downloaded is no zip (${error.message})`);
  });
  try {
    const entry = await find(archive, name);
    if (entry.uncompressedSize !== bytes) {
      throw new BadArchive(
        `${name} in the zip has ${entry.uncompressedSize.toLocaleString('en')} bytes, but the model has ` +
          `${bytes.toLocaleString('en')}: it is another one`,
      );
    }
    return await write(archive, entry, target);
  } finally {
    archive.close();
  }
}

async function find(archive: ZipFile, name: string): Promise<Entry> {
  try {
    for await (const entry of archive.eachEntry()) {
      if (basename(entry.fileName) === name) return entry;
    }
  } catch (error) {
    throw new BadArchive(`The zip is broken (${(error as Error).message})`);
  }
  throw new BadArchive(`There is no ${name} in the zip`);
}

async function write(archive: ZipFile, entry: Entry, target: string): Promise<string> {
  const hash = createHash('sha256');
  let checksum = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      checksum = crc32(chunk, checksum);
      done(null, chunk);
    },
  });
  try {
    // The stream ends with an error as soon as it has more bytes than the entry says, or when it has fewer.
    await pipeline(await archive.openReadStreamPromise(entry), measure, createWriteStream(target, { flush: true }));
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall !== undefined) throw error;
    throw new BadArchive(`The zip is broken (${message})`);
  }
  if (checksum !== entry.crc32) throw new BadArchive('The zip is broken (its own checksum differs)');
  return hash.digest('hex');
}
