import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffSeconds, type ClaimedRow, coalesce } from '../../functions/core/queue.ts';

const row = (dirtyId: number, source: string, rest: Partial<ClaimedRow> = {}): ClaimedRow => ({
  dirtyId,
  sourceType: 'task',
  sourceId: source,
  action: 'UPSERT',
  attempts: 1,
  ...rest,
});

test('rows of one source are one piece of work: the newest gives the action, the generation and the attempts', () => {
  const works = coalesce([
    row(3, 'a', { action: 'DELETE', attempts: 1 }),
    row(1, 'a', { attempts: 4 }),
    row(2, 'b'),
    row(4, 'a', { sourceType: 'sprint' }),
  ]);

  expect(works).toEqual([
    { ref: { type: 'task', id: 'a' }, action: 'DELETE', generation: 3, dirtyIds: [1, 3], attempts: 1 },
    { ref: { type: 'task', id: 'b' }, action: 'UPSERT', generation: 2, dirtyIds: [2], attempts: 1 },
    { ref: { type: 'sprint', id: 'a' }, action: 'UPSERT', generation: 4, dirtyIds: [4], attempts: 1 },
  ]);
});

test('no row is lost and none counted twice, in whatever order rows come', () => {
  const rows = fc.uniqueArray(fc.record({ id: fc.nat(500), source: fc.constantFrom('a', 'b', 'c', 'd') }), {
    selector: ({ id }) => id,
  });
  fc.assert(
    fc.property(rows, (given) => {
      const works = coalesce(given.map(({ id, source }) => row(id, source)));

      expect(works.flatMap((work) => work.dirtyIds).sort()).toEqual(given.map(({ id }) => id).sort());
      expect(new Set(works.map((work) => work.ref.id)).size).toBe(works.length);
      for (const work of works) expect(work.generation).toBe(Math.max(...work.dirtyIds));
    }),
  );
});

test.each([
  [1, 2],
  [2, 4],
  [3, 8],
  [9, 512],
  [10, 900],
  [50, 900],
  [5000, 900],
])('after %d failed attempts the next one waits %d seconds', (attempts, seconds) => {
  expect(backoffSeconds(attempts)).toBe(seconds);
});
