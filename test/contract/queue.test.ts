import { expect, test } from 'vitest';
import { HashingEmbedder } from '../support/hashing-embedder.ts';
import { indexedText, readChunks, readQueueRows } from '../support/inspect.ts';
import { put, remove } from '../support/records.ts';
import { forEachDatabase } from './databases.ts';

/** Runs once: for what happens while a source is being embedded. */
function once(work: () => Promise<unknown>): () => Promise<void> {
  let done = false;
  return async () => {
    if (done) return;
    done = true;
    await work();
  };
}

forEachDatabase('the queue', (bench) => {
  test('a write is indexed by the next drain, and only once', async () => {
    await bench.write(put.project(1, { name: 'Payments' }));

    expect(await bench.drain()).toMatchObject({ embedded: 1, stoppedBy: 'empty' });
    expect(bench.embedder.encoded).toEqual(['[PROJECT #1] Payments (planning)\nDates: - -> -']);
    expect(await bench.drain()).toMatchObject({ embedded: 0, unchanged: 0 });
  });

  const old = put.project(1, { name: 'Old' });
  const newer = put.project(1, { name: 'New' });
  test.each([
    { waiting: 'several versions', changes: [old, put.project(1, { name: 'Between' }), newer], indexed: 'New' },
    { waiting: 'a version and a delete', changes: [old, remove('project', 1)], indexed: null },
    { waiting: 'a delete and a new version', changes: [old, remove('project', 1), newer], indexed: 'New' },
  ])('$waiting of one source are one piece of work, and the newest decides', async ({ changes, indexed }) => {
    await bench.write(...changes);
    const report = await bench.drain();

    expect(report).toMatchObject({
      embedded: indexed === null ? 0 : 1,
      removed: indexed === null ? 1 : 0,
      unchanged: 0,
      late: 0,
    });
    expect(bench.embedder.encoded).toHaveLength(indexed === null ? 0 : 1);
    expect((await readChunks(bench.database)).map((chunk) => chunk.title)).toEqual(indexed === null ? [] : [indexed]);
    expect(await readQueueRows(bench.database)).toEqual([]);
  });

  test('text that has not changed is not embedded again', async () => {
    await bench.write(old);
    await bench.drain();
    await bench.write(old);
    const report = await bench.drain();

    expect(report).toMatchObject({ embedded: 0, unchanged: 1 });
    expect(bench.embedder.encoded).toHaveLength(1);
  });

  test('of a long text only the passages that changed are embedded, and those beyond its new end go', async () => {
    const lines = (last: string) =>
      [...Array.from({ length: 40 }, (_, i) => `Line ${i} of the plan.`), last].join('\n');
    await bench.write(put.project(1, { description: lines('The end.') }));
    await bench.drain();
    const before = await readChunks(bench.database);
    await bench.write(put.project(1, { description: lines('Another end.') }));
    await bench.drain();
    const changed = await readChunks(bench.database);
    await bench.write(put.project(1, { description: 'Short.' }));
    await bench.drain();

    expect(before.length).toBeGreaterThan(2);
    expect(bench.embedder.calls).toEqual([before.length, 1, 1]);
    expect(changed.slice(0, -1)).toEqual(before.slice(0, -1));
    expect(changed.at(-1)?.content).toContain('Another end.');
    expect(await readChunks(bench.database)).toHaveLength(1);
  });

  test.each([
    { what: 'write', change: newer, indexed: 'New' },
    { what: 'delete', change: remove('project', 1), indexed: null },
  ])('a $what that lands while its source is being embedded leaves its own row and wins', async (meanwhile) => {
    const deadline = new Date(Date.now() + 3_600_000);
    bench.embedder.before = once(async () => {
      await bench.write(meanwhile.change);
      deadline.setTime(0);
    });

    await bench.write(old);
    await bench.drain({ deadline });
    const left = await readQueueRows(bench.database);
    const shownMeanwhile = await readChunks(bench.database);
    await bench.drain();

    expect(left).toMatchObject([{ source: 'project/1', claimed: false, attempts: 0 }]);
    expect(shownMeanwhile.map((chunk) => chunk.title)).toEqual(['Old']);
    const titles = (await readChunks(bench.database)).map((chunk) => chunk.title);
    expect(titles).toEqual(meanwhile.indexed === null ? [] : [meanwhile.indexed]);
    expect(await readQueueRows(bench.database)).toEqual([]);
  });

  test.each([
    { source: 'new', indexedBefore: false, change: newer, indexed: ['New'] },
    { source: 'new', indexedBefore: false, change: remove('project', 1), indexed: [] },
    { source: 'known', indexedBefore: true, change: newer, indexed: ['New'] },
    { source: 'known', indexedBefore: true, change: remove('project', 1), indexed: [] },
  ])('a drain that is overtaken by another over a $source source changes nothing ($change.op)', async (scene) => {
    if (scene.indexedBefore) {
      await bench.write(put.project(1, { name: 'First' }));
      await bench.drain();
    }
    const database = bench.anotherPool();
    bench.embedder.before = once(async () => {
      await bench.write(scene.change);
      await bench.drain({}, { database, embedder: new HashingEmbedder() });
    });

    await bench.write(old);
    await bench.drain();

    expect((await readChunks(bench.database)).map((chunk) => chunk.title)).toEqual(scene.indexed);
    expect(await readQueueRows(bench.database)).toEqual([]);
  });

  test.each([newer, remove('project', 1)])(
    'work that is older than what is indexed is late: it goes, and changes nothing ($op)',
    async (late) => {
      await bench.write(old);
      await bench.drain();
      await bench.write(late);
      await bench.database.transaction('system', (tx) =>
        tx.execute('UPDATE rag_source SET generation = generation + 1000'),
      );
      const report = await bench.drain();

      expect(report).toMatchObject({ late: 1, embedded: 0, removed: 0 });
      expect((await readChunks(bench.database)).map((chunk) => chunk.title)).toEqual(['Old']);
      expect(await readQueueRows(bench.database)).toEqual([]);
    },
  );

  test('a deleted source that is written again comes back', async () => {
    await bench.write(old);
    await bench.drain();
    await bench.write(remove('project', 1));
    await bench.drain();
    const afterDelete = await indexedText(bench.database, 'project/1');
    await bench.write(old);
    await bench.drain();

    expect(afterDelete).toBe('');
    expect(await indexedText(bench.database, 'project/1')).toBe('[PROJECT #1] Old (planning)\nDates: - -> -');
  });
});
