import { expect, test } from 'vitest';
import { sha256Hex } from '../../functions/core/hash.ts';
import type { SourceContent } from '../../functions/core/kinds/kind.ts';
import type { SourceWork } from '../../functions/core/queue.ts';
import { groupBySize, planSource, type SourcePlan, withoutNext } from '../../functions/drain/plan.ts';
import type { IndexedSource } from '../../functions/store/sources.ts';

const WORK: SourceWork = {
  ref: { type: 'task', id: '1' },
  action: 'UPSERT',
  generation: 10,
  dirtyIds: [10],
  attempts: 1,
};
const content = (text: string): SourceContent => ({
  title: 'A task',
  text,
  scope: { ownerEmployeeId: null, audience: 'owner', projectId: null, sprintId: null },
  metadata: {},
});
const chunksOf = (texts: string[], model: string): IndexedSource['chunks'] =>
  texts.map((text, chunkNo) => ({ chunkNo, contentHash: sha256Hex(text), model }));
const indexed = (generation: number, texts: string[], model = 'model', next: string[] = []): IndexedSource => ({
  generation,
  chunks: [...chunksOf(texts, model), ...chunksOf(next, 'next')],
});
const MODEL = { model: 'model', window: 300 };
const NEXT = { model: 'next', window: 200 };
const plan = (source: SourceContent | null, found: IndexedSource | undefined) =>
  planSource(WORK, source, found, MODEL, null);
const planInSwap = (source: SourceContent | null, found: IndexedSource | undefined) =>
  planSource(WORK, source, found, MODEL, NEXT);

const KEPT = { kept: [{ chunkNo: 0, section: null }], added: [] };
const ADDED = { kept: [], added: [{ chunkNo: 0 }] };
const NOTHING = { kept: [], added: [] };
const removed = (model: string, ...nos: number[]) => nos.map((chunkNo) => ({ model, chunkNo }));

test.each([
  {
    what: 'a new source: its text is added',
    result: plan(content('Text'), undefined),
    expected: { state: 'ready', foundGeneration: null, current: ADDED, next: null, removed: [] },
  },
  {
    what: 'the same text by the same model: kept',
    result: plan(content('Text'), indexed(9, ['Text'])),
    expected: { state: 'ready', foundGeneration: 9, current: KEPT, removed: [] },
  },
  {
    what: 'the same text by another model: replaced',
    result: plan(content('Text'), indexed(9, ['Text'], 'another')),
    expected: { state: 'ready', current: ADDED, removed: removed('another', 0) },
  },
  {
    what: 'another text: replaced',
    result: plan(content('Text'), indexed(9, ['Other', 'Rest'])),
    expected: { state: 'ready', chunkCount: 1, current: ADDED, removed: removed('model', 0, 1) },
  },
  {
    what: 'a blank text: nothing to index, which is no failure, and earlier chunks go',
    result: plan(content(' \n '), indexed(9, ['Text'])),
    expected: { state: 'empty', content: null, chunkCount: 0, current: NOTHING, removed: removed('model', 0) },
  },
  {
    what: 'no content: deleted, and its chunks go',
    result: plan(null, indexed(9, ['Text', 'More'])),
    expected: { state: 'deleted', content: null, chunkCount: 0, current: NOTHING, removed: removed('model', 0, 1) },
  },
  {
    what: 'a text that the next model has not yet: added for it alone',
    result: planInSwap(content('Text'), indexed(9, ['Text'])),
    expected: { state: 'ready', chunkCount: 1, current: KEPT, next: { model: 'next', ...ADDED }, removed: [] },
  },
  {
    what: 'a text that both models have: kept by both, and what a third has goes',
    result: planInSwap(content('Text'), {
      generation: 9,
      chunks: [...indexed(9, ['Text'], 'model', ['Text']).chunks, ...chunksOf(['Text'], 'third')],
    }),
    expected: { current: KEPT, next: KEPT, removed: removed('third', 0) },
  },
  {
    what: 'another text in a swap: replaced for both',
    result: planInSwap(content('Text'), indexed(9, ['Other'], 'model', ['Ot', 'her'])),
    expected: { current: ADDED, next: ADDED, removed: [...removed('model', 0), ...removed('next', 0, 1)] },
  },
  {
    what: 'no content in a swap: the chunks of both go',
    result: planInSwap(null, indexed(9, ['Text'], 'model', ['Text'])),
    expected: {
      state: 'deleted',
      current: NOTHING,
      next: NOTHING,
      removed: [...removed('model', 0), ...removed('next', 0)],
    },
  },
  {
    what: 'the generation that is indexed already, but not by the next model: added for it',
    result: planInSwap(content('Text'), indexed(10, ['Text'])),
    expected: { foundGeneration: 10, current: KEPT, next: ADDED, removed: [] },
  },
  {
    what: 'the generation that is indexed already, by a model that is no longer wanted: replaced',
    result: plan(content('Text'), indexed(10, ['Text'], 'another')),
    expected: { current: ADDED, removed: removed('another', 0) },
  },
])('the plan for $what', ({ result, expected }) => {
  expect(result).toMatchObject(expected);
});

