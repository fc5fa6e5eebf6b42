import { describe, expect, test } from 'vitest';
import { readSourceState } from '../../functions/ask/read.ts';
import { Unavailable } from '../../functions/core/errors.ts';
import { removeDone, requeueParked } from '../../functions/store/queue.ts';
import { switchGenerations } from '../../functions/store/sources.ts';
import { HashingEmbedder, vector } from '../support/hashing-embedder.ts';
import { callerOf, indexedText, letPass, readChunks, readQueueRows } from '../support/inspect.ts';
import { put } from '../support/records.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const MAX_ATTEMPTS = 3;

const refuse = (word: string) => (text: string) => {
  if (text.includes(word)) throw new Error(`cannot embed ${word}`);
};

const stateOf = (bench: Bench, id: number) =>
  readSourceState(
    bench.database,
    { caller: callerOf(1, 'admin'), mayWrite: true, maxAttempts: MAX_ATTEMPTS },
    'project',
    String(id),
  );

const requeue = (bench: Bench) => bench.database.transaction('system', (tx) => requeueParked(tx, MAX_ATTEMPTS));

/** A time of the database, in seconds. */
async function secondsOf(bench: Bench, time: string, from: string): Promise<number> {
  const [row] = await bench.database.rows<{ text: string }>(
    'system',
    `SELECT TO_CHAR(${time}, 'YYYY-MM-DD"T"HH24:MI:SS.FF3') AS text FROM ${from}`,
  );
  return Date.parse(`${row?.text}Z`) / 1000;
}

const clock = (bench: Bench) => secondsOf(bench, 'CURRENT_TIMESTAMP', 'dual');

/** The time of the next attempt of the one row that waits. */
const nextAttempt = (bench: Bench) => secondsOf(bench, 'next_attempt_at', 'rag_dirty');

/** Drains until the one bad source is parked. */
async function drainUntilParked(bench: Bench): Promise<void> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    await bench.drain({ maxAttempts: MAX_ATTEMPTS });
    await letPass(bench.database, 'back-off');
  }
}

