/** One record of a file, ready to be sent. */
export interface Item {
  /** The line of the file on which the record begins, from 1. */
  line: number;
  /** One line of NDJSON, without its line end. */
  bytes: Buffer;
  /** What the file calls the record, where its id was made of that. */
  key?: { text: string; id: number };
}

/** Cuts records into batches of at most `maxItems` and `maxBytes`; a larger record is a batch of its own. */
export async function* inBatches(
  items: AsyncIterable<Item>,
  { maxItems, maxBytes }: { maxItems: number; maxBytes: number },
): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  let bytes = 0;
  for await (const item of items) {
    const size = item.bytes.length + 1;
    if (batch.length > 0 && (batch.length >= maxItems || bytes + size > maxBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(item);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** What is left of a sequence after its first `n` items. */
export async function* skip<T>(items: AsyncIterable<T>, n: number): AsyncGenerator<T> {
  let passed = 0;
  for await (const item of items) if (passed++ >= n) yield item;
}
