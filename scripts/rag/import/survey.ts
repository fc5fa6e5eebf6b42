import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { UserError } from '../../user-error.ts';
import type { Item } from './items.ts';

/**
 * Reads a file once before anything is sent: how many records it has. Two keys with the same number would overwrite
 * each other, so they are refused, naming both lines.
 */
export async function countRecords(items: AsyncIterable<Item>): Promise<number> {
  const seen = new Map<number, { text: string; line: number }>();
  let records = 0;
  for await (const { key, line } of items) {
    records++;
    if (key === undefined) continue;
    const before = seen.get(key.id);
    if (before === undefined) seen.set(key.id, { text: key.text, line });
    else if (before.text !== key.text) {
      throw new UserError(
        `${before.text} (line ${before.line}) and ${key.text} (line ${line}) would both be number ${key.id}; ` +
          'give them numbers that differ',
      );
    }
  }
  return records;
}

/** The SHA-256 of a file, as 64 hex digits. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
