import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { SourceContent, SourceRef } from '../../functions/core/kinds/kind.ts';
import { passagesOf } from '../../functions/core/passages.ts';
import { DEFAULT_CUTTING } from '../../functions/drain/plan.ts';
import { loadContents } from '../../functions/store/kinds.ts';
import { stagedName } from '../../functions/store/staged.ts';
import { HashingEmbedder } from '../support/hashing-embedder.ts';
import { callerOf, indexedText, letPass, readChunks, readQueueRows } from '../support/inspect.ts';
import { put, remove } from '../support/records.ts';
import { away, betterModel, dyingAfter, lines, refuse, searchBy } from '../support/swap.ts';
import { type Bench, forEachDatabase } from './databases.ts';

/** The passages that are embedded at once. */
const SLICE = 64;

/** A task of about 150 passages. */
const large = (word: string, count = 1200) => put.task(1, { title: 'Handbook', description: lines(word, count) });

/** What is stored under the name of the bench's model, and what is staged for it. */
async function storedTexts(bench: Bench) {
  const chunks = await readChunks(bench.database, 'task/1');
  const of = (model: string) => chunks.filter((chunk) => chunk.embedding_model === model).map((chunk) => chunk.content);
  return { live: of(bench.embedder.model), staged: of(stagedName(bench.embedder.model)) };
}

/**
 * Checks that what is stored are the passages of the records, by these models alone, each with its own vector: looked at
 * for a few, since a search for each of so many takes long.
 */
async function expectWhole(bench: Bench, ...models: HashingEmbedder[]): Promise<void> {
  const chunks = await readChunks(bench.database);
  for (const source of new Set(chunks.map((chunk) => chunk.source))) {
    const ref: SourceRef = { type: 'task', id: source.slice('task/'.length) };
    const contents = await bench.database.transaction('system', (tx) => loadContents(tx, [ref]));
    const content = contents.get(source)?.() as SourceContent;
    for (const { model, window } of models) {
      const stored = chunks.filter((chunk) => chunk.source === source && chunk.embedding_model === model);
      const passages = passagesOf(content, { ...DEFAULT_CUTTING, window });
      expect(stored.map((chunk) => chunk.content)).toEqual(passages.map((passage) => passage.content));
    }
  }
  const names = models.map(({ model }) => model);
  expect(chunks.filter((chunk) => !names.includes(chunk.embedding_model))).toEqual([]);
  for (const model of models) {
    for (const at of [0, SLICE, 2 * SLICE - 1]) {
      const text = chunks.filter((chunk) => chunk.embedding_model === model.model)[at]?.content;
      if (text === undefined) continue;
      const [hit] = await searchBy(bench.database, callerOf(9, 'manager'), model, text, 1);
      expect(hit).toMatchObject({ content: text, distance: expect.closeTo(0, 5) });
    }
  }
}

/** Lets the deadline come near while the embedder is at the call of that number, from 1. */
function deadlineAtCall(embedder: HashingEmbedder, call: number): Date {
  const deadline = new Date(Date.now() + 3_600_000);
  embedder.before = () => {
    if (embedder.calls.length === call - 1) deadline.setTime(0);
  };
  return deadline;
}

/** Stages two slices of what is written, and stops. */
async function stageSome(bench: Bench): Promise<string[]> {
  bench.embedder.calls.length = 0;
  const report = await bench.drain({ deadline: deadlineAtCall(bench.embedder, 2) });
  expect(report).toMatchObject({ stoppedBy: 'deadline', embedded: 0 });
  bench.embedder.before = () => {};
  bench.embedder.calls.length = 0;
  const staged = bench.embedder.encoded.splice(0);
  expect(staged).toHaveLength(2 * SLICE);
  return staged;
}

/** Runs something once, when the embedder has made that many calls. */
function afterCalls(embedder: HashingEmbedder, calls: number, run: () => Promise<unknown>): void {
  let isDone = false;
  embedder.before = async () => {
    if (isDone || embedder.calls.length < calls) return;
    isDone = true;
    await run();
  };
}

