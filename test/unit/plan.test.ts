import { describe, expect, test } from 'vitest';
import { SETTINGS } from '../../functions/config/settings.ts';
import { sha256Hex } from '../../functions/core/hash.ts';
import { type Part, RECORD_CONTENT, type SourceContent } from '../../functions/core/kinds/kind.ts';
import type { SourceWork } from '../../functions/core/queue.ts';
import { DEFAULT_CUTTING, groupBySize, planSource, type SourcePlan, withoutNext } from '../../functions/drain/plan.ts';
import { wholeRange } from '../../functions/store/chunks.ts';
import type { IndexedSource } from '../../functions/store/sources.ts';
import { stagedName } from '../../functions/store/staged.ts';

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
  ...RECORD_CONTENT,
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
  planSource(WORK, source, found, { current: MODEL, next: null }, DEFAULT_CUTTING);
const planInSwap = (source: SourceContent | null, found: IndexedSource | undefined) =>
  planSource(WORK, source, found, { current: MODEL, next: NEXT }, DEFAULT_CUTTING);

const STAGED = stagedName('model');
const STAGED_NEXT = stagedName('next');

const KEPT = { kept: [{ chunkNo: 0, section: null, storedAs: 'model' }], added: [] };
const KEPT_NEXT = { kept: [{ chunkNo: 0, storedAs: 'next' }], added: [] };
const KEPT_STAGED = { kept: [{ chunkNo: 0, storedAs: STAGED }], added: [] };
const ADDED = { kept: [], added: [{ chunkNo: 0 }] };
const NOTHING = { kept: [], added: [] };
const removed = (model: string, ...nos: number[]) => nos.map((no) => ({ model, first: no, last: no }));
/** Of models whose chunks all go: what may be staged goes as well. */
const gone = (...models: string[]) => models.map(wholeRange);

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
    expected: { state: 'empty', content: null, chunkCount: 0, current: NOTHING, removed: gone('model', STAGED) },
  },
  {
    what: 'no content: deleted, and its chunks go',
    result: plan(null, indexed(9, ['Text', 'More'])),
    expected: { state: 'deleted', content: null, chunkCount: 0, current: NOTHING, removed: gone('model', STAGED) },
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
    expected: { current: KEPT, next: KEPT_NEXT, removed: removed('third', 0) },
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
      removed: gone('model', 'next', STAGED, STAGED_NEXT),
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
  {
    what: 'a source that was never indexed and has gone: nothing to remove',
    result: plan(null, undefined),
    expected: { state: 'deleted', foundGeneration: null, removed: [] },
  },
  {
    what: 'a text that is staged: taken over',
    result: plan(content('Text'), { generation: 0, chunks: chunksOf(['Text'], STAGED) }),
    expected: { state: 'ready', chunkCount: 1, current: KEPT_STAGED, removed: [] },
  },
  {
    what: 'a text that is staged, over another that is indexed: takes its place',
    result: plan(content('Text'), {
      generation: 9,
      chunks: [...chunksOf(['Old'], 'model'), ...chunksOf(['Text'], STAGED)],
    }),
    expected: { current: KEPT_STAGED, removed: removed('model', 0) },
  },
  {
    what: 'the indexed text, over another that was staged since: kept, and what is staged goes',
    result: plan(content('Text'), {
      generation: 9,
      chunks: [...chunksOf(['Other'], STAGED), ...chunksOf(['Text'], 'model')],
    }),
    expected: { current: KEPT, removed: removed(STAGED, 0) },
  },
  {
    what: 'another text than is staged: added, and what is staged goes',
    result: plan(content('Text'), { generation: 0, chunks: chunksOf(['Other', 'More'], STAGED) }),
    expected: { current: ADDED, removed: removed(STAGED, 0, 1) },
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

test('without its next model, a plan leaves what is staged of that where it is, for the next try', () => {
  const whole = planInSwap(content('Text'), {
    generation: 9,
    chunks: [...chunksOf(['Text'], 'model'), ...chunksOf(['Text', 'Old'], STAGED_NEXT)],
  }) as SourcePlan;

  expect(withoutNext(whole).removed).toEqual(removed(STAGED_NEXT, 1));
});

test('why there is nothing to index is told of an empty source, and of no other', () => {
  const emptyReason = 'it is a scan; send it with its text';
  const reasonFor = (source: SourceContent | null) => plan(source, indexed(9, ['Text']))?.reason;

  expect(reasonFor({ ...content(''), emptyReason })).toBe(emptyReason);
  expect(reasonFor({ ...content('Text'), emptyReason })).toBeNull();
  expect(reasonFor(content(' '))).toBeNull();
  expect(reasonFor(null)).toBeNull();
});

test('what would be cut into more passages than the limit has failed for good, and says so', () => {
  const part = (text: string): Part => ({
    heading: null,
    anchor: '',
    blocks: [{ kind: 'prose', text }],
    metadata: {},
    facts: [],
  });
  const ofParts = (parts: Part[]): SourceContent => ({ ...content('Text'), parts: { cutting: 'document', parts } });
  const many = ofParts(Array.from({ length: 20_001 }, () => part('Text. ')));
  const long = ofParts([part('Some words of a text. '.repeat(400_000))]);
  for (const source of [many, long]) {
    const failed = plan(source, indexed(9, ['Text'])) as SourcePlan;
    expect(failed).toMatchObject({ state: 'failed', content: null, facts: [], removed: expect.any(Array) });
    expect(failed.reason).toContain('20000');
    expect(failed.removed).toContainEqual(wholeRange('model'));
  }
  expect(plan(ofParts([part('Text. ')]), undefined)?.state).toBe('ready');
});

describe('a file', () => {
  const part = (word: string, facts: Part['facts'] = []): Part => ({
    heading: word,
    anchor: `[DOCUMENT a.md] ${word}`,
    blocks: [{ kind: 'prose', text: `All about ${word}. `.repeat(40) }],
    metadata: { word },
    facts,
  });
  const file = (cutting: 'document' | 'diagnostic', parts: Part[]): SourceContent => ({
    ...content(parts.flatMap(({ blocks }) => blocks.map(({ text }) => text)).join('')),
    parts: { cutting, parts },
    facts: [{ name: 'labels', value: 'hr' }],
  });
  const cpu = { name: 'cpu', amount: 2 } as const;
  const code = { name: 'errorCode', value: 'ORA-01652' } as const;

  test('has its passages with their parts, which their metadata and headings come from', () => {
    const parts = [part('leave'), part('travel')];
    const added = plan(file('diagnostic', parts), undefined)?.current.added ?? [];

    expect(added.length).toBeGreaterThan(2);
    expect([...new Set(added.map((passage) => `${passage.section} ${passage.part?.heading}`))]).toEqual([
      '1 leave',
      '2 travel',
    ]);
    for (const { repeated, content, part } of added) {
      expect(content.slice(0, repeated)).toContain(`${part?.anchor}\n`);
    }
  });

  test('has the facts of a part once for each section of it, those of the whole once, and none twice', () => {
    const parts = [part('leave', [code, cpu, code]), part('travel', [code])];

    expect(plan(file('diagnostic', parts), undefined)?.facts).toEqual([
      { section: 0, fact: { name: 'labels', value: 'hr' } },
      { section: 1, fact: code },
      { section: 1, fact: cpu },
      { section: 2, fact: code },
    ]);
  });

  test('of which a part makes several sections has its facts in each of them', () => {
    const cut = { ...DEFAULT_CUTTING, sectionSize: 300, sectionOverlap: 30 };
    const models = { current: MODEL, next: null };
    const { facts, current } = planSource(
      WORK,
      file('document', [part('leave', [cpu])]),
      undefined,
      models,
      cut,
    ) as SourcePlan;
    const sections = [...new Set(current.added.map((passage) => passage.section))];

    expect(sections.length).toBeGreaterThan(2);
    expect(facts.filter(({ fact }) => fact.name === 'cpu')).toEqual(
      sections.map((section) => ({ section, fact: cpu })),
    );
  });

  test('that is blank has nothing to index, whatever its parts', () => {
    const blank = file('document', [{ ...part('leave'), blocks: [{ kind: 'prose', text: ' \n\f\n ' }] }]);

    expect(plan(blank, undefined)).toMatchObject({ state: 'empty', chunkCount: 0, facts: [] });
  });
});

test('files are cut as the settings have it where nothing is set', () => {
  expect(DEFAULT_CUTTING).toEqual({
    sectionSize: SETTINGS.RAG_DOCUMENT_SECTION_SIZE(undefined),
    sectionOverlap: SETTINGS.RAG_DOCUMENT_SECTION_OVERLAP(undefined),
    passageTokens: SETTINGS.RAG_DIAGNOSTIC_PASSAGE_TOKENS(undefined),
    passageOverlap: SETTINGS.RAG_DIAGNOSTIC_PASSAGE_OVERLAP(undefined),
  });
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