forEachDatabase('failure', (bench) => {
  describe('a failing source', () => {
    test('that was written more than once keeps its newest row alone, with the error', async () => {
      bench.embedder.before = refuse('Bad');
      await bench.write(
        put.project(1, { name: 'Good' }),
        put.project(1, { name: 'Bad' }),
        put.project(1, { name: 'Bad' }),
      );
      const newest = (await readQueueRows(bench.database)).at(-1)?.dirty_id;

      expect(await bench.drain()).toMatchObject({ failed: 1 });
      expect(await readQueueRows(bench.database)).toMatchObject([{ dirty_id: newest, attempts: 1, claimed: false }]);
    });

    test('does not hold up the good ones behind it', async () => {
      bench.embedder.before = refuse('Bad');
      await bench.write(put.project(1, { name: 'Bad' }));
      for (let id = 2; id <= 21; id++) await bench.write(put.project(id));

      expect(await bench.drain()).toMatchObject({ embedded: 20, failed: 1, parked: 0, stoppedBy: 'empty' });
      expect(await readChunks(bench.database)).toHaveLength(20);
      expect(bench.logged.filter((line) => line.level === 'error')).toEqual([]);
    });

    test('waits longer after each attempt, and is not tried before its time', async () => {
      bench.embedder.before = refuse('Bad');
      await bench.write(put.project(1, { name: 'Bad' }));
      for (const [attempts, wait] of [
        [1, 2],
        [2, 4],
        [3, 8],
      ] as const) {
        const start = await clock(bench);
        await bench.drain();
        const early = await bench.drain();

        expect(await readQueueRows(bench.database)).toMatchObject([{ attempts, due: false, claimed: false }]);
        expect(await nextAttempt(bench)).toBeGreaterThanOrEqual(start + wait);
        expect(early).toMatchObject({ failed: 0, embedded: 0 });
        await letPass(bench.database, 'back-off');
      }
    });

    test('is parked after its last attempt: kept, not tried again, logged as an error, counted, and shown as failed', async () => {
      bench.embedder.before = refuse('Bad');
      await bench.write(put.project(1, { name: 'Bad' }));
      await drainUntilParked(bench);
      bench.embedder.before = () => {};
      const later = await bench.drain({ maxAttempts: MAX_ATTEMPTS });

      expect(later).toMatchObject({ embedded: 0, failed: 0, parked: 0 });
      expect(await readQueueRows(bench.database)).toMatchObject([{ source: 'project/1', attempts: MAX_ATTEMPTS }]);
      expect(bench.metrics).toEqual(new Map([['sources_parked', 1]]));
      expect(bench.logged.filter((line) => line.level === 'error')).toMatchObject([
        { event: 'source_parked', fields: { source: 'project/1', error: 'Error: cannot embed Bad' } },
      ]);
      const state = await stateOf(bench, 1);
      expect(state).toMatchObject({ state: 'failed', waiting: 0, chunkCount: 0 });
      expect(state.lastError).not.toBeNull();
      expect(state.lastError).not.toContain('cannot embed');
    });

    test('gets a new round when it is requeued, and success leaves no trace of the failure', async () => {
      bench.embedder.before = refuse('Bad');
      await bench.write(put.project(1, { name: 'Bad' }));
      await drainUntilParked(bench);
      bench.embedder.before = () => {};

      const requeued = await requeue(bench);
      const queued = await stateOf(bench, 1);
      const report = await bench.drain({ maxAttempts: MAX_ATTEMPTS });

      expect(requeued).toBe(1);
      expect(queued).toMatchObject({ state: 'queued', waiting: 1 });
      expect(report).toMatchObject({ embedded: 1 });
      expect(await stateOf(bench, 1)).toMatchObject({ state: 'ready', lastError: null, waiting: 0, chunkCount: 1 });
      expect(await readQueueRows(bench.database)).toEqual([]);
      expect(await requeue(bench)).toBe(0);
    });

    test('is mended by a new version that succeeds: its parked row goes too', async () => {
      bench.embedder.before = refuse('Bad');
      await bench.write(put.project(1, { name: 'Bad' }));
      await drainUntilParked(bench);
      await bench.write(put.project(1, { name: 'Good' }));
      await bench.drain({ maxAttempts: MAX_ATTEMPTS });

      expect(await stateOf(bench, 1)).toMatchObject({ state: 'ready', lastError: null });
      expect(await readQueueRows(bench.database)).toEqual([]);
    });

    test('stays as it was indexed before, for those who search', async () => {
      await bench.write(put.project(1, { name: 'Good' }));
      await bench.drain();
      bench.embedder.before = refuse('Bad');
      await bench.write(put.project(1, { name: 'Bad' }));
      await drainUntilParked(bench);

      expect(await indexedText(bench.database, 'project/1')).toContain('Good');
      expect(await stateOf(bench, 1)).toMatchObject({ state: 'failed', chunkCount: 1 });
    });

    test('is not called failed where a newer version was indexed while the older one was failing', async () => {
      await bench.write(put.project(1, { name: 'Bad' }));
      const database = bench.anotherPool();
      bench.embedder.before = async (text) => {
        await bench.write(put.project(1, { name: 'Good' }));
        await bench.drain({}, { database, embedder: new HashingEmbedder() });
        refuse('Bad')(text);
      };
      await bench.drain({ maxAttempts: 1 });

      expect(await indexedText(bench.database, 'project/1')).toContain('Good');
      expect(await stateOf(bench, 1)).toMatchObject({ state: 'ready', lastError: null });
      expect(bench.metrics).toEqual(new Map());
    });

    test.runIf(bench.concurrent).each([
      { source: 'new', indexedBefore: false },
      { source: 'known', indexedBefore: true },
    ])('does not collide with another drain that is just indexing it ($source)', async ({ indexedBefore }) => {
      if (indexedBefore) {
        await bench.write(put.project(1, { name: 'First' }));
        await bench.drain();
      }
      const [before] = await bench.database.rows<{ generation: number }>('system', 'SELECT generation FROM rag_source');
      await bench.write(put.project(1, { name: 'Bad' }));
      const [row] = await readQueueRows(bench.database);
      const ref = { type: 'project' as const, id: '1' };
      const generation = row?.dirty_id ?? 0;
      const work = { ref, action: 'UPSERT' as const, generation, dirtyIds: [generation], attempts: 1 };
      bench.embedder.before = refuse('Bad');

      let failing: Promise<unknown> = Promise.resolve();
      await bench.anotherPool().transaction('system', async (tx) => {
        const foundGeneration = before?.generation;
        if (foundGeneration === undefined) {
          await tx.execute(
            `INSERT INTO rag_source (source_type, source_id, generation, state, chunk_count)
             VALUES ('project', '1', :generation, 'ready', 1)`,
            { generation },
          );
        } else
          await switchGenerations(tx, [
            { ref, foundGeneration, generation, state: 'ready', reason: null, chunkCount: 1 },
          ]);
        failing = bench.drain();
        // Time for the failing drain to come to where it waits for this transaction.
        await new Promise((resolve) => setTimeout(resolve, 300));
        removeDone(tx, [work]);
      });

      await expect(failing).resolves.toMatchObject({ failed: 0, parked: 0, late: 1 });
      expect(await stateOf(bench, 1)).toMatchObject({ state: 'ready', lastError: null });
      expect(await readQueueRows(bench.database)).toEqual([]);
    });

    test('is alone to fail when the database refuses what was made of it', async () => {
      bench.embedder.vectorOf = (text) => (text.includes('Bad') ? 'no vector' : vector(1, 0));
      for (const [i, name] of ['One', 'Bad', 'Three'].entries()) await bench.write(put.project(i + 1, { name }));

      expect(await bench.drain()).toMatchObject({ embedded: 2, failed: 1 });
      expect((await readChunks(bench.database)).map((chunk) => chunk.title)).toEqual(['One', 'Three']);
      expect(await readQueueRows(bench.database)).toMatchObject([{ source: 'project/2', attempts: 1 }]);
    });
  });

  describe('an encoder that is away', () => {
    test('costs no source an attempt, and lets go of all claims', async () => {
      for (let id = 1; id <= 5; id++) await bench.write(put.project(id));
      bench.embedder.before = () => {
        throw new Unavailable('The embedding model cannot be reached');
      };
      for (let i = 0; i < 3; i++) await expect(bench.drain({ maxAttempts: 2 })).rejects.toThrow(Unavailable);
      const whileAway = await readQueueRows(bench.database);
      bench.embedder.before = () => {};
      const report = await bench.drain({ maxAttempts: 2 });

      expect(whileAway).toHaveLength(5);
      for (const row of whileAway)
        expect(row).toMatchObject({ attempts: 0, claimed: false, due: true, last_error: null });
      expect(report).toMatchObject({ embedded: 5, failed: 0 });
    });

    test('does not undo the failed attempt of a source that it had refused before', async () => {
      await bench.write(put.project(1, { name: 'Bad' }), put.project(2));
      bench.embedder.before = (text) => {
        refuse('Bad')(text);
        throw new Unavailable('The embedding model cannot be reached');
      };
      await expect(bench.drain()).rejects.toThrow(Unavailable);

      expect(await readQueueRows(bench.database)).toMatchObject([
        { source: 'project/1', attempts: 1, due: false },
        { source: 'project/2', attempts: 0, due: true },
      ]);
    });
  });
});