forEachDatabase('a source with more passages than are embedded at once', (bench) => {
  test('is embedded slice by slice, and readers see the old version whole until the new one is', async () => {
    await bench.write(large('old'));
    await bench.drain();
    const before = await storedTexts(bench);
    await bench.write(large('new'));
    bench.embedder.calls.length = 0;
    const seen: { live: string[]; found: string[] }[] = [];
    afterCalls(bench.embedder, 2, async () => {
      const hits = await searchBy(bench.database, callerOf(9, 'manager'), bench.embedder, 'new rule', 50);
      seen.push({ live: (await storedTexts(bench)).live, found: hits.map((hit) => hit.content) });
    });

    expect(await bench.drain()).toMatchObject({ embedded: 1, failed: 0, stoppedBy: 'empty' });
    expect(Math.max(...bench.embedder.calls)).toBe(SLICE);
    expect(seen).toHaveLength(1);
    expect(seen[0]?.live).toEqual(before.live);
    expect(seen[0]?.found.filter((text) => !before.live.includes(text))).toEqual([]);
    await expectWhole(bench, bench.embedder);
    expect(await readQueueRows(bench.database)).toEqual([]);
  });

  test('goes on where a drain was killed, wherever that was, and embeds at most one slice again', async () => {
    for (let transactions = 5; transactions <= 10; transactions++) {
      await bench.write(large(`word${transactions}`));
      bench.embedder.encoded.length = 0;
      await bench.drain({}, { database: dyingAfter(bench.database, transactions) }).catch(() => {});
      await letPass(bench.database, 'lease');
      await bench.drain();

      const passages = (await storedTexts(bench)).live.length;
      expect(passages).toBeGreaterThan(2 * SLICE);
      expect(bench.embedder.encoded.length).toBeLessThanOrEqual(passages + SLICE);
      await expectWhole(bench, bench.embedder);
      expect(await readQueueRows(bench.database)).toEqual([]);
    }
  });

  test('is given back when the deadline is near, at no attempt, and done by the next drain, which embeds the rest', async () => {
    await bench.write(large('old', 20));
    await bench.drain();
    bench.embedder.encoded.length = 0;
    await bench.write(large('new'));
    const staged = await stageSome(bench);
    const { live } = await storedTexts(bench);
    const rows = await readQueueRows(bench.database);
    await bench.drain();

    expect(live.join()).toContain('old');
    expect(live.join()).not.toContain('new');
    expect(rows).toMatchObject([{ source: 'task/1', attempts: 0, claimed: false, due: true }]);
    expect(bench.embedder.encoded.filter((text) => staged.includes(text))).toEqual([]);
    expect(bench.embedder.encoded.length).toBeGreaterThan(0);
    await expectWhole(bench, bench.embedder);
  });

  test('that changes while it is staged keeps of that what fits, and nothing else', async () => {
    await bench.write(large('rule'));
    const staged = await stageSome(bench);
    const half = lines('rule', 400);
    await bench.write(put.task(1, { title: 'Handbook', description: `${half}\n${lines('other', 600)}` }));
    await bench.drain();
    const { live } = await storedTexts(bench);

    expect(bench.embedder.encoded.filter((text) => staged.includes(text))).toEqual([]);
    expect(live.filter((text) => staged.includes(text)).length).toBeGreaterThan(20);
    expect(new Set(bench.embedder.encoded).size).toBe(bench.embedder.encoded.length);
    await expectWhole(bench, bench.embedder);
  });

  test('that shrinks while it is staged is switched at once, and leaves nothing staged', async () => {
    await bench.write(large('rule'));
    const staged = await stageSome(bench);
    await bench.write(large('rule', 60));
    await bench.drain();

    expect((await storedTexts(bench)).live.filter((text) => staged.includes(text)).length).toBeGreaterThan(3);
    expect(bench.embedder.encoded.length).toBeLessThan(3);
    await expectWhole(bench, bench.embedder);
  });

  test('that goes back to what is indexed while it is staged leaves nothing staged', async () => {
    await bench.write(large('old', 20));
    await bench.drain();
    await bench.write(large('new'));
    bench.embedder.encoded.length = 0;
    await stageSome(bench);
    await bench.write(large('old', 20));

    expect(await bench.drain()).toMatchObject({ unchanged: 1 });
    await expectWhole(bench, bench.embedder);
  });

  test('that is deleted after a part of it was staged leaves nothing', async () => {
    await bench.write(large('rule'));
    await stageSome(bench);
    await bench.write(remove('task', 1));

    expect(await bench.drain()).toMatchObject({ removed: 1 });
    expect(await readChunks(bench.database)).toEqual([]);
    expect(await readQueueRows(bench.database)).toEqual([]);
  });

  test.each([
    { what: 'was never indexed', indexed: false },
    { what: 'was indexed', indexed: true },
  ])(
    'that is deleted by another drain while it is being staged leaves nothing, where it $what',
    async ({ indexed }) => {
      if (indexed) {
        await bench.write(large('old', 20));
        await bench.drain();
      }
      await bench.write(large('rule'));
      const other = bench.anotherPool();
      bench.embedder.calls.length = 0;
      afterCalls(bench.embedder, 1, async () => {
        await bench.write(remove('task', 1));
        await bench.drain({}, { database: other, embedder: new HashingEmbedder() });
      });
      await bench.drain();

      expect(await readChunks(bench.database)).toEqual([]);
      expect(await readQueueRows(bench.database)).toEqual([]);
    },
  );

  test('leaves nothing staged where another drain has put a small version in its place meanwhile', async () => {
    await bench.write(large('old', 20));
    await bench.drain();
    await bench.write(large('rule'));
    const other = bench.anotherPool();
    bench.embedder.calls.length = 0;
    // The other drain has read what is indexed before anything is staged.
    let isRead = () => {};
    const reading = new Promise<void>((resolve) => {
      isRead = resolve;
    });
    let mayGoOn = () => {};
    const held = new Promise<void>((resolve) => {
      mayGoOn = resolve;
    });
    const slow = new HashingEmbedder();
    slow.before = () => {
      isRead();
      return held;
    };
    let switched: Promise<unknown> = Promise.resolve();
    const moments = [
      async () => {
        await bench.write(large('small', 20));
        switched = bench.drain({}, { database: other, embedder: slow });
        await reading;
      },
      async () => {
        mayGoOn();
        await switched;
      },
    ];
    bench.embedder.before = async () => {
      const { length } = bench.embedder.calls;
      if (length < 2) await moments[length]?.();
      moments[length] = async () => {};
    };
    await bench.drain();

    expect(await indexedText(bench.database, 'task/1')).toContain('small');
    await expectWhole(bench, bench.embedder);
    expect(await readQueueRows(bench.database)).toEqual([]);
  });

  test('is left to the drain that works on an older change of it, and the newer one is not lost', async () => {
    await bench.write(large('first'));
    const other = bench.anotherPool();
    const idle = new HashingEmbedder();
    let waiting: unknown;
    afterCalls(bench.embedder, 1, async () => {
      await bench.write(large('second'));
      waiting = await bench.drain({}, { database: other, embedder: idle });
      expect(await readQueueRows(bench.database)).toMatchObject([
        { claimed: true },
        { claimed: false, attempts: 0, due: false },
      ]);
    });
    await bench.drain();
    const first = await indexedText(bench.database, 'task/1');
    await letPass(bench.database, 'back-off');
    await bench.drain();

    expect(waiting).toMatchObject({ embedded: 0, failed: 0 });
    expect(idle.encoded.length).toBeLessThanOrEqual(SLICE);
    expect(first).toContain('The first rule number1199 ');
    expect(await indexedText(bench.database, 'task/1')).toContain('The second rule number1199 ');
    await expectWhole(bench, bench.embedder);
  });

  test('that is written anew during its drain is done in its newest version, once', async () => {
    await bench.write(large('first'));
    afterCalls(bench.embedder, 1, () => bench.write(large('second')));

    expect(await bench.drain()).toMatchObject({ embedded: 1, failed: 0 });
    expect(await indexedText(bench.database, 'task/1')).toContain('The second rule number1199 ');
    await expectWhole(bench, bench.embedder);
    expect(await readQueueRows(bench.database)).toEqual([]);
  });

  test('goes after its neighbours, and each slice of it after what has come meanwhile', async () => {
    await bench.write(large('rule'));
    for (let id = 2; id <= 5; id++) await bench.write(put.project(id));
    afterCalls(bench.embedder, 2, () => bench.write(put.project(6)));
    await bench.drain({ batchSize: 3 });

    const sizes = bench.embedder.encoded.map((text) => (text.startsWith('[PROJECT') ? 'project' : 'passage'));
    expect(sizes.slice(0, 4 + SLICE)).toEqual([...Array(4).fill('project'), ...Array(SLICE).fill('passage')]);
    expect(sizes.lastIndexOf('project')).toBeLessThan(5 + 2 * SLICE);
    expect(sizes.filter((size) => size === 'project')).toHaveLength(5);
  });

  test('that the embedder or the database refuses in part fails as a whole: attempt by attempt, until it is parked', async () => {
    await bench.write(large('rule', 1190), put.project(2));
    bench.embedder.vectorOf = (text) =>
      text.includes('number700 ') ? 'no vector' : new HashingEmbedder().vectorOf(text);
    const first = await bench.drain({ maxAttempts: 2 });
    const rows = await readQueueRows(bench.database);
    await letPass(bench.database, 'back-off');
    const second = await bench.drain({ maxAttempts: 2 });

    expect(first).toMatchObject({ failed: 1, embedded: 1, parked: 0 });
    expect(rows).toMatchObject([{ source: 'task/1', attempts: 1, claimed: false }]);
    expect(second).toMatchObject({ parked: 1, failed: 0 });
    expect((await storedTexts(bench)).live).toEqual([]);
  });

  test('costs no attempt while the encoder is away, and keeps what is staged', async () => {
    await bench.write(large('rule'), put.task(2, { description: lines('more', 1200) }));
    bench.embedder.before = () => {
      if (bench.embedder.calls.length >= 2) away();
    };
    await expect(bench.drain()).rejects.toThrow('cannot be reached');
    const rows = await readQueueRows(bench.database);
    const staged = bench.embedder.encoded.splice(0);
    bench.embedder.before = () => {};
    await bench.drain();

    expect(rows).toMatchObject([1, 2].map((id) => ({ source: `task/${id}`, attempts: 0, claimed: false, due: true })));
    expect(bench.embedder.encoded.filter((text) => staged.includes(text))).toEqual([]);
    await expectWhole(bench, bench.embedder);
  });

  test('is not switched to passages that have gone since they were staged', async () => {
    await bench.write(large('rule'));
    // The last slice is embedded when all others are staged.
    afterCalls(bench.embedder, 2, () =>
      bench.database.execute('system', 'DELETE FROM rag_chunk WHERE chunk_no IN (5, 70)'),
    );

    expect(await bench.drain()).toMatchObject({ embedded: 1, failed: 0, parked: 0 });
    await expectWhole(bench, bench.embedder);
    expect(await readQueueRows(bench.database)).toEqual([]);
  });

  test('is not taken from a drain that works on it for longer than a lease', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const start = Date.now();
    const stolen: unknown[] = [];
    await bench.write(large('rule'), put.task(2, { description: lines('more', 1200) }));
    bench.embedder.before = async () => {
      if (bench.embedder.calls.length === 0 && Date.now() < start + 45_000) {
        vi.setSystemTime(start + 45_000);
        await letPass(bench.database, 'lease');
      } else if (bench.embedder.calls.length === 1) {
        stolen.push(
          ...(await bench.database.transaction('system', (tx) =>
            tx.dialect.claim(tx, { limit: 32, maxAttempts: 5, leaseSeconds: 60, lost: true }),
          )),
        );
      }
    };

    expect(await bench.drain({ leaseSeconds: 60 })).toMatchObject({ embedded: 2 });
    expect(stolen).toEqual([]);
  });

  describe('in a swap of the embedding model', () => {
    test('is staged for both models, and comes back to neither twice', async () => {
      const next = betterModel();
      await bench.write(large('rule'));
      for (let i = 0; i < 20 && (await readQueueRows(bench.database)).length > 0; i++) {
        const deadline = new Date(Date.now() + 3_600_000);
        const near = () => {
          deadline.setTime(0);
        };
        bench.embedder.before = near;
        next.before = near;
        await bench.drain({ deadline }, { next });
      }

      for (const { encoded } of [bench.embedder, next]) expect(new Set(encoded).size).toBe(encoded.length);
      await expectWhole(bench, bench.embedder, next);
    });

    test('is served by the current model where the next one is away or refuses it, and keeps what is staged for that', async () => {
      const next = betterModel();
      await bench.write(large('rule'));
      next.before = () => {
        if (next.calls.length >= 2) away();
      };
      const report = await bench.drain({}, { next });
      const rows = await readQueueRows(bench.database);
      await expectServed();
      const staged = next.encoded.splice(0);
      next.before = refuse('number1199 ');
      await letPass(bench.database, 'back-off');
      const refused = await bench.drain({}, { next });
      await expectServed();
      next.before = () => {};
      await letPass(bench.database, 'back-off');
      await bench.drain({}, { next });

      expect(report).toMatchObject({ postponed: 1, failed: 0 });
      expect(rows).toMatchObject([{ attempts: 0, claimed: false, due: false }]);
      expect(refused).toMatchObject({ failed: 1 });
      expect(next.encoded.filter((text) => staged.includes(text))).toEqual([]);
      await expectWhole(bench, bench.embedder, next);

      async function expectServed() {
        expect(await indexedText(bench.database, 'task/1')).toContain('The rule rule number1199 ');
      }
    });
  });
});
