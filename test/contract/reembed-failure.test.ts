import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSourceState } from '../../functions/ask/read.ts';
import { NotFound, Unavailable } from '../../functions/core/errors.ts';
import { readCoverage } from '../../functions/store/models.ts';
import { HashingEmbedder } from '../support/hashing-embedder.ts';
import { callerOf, letPass, readChunks, readQueueRows, storedModelsOf } from '../support/inspect.ts';
import { put, remove } from '../support/records.ts';
import { away, betterModel, dyingAfter, expectIndexedBy, expectRightIn, lines, refuse } from '../support/swap.ts';
import { boot } from './boot.ts';
import { forEachDatabase } from './databases.ts';

forEachDatabase('a swap of the embedding model', (bench) => {
  describe('whose next model', () => {
    test('refuses a source: keeps it in the queue for another try, and its rights and text fresh meanwhile', async () => {
      await bench.write(
        put.employee(1),
        put.employee(2),
        put.task(1, { title: 'Ledger', description: lines('ledger'), assigneeId: 1 }),
      );
      const next = betterModel();
      await bench.drain({}, { next });
      next.before = refuse('Bad');
      await bench.write(
        put.task(1, { title: 'Bad', description: lines('ledger'), assigneeId: 2 }),
        put.task(2, { title: 'Good', assigneeId: 1 }),
      );
      const report = await bench.drain({}, { next });
      const [row] = await readQueueRows(bench.database);
      const models = await storedModelsOf(bench.database, 'task/1');
      const chunks = await readChunks(bench.database, 'task/1');

      expect(report).toMatchObject({ embedded: 1, failed: 1, postponed: 0 });
      expect(row).toMatchObject({ source: 'task/1', attempts: 1, claimed: false, due: false });
      expect(models).toEqual([bench.embedder.model]);
      expect(new Set(chunks.map((chunk) => `${chunk.title} of ${chunk.owner_employee_id}`))).toEqual(
        new Set(['Bad of 2']),
      );
      expect(bench.logged).toMatchObject([
        {
          event: 'source_failed',
          fields: { source: 'task/1', reason: expect.stringMatching(/better: cannot embed Bad/) },
        },
      ]);

      next.before = () => {};
      bench.embedder.calls.length = 0;
      await letPass(bench.database, 'back-off');
      expect(await bench.drain({}, { next })).toMatchObject({ embedded: 1, late: 0 });
      expect(bench.embedder.calls).toEqual([]);
      expect(await readQueueRows(bench.database)).toEqual([]);
      await expectIndexedBy(bench.database, bench.embedder, next);
    });

    test('refuses a source for good: is parked as failed, and answered from by the current model', async () => {
      const next = betterModel();
      next.before = refuse('Bad');
      await bench.write(put.project(1, { name: 'Bad' }));
      for (let attempt = 1; attempt <= 3; attempt++) {
        await bench.drain({ maxAttempts: 3 }, { next });
        await letPass(bench.database, 'back-off');
      }
      const access = { caller: callerOf(9, 'manager'), mayWrite: true, maxAttempts: 3 };

      expect(bench.embedder.calls).toEqual([1]);
      expect(await storedModelsOf(bench.database)).toEqual([bench.embedder.model]);
      expect(await readSourceState(bench.database, access, 'project', '1')).toMatchObject({
        state: 'failed',
        chunkCount: 1,
        lastError: expect.stringContaining('Indexing failed'),
      });
      // A newer version that it takes is whole again.
      await bench.write(put.project(1, { name: 'Good' }));
      await bench.drain({ maxAttempts: 3 }, { next });
      await expectIndexedBy(bench.database, bench.embedder, next);
      expect(await readQueueRows(bench.database)).toEqual([]);
    });

    test('makes vectors that the database refuses: holds up neither the others nor the current model', async () => {
      const next = betterModel();
      next.vectorOf = (text) => (text.includes('Bad') ? Float32Array.of(Number.NaN) : betterModel().vectorOf(text));
      await bench.write(put.project(1, { name: 'One' }), put.project(2, { name: 'Bad' }), put.project(3));

      expect(await bench.drain({}, { next })).toMatchObject({ embedded: 2, failed: 1 });
      expect(await storedModelsOf(bench.database, 'project/1')).toEqual([bench.embedder.model, next.model].sort());
      expect(await storedModelsOf(bench.database, 'project/2')).toEqual([bench.embedder.model]);
    });

    test('is away: costs no attempt, and the current model is kept fresh, batch after batch', async () => {
      await bench.write(
        put.employee(1),
        put.employee(2),
        put.task(1, { title: 'Ledger', description: lines('ledger'), assigneeId: 1 }),
      );
      const next = betterModel();
      await bench.drain({}, { next });
      await bench.write(put.task(1, { title: 'Ledger', description: lines('ledger'), assigneeId: 2 }));
      for (let id = 11; id <= 20; id++) await bench.write(put.project(id));
      const asked: string[] = [];
      next.before = (text) => {
        asked.push(text);
        away();
      };
      const report = await bench.drain({ batchSize: 4 }, { next });
      const rows = await readQueueRows(bench.database);
      const owners = new Set((await readChunks(bench.database, 'task/1')).map((chunk) => chunk.owner_employee_id));

      expect(report).toMatchObject({ postponed: 11, failed: 0, embedded: 0, stoppedBy: 'empty' });
      expect(asked).toHaveLength(1);
      expect(owners).toEqual(new Set([2]));
      expect(rows).toHaveLength(11);
      for (const row of rows) expect(row).toMatchObject({ attempts: 0, claimed: false, due: false, last_error: null });
      expect(await storedModelsOf(bench.database, 'project/20')).toEqual([bench.embedder.model]);
      expect(bench.logged.map((line) => line.event)).toEqual(['next_model_away']);

      // Its sources are not written again and again while it stays away.
      await letPass(bench.database, 'back-off');
      const updated = async () =>
        bench.database.rows(
          'system',
          'SELECT chunk_id, CAST(updated_at AS VARCHAR(64)) AS changed FROM rag_chunk ORDER BY chunk_id',
        );
      const before = await updated();
      expect(await bench.drain({ batchSize: 4 }, { next })).toMatchObject({ postponed: 11 });
      expect(await updated()).toEqual(before);

      next.before = () => {};
      bench.embedder.calls.length = 0;
      await letPass(bench.database, 'back-off');
      expect(await bench.drain({}, { next })).toMatchObject({ embedded: 11, postponed: 0 });
      expect(bench.embedder.calls).toEqual([]);
      await expectIndexedBy(bench.database, bench.embedder, next);
      expect(await readQueueRows(bench.database)).toEqual([]);
    });

    test('is away while the current model is too: gives the claims back, as ever', async () => {
      const next = betterModel();
      bench.embedder.before = away;
      next.before = away;
      await bench.write(put.project(1));

      await expect(bench.drain({}, { next })).rejects.toThrow(Unavailable);
      expect(await readQueueRows(bench.database)).toMatchObject([{ attempts: 0, claimed: false, due: true }]);
    });

    test('is owed chunks when it becomes the current one in place: the queued source gets them', async () => {
      const next = betterModel();
      next.before = away;
      await bench.write(put.project(1), put.project(2));
      await bench.drain({}, { next });
      next.before = () => {};

      await boot(bench, { embeddingModel: next.model, reembed: true });
      await letPass(bench.database, 'back-off');
      await bench.drain({}, { embedder: next });

      await expectIndexedBy(bench.database, next);
    });
  });

  describe('when drains stop or meet', () => {
    test('a drain that is killed, wherever it is, loses nothing: the next one goes on', async () => {
      for (let transactions = 0; transactions <= 9; transactions++) {
        const next = betterModel();
        next.before = refuse('Bad');
        await bench.write(
          put.project(1, { name: `Bad ${transactions}` }),
          put.project(2, { name: `B ${transactions}` }),
        );
        await bench.write(put.task(transactions + 1, { description: lines('word') }));
        const database = dyingAfter(bench.database, transactions);
        await bench.drain({ batchSize: 2 }, { next, database }).catch(() => {});
        next.before = () => {};
        await letPass(bench.database, 'lease');
        await letPass(bench.database, 'back-off');
        const report = await bench.drain({}, { next });

        expect(report).toMatchObject({ failed: 0, parked: 0 });
        expect(await readQueueRows(bench.database)).toEqual([]);
        await expectIndexedBy(bench.database, bench.embedder, next);
      }
    });

    test('two drains at once embed each source once by each model', async () => {
      for (let id = 1; id <= 40; id++) await bench.write(put.project(id));
      const [one, other] = [betterModel(), betterModel()];
      const [first, second] = [new HashingEmbedder(), new HashingEmbedder()];
      let bothWork = () => {};
      const otherStarted = new Promise<void>((resolve) => {
        bothWork = resolve;
      });
      one.before = () => otherStarted;
      other.before = bothWork;

      await Promise.all([
        bench.drain({ batchSize: 4 }, { embedder: first, next: one }),
        bench.drain({ batchSize: 4 }, { embedder: second, next: other, database: bench.anotherPool() }),
      ]);

      for (const embedders of [
        [one, other],
        [first, second],
      ]) {
        const encoded = embedders.flatMap((embedder) => embedder.encoded);
        expect(encoded).toHaveLength(40);
        expect(new Set(encoded).size).toBe(40);
      }
      await expectIndexedBy(bench.database, bench.embedder, one);
      expect(await readQueueRows(bench.database)).toEqual([]);
    });

    test('a drain that is overtaken writes nothing, in either model', async () => {
      const next = betterModel();
      await bench.write(put.project(1, { name: 'Plan', description: lines('first', 20) }));
      await bench.drain({}, { next });
      await bench.write(put.project(1, { name: 'Plan', description: lines('second', 25) }));
      const slow = betterModel();
      slow.before = async (text) => {
        if (slow.calls.length > 0 || !text.includes('number0 ')) return;
        await bench.write(put.project(1, { name: 'Plan', description: lines('third', 10) }));
        await bench.drain({}, { next: betterModel(), database: bench.anotherPool() });
      };

      expect(await bench.drain({}, { next: slow })).toMatchObject({ embedded: 0, late: 0 });
      await bench.drain({}, { next });
      await expectIndexedBy(bench.database, bench.embedder, next);
      expect(await readQueueRows(bench.database)).toEqual([]);
    });

    test('two drains that both fill in what one source is owed leave it whole, with the newest text', async () => {
      const next = betterModel();
      next.before = refuse('Bad');
      await bench.write(put.project(1, { name: 'Bad', description: lines('old') }));
      await bench.drain({}, { next });
      await letPass(bench.database, 'back-off');
      const slow = betterModel();
      let release = () => {};
      const isOvertaken = new Promise<void>((resolve) => {
        release = resolve;
      });
      let isWorking = () => {};
      const works = new Promise<void>((resolve) => {
        isWorking = resolve;
      });
      slow.before = () => {
        isWorking();
        return isOvertaken;
      };
      const first = bench.drain({}, { next: slow });
      await works;
      // The record has changed; its new row waits while the first one comes back with its lease.
      await bench.write(put.project(1, { name: 'Fine', description: lines('new') }));
      await letPass(bench.database, 'lease');
      await bench.drain({}, { next: betterModel(), database: bench.anotherPool() });
      release();
      await first;
      await bench.drain({}, { next: betterModel() });

      await expectIndexedBy(bench.database, bench.embedder, next);
      expect(await readQueueRows(bench.database)).toEqual([]);
    });

    test('a drain that knows nothing of the swap leaves no old chunk of the next model behind', async () => {
      await bench.write(
        put.employee(1),
        put.employee(2),
        put.task(1, { title: 'Ledger', description: lines('ledger'), assigneeId: 1 }),
      );
      const next = betterModel();
      await bench.drain({}, { next });
      await bench.write(put.project(1, { name: 'Renamed', description: lines('payment') }));
      await bench.drain();
      const { missing } = await readCoverage(bench.database, next.model);
      const { enqueued } = await boot(bench, { nextModel: next.model });
      await bench.drain({}, { next });

      expect(missing).toBe(1);
      expect(enqueued).toBe(1);
      await expectIndexedBy(bench.database, bench.embedder, next);
    });
  });

  test('whatever is written, and whatever the next model does: the current one is right after each drain, in the end both', async () => {
    await bench.write(put.employee(1), put.employee(2));
    const moods = { works: () => {}, refuses: refuse('Bad'), 'is away': away, 'is unknown': null };
    const id = fc.integer({ min: 1, max: 3 });
    const write = fc.record({
      id,
      word: fc.constantFrom('payment', 'ledger', 'Bad'),
      count: fc.integer({ min: 0, max: 14 }),
      assigneeId: fc.constantFrom(1, 2, null),
    });
    const steps = {
      write: write.map(({ id, word, count, assigneeId }) => async () => {
        await bench.write(put.task(id, { title: word, description: lines(word, count), assigneeId }));
      }),
      delete: id.map((gone) => async () => {
        await bench.write(remove('task', gone)).catch((error) => expect(error).toBeInstanceOf(NotFound));
      }),
      boot: fc.constant(async () => {
        await boot(bench, { nextModel: 'better' });
      }),
      drain: fc.constantFrom(...Object.values(moods)).map((before) => async () => {
        const next = betterModel();
        if (before !== null) next.before = before;
        await letPass(bench.database, 'back-off');
        await bench.drain({ batchSize: 2, maxAttempts: 50 }, { next: before === null ? null : next });
        await expectRightIn(bench.database, bench.embedder);
      }),
    };
    const step = fc.oneof(
      { weight: 4, arbitrary: steps.write },
      { weight: 1, arbitrary: steps.delete },
      { weight: 1, arbitrary: steps.boot },
      { weight: 4, arbitrary: steps.drain },
    );
    const check = async (some: (() => Promise<void>)[]) => {
      for (const one of some) await one();
      await letPass(bench.database, 'back-off');
      await bench.drain({ maxAttempts: 50 }, { next: betterModel() });
      await boot(bench, { nextModel: 'better' });
      await bench.drain({ maxAttempts: 50 }, { next: betterModel() });
      await expectIndexedBy(bench.database, bench.embedder, betterModel());
      expect(await readQueueRows(bench.database)).toEqual([]);
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), check), {
      numRuns: 10,
      endOnFailure: true,
    });
  });
});
