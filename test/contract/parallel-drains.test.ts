import { expect, test } from 'vitest';
import { applyChange } from '../../functions/ingest/ingest.ts';
import type { Database } from '../../functions/ports/database.ts';
import { HashingEmbedder } from '../support/hashing-embedder.ts';
import { indexedText, readQueueRows } from '../support/inspect.ts';
import { put } from '../support/records.ts';
import { forEachDatabase } from './databases.ts';

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A version of a text of many passages, each of which names the version; lengths differ from version to version. */
const descriptionOf = (version: number) =>
  Array.from({ length: 24 + (version % 7) * 6 }, (_, i) => `Version ${version} says this in its line ${i}.`).join('\n');
const writeOf = (version: number) => put.project(1, { name: 'Plan', description: descriptionOf(version) });
const textOf = (version: number) =>
  `[PROJECT #1] Plan (planning)\nDates: - -> -\nDescription: ${descriptionOf(version)}`;

/** Reads the indexed text of a source again and again, until it is stopped; returns all that it saw. */
function watch(database: Database, source: string): { stop(): Promise<Set<string>> } {
  const seen = new Set<string>();
  let isOn = true;
  const watching = (async () => {
    while (isOn) seen.add(await indexedText(database, source));
  })();
  return {
    async stop() {
      isOn = false;
      await watching;
      return seen;
    },
  };
}

/** Claims rows batch by batch, each in a transaction of its own, until none is left. */
async function claimAll(database: Database, limit: number): Promise<number[]> {
  const claimed: number[] = [];
  for (;;) {
    const rows = await database.transaction('system', (tx) =>
      tx.dialect.claim(tx, { limit, maxAttempts: 5, leaseSeconds: 60, lost: false }),
    );
    if (rows.length === 0) return claimed;
    claimed.push(...rows.map((row) => row.dirtyId));
  }
}

forEachDatabase('two drains at once', (bench) => {
  test('over two versions of one source: readers see one version whole, and the newest is left', async () => {
    const rounds = 50;
    await bench.write(writeOf(0));
    await bench.drain();
    const known = new Map([[textOf(0), 0]]);
    const second = bench.anotherPool();
    const left: (number | undefined)[] = [];

    const watcher = watch(bench.anotherPool(), 'project/1');
    for (let round = 1; round <= rounds; round++) {
      const [older, newer] = [2 * round - 1, 2 * round];
      for (const version of [older, newer]) known.set(textOf(version), version);
      // Every other round the drain with the older version is held back until the newer one is indexed.
      let release = () => {};
      const isNewerIndexed = new Promise<void>((resolve) => {
        release = resolve;
      });
      const slow = new HashingEmbedder();
      let isClaimed = () => {};
      const olderIsClaimed = new Promise<void>((resolve) => {
        isClaimed = resolve;
      });
      slow.before = async () => {
        isClaimed();
        if (round % 2 === 0) await isNewerIndexed;
      };
      await bench.write(writeOf(older));
      const first = bench.drain({}, { embedder: slow });
      await olderIsClaimed;
      await applyChange(second, writeOf(newer));
      await bench.drain({}, { database: second, embedder: new HashingEmbedder() });
      release();
      await first;
      left.push(known.get(await indexedText(bench.database, 'project/1')));
    }
    const seen = await watcher.stop();

    expect(left).toEqual(Array.from({ length: rounds }, (_, i) => 2 * (i + 1)));
    expect([...seen].filter((text) => !known.has(text))).toEqual([]);
    expect(await readQueueRows(bench.database)).toEqual([]);
  });

  test('over many sources: each source is embedded once', async () => {
    const count = 100;
    for (let id = 1; id <= count; id++) await bench.write(put.project(id));
    const [one, other] = [new HashingEmbedder(), new HashingEmbedder()];
    // The first waits with its batch until the second has one too, so that neither does all the work.
    let bothWork = () => {};
    const secondStarted = new Promise<void>((resolve) => {
      bothWork = resolve;
    });
    one.before = () => secondStarted;
    other.before = () => {
      bothWork();
      return pause(1) as Promise<void>;
    };

    const reports = await Promise.all([
      bench.drain({ batchSize: 8 }, { embedder: one }),
      bench.drain({ batchSize: 8 }, { embedder: other, database: bench.anotherPool() }),
    ]);

    expect(one.encoded.length).toBeGreaterThan(0);
    expect(other.encoded.length).toBeGreaterThan(0);
    expect(new Set([...one.encoded, ...other.encoded]).size).toBe(count);
    expect(one.encoded.length + other.encoded.length).toBe(count);
    expect(reports[0].embedded + reports[1].embedded).toBe(count);
    expect(await readQueueRows(bench.database)).toEqual([]);
  });

  test('never claim the same row', async () => {
    const count = 100;
    for (let id = 1; id <= count; id++) await bench.write(put.project(id));

    const claims = await Promise.all([claimAll(bench.database, 3), claimAll(bench.anotherPool(), 4)]);

    const all = claims.flat();
    expect(all).toHaveLength(count);
    expect(new Set(all).size).toBe(count);
  });

  test.runIf(bench.concurrent)('claim past the rows that an open transaction holds, without waiting', async () => {
    for (let id = 1; id <= 10; id++) await bench.write(put.project(id));
    const options = { limit: 5, maxAttempts: 5, leaseSeconds: 60, lost: false };
    const second = bench.anotherPool();

    // The inner transaction could only end after the outer one if it waited for it: the test would not end.
    const [held, passed] = await bench.database.transaction('system', async (tx) => [
      await tx.dialect.claim(tx, options),
      await second.transaction('system', (inner) => inner.dialect.claim(inner, options)),
    ]);

    const ids = [...(held ?? []), ...(passed ?? [])].map((row) => row.dirtyId);
    expect(ids).toHaveLength(10);
    expect(new Set(ids).size).toBe(10);
  });
});
