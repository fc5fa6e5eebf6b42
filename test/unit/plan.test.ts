import { expect, test } from 'vitest';
import { sha256Hex } from '../../functions/core/hash.ts';
import type { SourceContent } from '../../functions/core/kinds/kind.ts';
import type { SourceWork } from '../../functions/core/queue.ts';
import { groupBySize, planSource, type SourcePlan } from '../../functions/drain/plan.ts';
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
const indexed = (generation: number, texts: string[], model = 'model'): IndexedSource => ({
  generation,
  chunks: texts.map((text, chunkNo) => ({ chunkNo, contentHash: sha256Hex(text), model })),
});
const plan = (source: SourceContent | null, found: IndexedSource | undefined) =>
  planSource(WORK, source, found, 'model', 300);

test.each([
  {
    what: 'a new source: its text is added',
    result: plan(content('Text'), undefined),
    expected: { state: 'ready', foundGeneration: null, kept: [], removedNos: [], added: [{ chunkNo: 0 }] },
  },
  {
    what: 'the same text by the same model: kept',
    result: plan(content('Text'), indexed(9, ['Text'])),
    expected: {
      state: 'ready',
      foundGeneration: 9,
      kept: [{ chunkNo: 0, section: null }],
      removedNos: [],
      added: [],
    },
  },
  {
    what: 'the same text by another model: replaced',
    result: plan(content('Text'), indexed(9, ['Text'], 'another')),
    expected: { state: 'ready', kept: [], removedNos: [0], added: [{ chunkNo: 0 }] },
  },
  {
    what: 'another text: replaced',
    result: plan(content('Text'), indexed(9, ['Other', 'Rest'])),
    expected: { state: 'ready', chunkCount: 1, kept: [], removedNos: [0, 1], added: [{ chunkNo: 0 }] },
  },
  {
    what: 'a blank text: nothing to index, which is no failure, and earlier chunks go',
    result: plan(content(' \n '), indexed(9, ['Text'])),
    expected: { state: 'empty', content: null, chunkCount: 0, kept: [], removedNos: [0], added: [] },
  },
  {
    what: 'no content: deleted, and its chunks go',
    result: plan(null, indexed(9, ['Text', 'More'])),
    expected: { state: 'deleted', content: null, chunkCount: 0, kept: [], removedNos: [0, 1], added: [] },
  },
])('the plan for $what', ({ result, expected }) => {
  expect(result).toMatchObject(expected);
});

test.each([10, 11])(
  'there is no plan where generation %d is already indexed: this work, of 10, is late',
  (generation) => {
    expect(plan(content('Text'), indexed(generation, ['Other']))).toBeNull();
    expect(plan(null, indexed(generation, ['Other']))).toBeNull();
  },
);

/** A plan that adds this many passages. */
const adding = (count: number) =>
  ({ added: Array.from({ length: count }, (_, chunkNo) => ({ chunkNo })) }) as unknown as SourcePlan;

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
  const grouped = groupBySize(sizes.map(adding), 10);

  expect(grouped.map((group) => group.map((one) => one.added.length))).toEqual(groups);
});
