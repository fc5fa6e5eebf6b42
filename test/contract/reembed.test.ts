import { describe, expect, test } from 'vitest';
import { readStatus } from '../../functions/ask/read.ts';
import { ModelMismatch } from '../../functions/core/errors.ts';
import { seesEverything } from '../../functions/core/scope.ts';
import { HashingEmbedder } from '../support/hashing-embedder.ts';
import { callerOf, letPass, readChunks, readQueueRows, storedModelsOf, waitingSources } from '../support/inspect.ts';
import { put, remove } from '../support/records.ts';
import { betterModel, dyingAfter, expectIndexedBy, lines, refuse, searchBy } from '../support/swap.ts';
import { boot } from './boot.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const MANAGER = callerOf(9, 'manager');
const CALLERS = [callerOf(1), callerOf(2), MANAGER];

/** Two people, and records short and long, shared and owned. */
async function writeRecords(bench: Bench): Promise<void> {
  await bench.write(
    put.employee(1),
    put.employee(2),
    put.project(1, { name: 'Payments', description: lines('payment') }),
    put.sprint(1, { name: 'Refunds', goal: lines('refund', 12) }),
    put.task(1, { title: 'Ledger', description: lines('ledger'), assigneeId: 1 }),
    put.task(2, { title: 'Login', assigneeId: 2 }),
  );
}

/** Everything that each person finds, with distances, chunk ids and the passages beside. */
async function searchAll(bench: Bench, model: HashingEmbedder) {
  const questions = ['payment rules number10', 'refund', 'which ledger rule', 'login', 'number7 number8'];
  const found = [];
  for (const caller of CALLERS) {
    for (const text of questions) {
      found.push(await searchBy(bench.database, caller, model, text));
    }
  }
  return found;
}

const statusOf = async (bench: Bench, nextModel: string | null, caller = MANAGER) =>
  readStatus({
    database: bench.database,
    caller,
    maxAttempts: 5,
    embeddingModel: bench.embedder.model,
    nextModel,
    vectorIndex: null,
    answerModel: 'none',
  });

