import { createReadStream } from 'node:fs';
import type { Item } from './items.ts';

const LINE_FEED = 0x0a;

/** The lines of an NDJSON file as they are, byte for byte; blank ones are passed over. */
export async function* readNdjson(path: string): AsyncGenerator<Item> {
  let line = 0;
  /** The beginning of a line whose end is in a later read. */
  let pending: Buffer[] = [];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      const bytes = Buffer.concat([...pending, chunk.subarray(start, end)]);
      pending = [];
      start = end + 1;
      line++;
      if (!isBlank(bytes)) yield { line, bytes };
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
  }
  const bytes = Buffer.concat(pending);
  if (!isBlank(bytes)) yield { line: line + 1, bytes };
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