test('each model has passages of its own, as long as its window; the current one’s are counted', () => {
  const text = 'Word and word. '.repeat(18);
  const { current, next, chunkCount } = planInSwap(content(text), undefined) as SourcePlan;

  expect(current.added.map((passage) => passage.content)).toEqual([text]);
  expect(next?.added.length).toBe(2);
  for (const passage of next?.added ?? []) expect(passage.content.length).toBeLessThanOrEqual(NEXT.window);
  expect(chunkCount).toBe(1);
});

test('without its next model, a plan removes every chunk of it, and is the same for the current one', () => {
  const whole = planInSwap(content('Text'), indexed(9, ['Text'], 'model', ['Text', 'Old'])) as SourcePlan;
  const without = withoutNext(whole);

  expect(without.current).toEqual(whole.current);
  expect(without.next).toEqual({ model: 'next', ...NOTHING });
  expect(without.removed).toEqual(removed('next', 1, 0));
});

test.each([10, 11])(
  'there is no plan where generation %d is already indexed: this work, of 10, is late',
  (generation) => {
    expect(plan(content('Text'), indexed(generation, ['Other']))).toBeNull();
    expect(plan(null, indexed(generation, ['Other']))).toBeNull();
    expect(planInSwap(content('Text'), indexed(generation, ['Other'], 'model', ['Other']))).toBeNull();
    expect(planInSwap(null, indexed(generation, ['Other']))).toBeNull();
  },
);

test('there is no plan where a newer generation is indexed, though not by the next model', () => {
  expect(planInSwap(content('Text'), indexed(11, ['Text']))).toBeNull();
});

/** A plan that adds this many passages, for the current model and for the next. */
const adding = (current: number, next = 0) => {
  const part = (count: number) => ({ added: Array.from({ length: count }, (_, chunkNo) => ({ chunkNo })) });
  return { current: part(current), next: next === 0 ? null : part(next) } as unknown as SourcePlan;
};

test.each([
  { sizes: [], groups: [] },
  { sizes: [1, 2, 3], groups: [[1, 2, 3]] },
  { sizes: [5, 5, 1], groups: [[5, 5], [1]] },
  { sizes: [11, 1], groups: [[11], [1]] },
  { sizes: [1, 11, 1], groups: [[1], [11], [1]] },
  { sizes: [10, 0, 0, 1], groups: [[10, 0, 0], [1]] },
  { sizes: [0, 0], groups: [[0, 0]] },
  { sizes: [12, 0], groups: [[12, 0]] },
])('plans that add $sizes passages are grouped as $groups, at most 10 to a group', ({ sizes, groups }) => {
  const grouped = groupBySize(
    sizes.map((size) => adding(size)),
    10,
  );

  expect(grouped.map((group) => group.map((one) => one.current.added.length))).toEqual(groups);
});

test('passages for the next model count as well', () => {
  const grouped = groupBySize([adding(4, 4), adding(1, 1), adding(0, 1)], 10);

  expect(grouped.map((group) => group.length)).toEqual([2, 1]);
});