forEachDatabase('a swap of the embedding model', (bench) => {
  describe('while it is prepared', () => {
    test('every search finds what it found before, and shows the same beside it', async () => {
      await writeRecords(bench);
      await bench.drain();
      const before = await searchAll(bench, bench.embedder);
      const { chunks } = await statusOf(bench, null);
      const next = betterModel();

      await boot(bench, { nextModel: next.model });
      const halfway = await bench
        .drain({ batchSize: 1 }, { next, database: dyingAfter(bench.database, 8) })
        .catch(() => 0);
      const beforeEnd = await searchAll(bench, bench.embedder);
      const models = await storedModelsOf(bench.database);
      await letPass(bench.database, 'lease');
      await bench.drain({}, { next });

      expect(halfway).toBe(0);
      expect(models).toEqual([bench.embedder.model, next.model].sort());
      expect(beforeEnd).toEqual(before);
      expect(await searchAll(bench, bench.embedder)).toEqual(before);
      expect((await statusOf(bench, next.model)).chunks).toBe(chunks);
      await expectIndexedBy(bench.database, bench.embedder, next);
    });

    test('each record is enqueued once, and embedded by the next model alone', async () => {
      await writeRecords(bench);
      await bench.drain();
      bench.embedder.encoded.length = 0;
      const next = betterModel();

      const first = await boot(bench, { nextModel: next.model, backfill: false });
      const again = await boot(bench, { nextModel: next.model });
      const drained = await bench.drain({}, { next });
      const later = await boot(bench, { nextModel: next.model });

      expect([first.enqueued, again.enqueued, later.enqueued]).toEqual([4, 0, 0]);
      expect(drained).toMatchObject({ embedded: 4, failed: 0 });
      expect(bench.embedder.encoded).toEqual([]);
      expect(new Set(next.encoded).size).toBe(next.encoded.length);
      expect(next.calls).toHaveLength(1);
    });

    test('what is written, deleted or given to somebody else is right in both models', async () => {
      await writeRecords(bench);
      await bench.drain();
      const next = betterModel();
      await boot(bench, { nextModel: next.model });
      await bench.drain({}, { next });

      await bench.write(
        put.task(2, { title: 'Login', description: lines('login'), assigneeId: 2 }),
        put.task(3, { title: 'New', description: lines('new'), assigneeId: 1 }),
        put.project(1, { name: 'Payments', description: lines('invoice', 20) }),
        remove('sprint', 1),
      );
      await bench.drain({}, { next });
      await expectIndexedBy(bench.database, bench.embedder, next);

      await bench.write(
        put.task(3, { title: 'New', description: lines('new'), assigneeId: 2 }),
        remove('employee', 1),
        remove('project', 1),
      );
      await bench.drain({}, { next });
      await expectIndexedBy(bench.database, bench.embedder, next);
    });

    test('a source whose text is the same is embedded by neither model', async () => {
      await writeRecords(bench);
      const next = betterModel();
      await bench.drain({}, { next });
      const calls = [bench.embedder.calls.length, next.calls.length];
      await writeRecords(bench);

      expect(await bench.drain({}, { next })).toMatchObject({ unchanged: 4, embedded: 0 });
      expect([bench.embedder.calls.length, next.calls.length]).toEqual(calls);
      await expectIndexedBy(bench.database, bench.embedder, next);
    });

    test('chunks of a third model go when their source is drained', async () => {
      await writeRecords(bench);
      await bench.drain({}, { next: new HashingEmbedder('third', 300) });
      const next = betterModel();

      const { enqueued, outdated } = await boot(bench, { nextModel: next.model });
      await bench.drain({}, { next });

      expect(enqueued + outdated).toBe(4);
      await expectIndexedBy(bench.database, bench.embedder, next);
    });

    test('who may see everything sees how far it is', async () => {
      await writeRecords(bench);
      await bench.drain();
      const next = betterModel();
      const none = await statusOf(bench, null);
      const begun = await statusOf(bench, next.model);
      next.before = refuse('Ledger');
      await boot(bench, { nextModel: next.model });
      await bench.drain({}, { next });

      expect(none.reembedding).toBeNull();
      expect(begun.reembedding).toEqual({ model: 'better', done: 0, missing: 4 });
      for (const caller of CALLERS) {
        const { reembedding } = await statusOf(bench, next.model, caller);
        expect(reembedding).toEqual(seesEverything(caller) ? { model: 'better', done: 3, missing: 1 } : null);
      }
    });
  });

  describe('when it is made', () => {
    test('leaves chunks of the new model only, and finds by it at once', async () => {
      await writeRecords(bench);
      await bench.drain();
      const next = betterModel();
      await boot(bench, { nextModel: next.model });
      await bench.drain({}, { next });
      const prepared = await searchAll(bench, next);

      const report = await boot(bench, { embeddingModel: next.model });
      const found = await searchAll(bench, next);
      const calls = next.calls.length;
      const drained = await bench.drain({}, { embedder: next });

      expect(report).toEqual({ migrated: [], loaded: [], enqueued: 0, outdated: 4 });
      expect(found).toEqual(prepared);
      expect(found.flat().length).toBeGreaterThan(0);
      expect(drained).toMatchObject({ unchanged: 4, embedded: 0 });
      expect(next.calls.length).toBe(calls);
      expect(await searchAll(bench, next)).toEqual(prepared);
      await expectIndexedBy(bench.database, next);
      expect(await boot(bench, { embeddingModel: next.model })).toEqual({
        migrated: [],
        loaded: [],
        enqueued: 0,
        outdated: 0,
      });
    });

    test.each([
      { how: 'half done', refused: 'Ledger', missing: 1 },
      { how: 'not begun', refused: null, missing: 4 },
    ])('is refused where it is $how, saying how much is missing and what to do', async ({ refused, missing }) => {
      await writeRecords(bench);
      await bench.drain();
      const next = betterModel();
      if (refused !== null) {
        next.before = refuse(refused);
        await boot(bench, { nextModel: next.model });
        await bench.drain({}, { next });
      }
      const before = await readChunks(bench.database);
      const waiting = await waitingSources(bench.database);
      const error = await boot(bench, { embeddingModel: next.model }).catch((thrown: unknown) => thrown);

      expect(error).toBeInstanceOf(ModelMismatch);
      const { message } = error as Error;
      expect(message).toContain(`of 4 records, ${missing} have no chunks of better`);
      expect(message).toContain(`RAG_EMBEDDING_MODEL=${bench.embedder.model} and RAG_EMBEDDING_NEXT_MODEL=better`);
      expect(message).toContain('{"reembed":true}');
      expect(await readChunks(bench.database)).toEqual(before);
      expect(await waitingSources(bench.database)).toEqual(waiting);
      // The same with the models exchanged: the new one would answer from what it has.
      await expect(boot(bench, { embeddingModel: next.model, nextModel: bench.embedder.model })).rejects.toThrow(
        ModelMismatch,
      );
    });

    test('while writes wait in the queue, these end in the new model alone', async () => {
      await writeRecords(bench);
      const next = betterModel();
      await bench.drain({}, { next });
      await bench.write(put.task(1, { title: 'Ledger', assigneeId: 2 }), put.task(5), remove('task', 2));

      const { outdated } = await boot(bench, { embeddingModel: next.model });
      await bench.drain({}, { embedder: next });

      expect(outdated).toBe(2);
      await expectIndexedBy(bench.database, next);
    });

    test('by two bootstraps at once, while a drain of before still works, loses nothing', async () => {
      for (let id = 1; id <= 20; id++) await bench.write(put.project(id, { description: lines('word', 10) }));
      const next = betterModel();
      await bench.drain({}, { next });
      for (let id = 1; id <= 20; id += 3) await bench.write(put.project(id, { description: lines('other', 12) }));

      const [one, other] = await Promise.all([
        boot(bench, { embeddingModel: next.model }),
        boot(bench, { embeddingModel: next.model, database: bench.anotherPool() }),
        bench.drain({ batchSize: 2 }, { next, database: bench.anotherPool() }),
      ]);
      await bench.drain({}, { embedder: next });
      await boot(bench, { embeddingModel: next.model });
      await bench.drain({}, { embedder: next });

      expect((one?.outdated ?? 0) + (other?.outdated ?? 0)).toBeGreaterThan(0);
      await expectIndexedBy(bench.database, next);
      expect(await readQueueRows(bench.database)).toEqual([]);
    });

    test('is given up by taking the next model out of the settings: its chunks go', async () => {
      await writeRecords(bench);
      await bench.drain();
      const before = await searchAll(bench, bench.embedder);
      const next = betterModel();
      next.before = refuse('Ledger');
      await boot(bench, { nextModel: next.model });
      await bench.drain({}, { next });

      const { outdated } = await boot(bench);
      await letPass(bench.database, 'back-off');
      await bench.drain();

      expect(outdated).toBe(3);
      expect(await searchAll(bench, bench.embedder)).toEqual(before);
      await expectIndexedBy(bench.database, bench.embedder);
      expect(await readQueueRows(bench.database)).toEqual([]);
    });
  });
});
