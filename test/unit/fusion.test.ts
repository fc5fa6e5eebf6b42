import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Candidate, type FusionOptions, fuse } from '../../functions/core/fusion.ts';
import { candidate } from '../support/hits.ts';

const UNNAMED = { sources: [], codes: [] };
const OPTIONS: FusionOptions = { vectorWeight: 0.5, topK: 8, maxPerSource: 0, named: UNNAMED, sort: null };

const ids = (candidates: Candidate[], options: Partial<FusionOptions> = {}) =>
  fuse(candidates, { ...OPTIONS, ...options }).map((hit) => hit.chunkId);

/** A source of its own for each. */
const found = (chunkId: number, distance: number, textScore = 0, given: Partial<Candidate> = {}) =>
  candidate({ chunkId, sourceId: String(chunkId), distance, textScore, ...given });

describe('hits are ordered', () => {
  test.each([
    { by: 'distance alone', vectorWeight: 1, expected: [1, 2, 3, 4] },
    { by: 'words alone, then by distance', vectorWeight: 0, expected: [3, 4, 1, 2] },
    // 0.5 · 0.9, 0.5 · 0.8, 0.5 · 0.5 + 0.5, 0.5 · 0.3 + 0.5 · 0.5
    { by: 'both', vectorWeight: 0.5, expected: [3, 1, 2, 4] },
  ])('by $by', ({ vectorWeight, expected }) => {
    const candidates = [found(1, 0.1), found(2, 0.2), found(3, 0.5, 12), found(4, 0.7, 6)];

    expect(ids(candidates, { vectorWeight })).toEqual(expected);
  });

  test('with a word score that is a share of the best, whatever the scale', () => {
    const scored = (scale: number) =>
      fuse([found(1, 0.1, 3 * scale), found(2, 0.3, 4 * scale), found(3, 0.2)], OPTIONS).map(({ words, score }) => [
        words,
        score,
      ]);

    expect(scored(1)).toEqual(scored(1e-5));
    expect(scored(1)[0]?.[0]).toBe(1);
  });

  test.each([
    {
      what: 'a source by kind and id',
      sources: [{ type: 'task' as const, id: '3' }],
      codes: [],
      expected: [3, 1, 2, 4],
    },
    { what: 'a source by its id', sources: [{ type: null, id: '3' }], codes: [], expected: [3, 1, 2, 4] },
    {
      what: 'a source of another kind',
      sources: [{ type: 'sprint' as const, id: '3' }],
      codes: [],
      expected: [1, 2, 3, 4],
    },
    { what: 'a code', sources: [], codes: ['KB-20'], expected: [4, 1, 2, 3] },
    { what: 'a part of a code', sources: [], codes: ['KB-2'], expected: [1, 2, 3, 4] },
    { what: 'both', sources: [{ type: null, id: '3' }], codes: ['KB-20'], expected: [3, 4, 1, 2] },
  ])('with what the question names first: $what', ({ sources, codes, expected }) => {
    const candidates = [
      found(1, 0.1, 5, { content: 'KB-201 and KB-200' }),
      found(2, 0.2, 4),
      found(3, 0.8),
      found(4, 0.9, 0, { content: 'See kb-20.' }),
    ];

    expect(ids(candidates, { named: { sources, codes } })).toEqual(expected);
  });

  test.each([
    { descending: true, expected: [3, 2, 4, 5, 1, 6] },
    { descending: false, expected: [2, 4, 3, 5, 1, 6] },
  ])('with those first that have the figure, in its order, descending: $descending', ({ descending, expected }) => {
    const candidates = [
      found(1, 0.1, 9),
      found(2, 0.2, 5, { amount: 0 }),
      found(3, 0.9, 0, { amount: 2.5 }),
      found(4, 0.1, 9, { amount: 0 }),
      found(5, 0.8),
      found(6, 0.9),
    ];
    const named = { sources: [{ type: null, id: '5' }], codes: [] };

    expect(ids(candidates, { named, sort: { metric: 'elapsed', descending }, maxPerSource: 1 })).toEqual(expected);
  });
});

describe('of several passages', () => {
  const passage = (chunkId: number, distance: number, section: number | null, sourceId = '1') =>
    candidate({ chunkId, distance, section, sourceId });

  test('of one section the best alone is a hit', () => {
    const candidates = [passage(1, 0.3, 1), passage(2, 0.1, 1), passage(3, 0.2, 2), passage(4, 0.4, 1, '2')];

    expect(ids(candidates)).toEqual([2, 3, 4]);
  });

  test('without a section each is a hit', () => {
    expect(ids([passage(1, 0.1, null), passage(2, 0.2, null, '2')])).toEqual([1, 2]);
  });

  test('sources of different kinds with one id are two', () => {
    expect(
      ids([passage(1, 0.1, 1), candidate({ chunkId: 2, distance: 0.2, section: 1, sourceType: 'sprint' })]),
    ).toEqual([1, 2]);
  });

  test.each([
    { maxPerSource: 0, expected: [1, 2, 3, 4] },
    { maxPerSource: 1, expected: [1, 4, 5] },
    { maxPerSource: 2, expected: [1, 2, 4, 5] },
  ])('of one source at most $maxPerSource are hits, and the places go to others', ({ maxPerSource, expected }) => {
    const candidates = [1, 2, 3].map((n) => passage(n, n / 10, n));

    expect(ids([...candidates, passage(4, 0.4, 1, '2'), passage(5, 0.5, 1, '3')], { maxPerSource, topK: 4 })).toEqual(
      expected,
    );
  });
});

describe('for any candidates', () => {
  const candidates = fc
    .array(
      fc.record({
        distance: fc.integer({ min: 0, max: 20 }).map((n) => n / 10),
        textScore: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 9 })),
        sourceId: fc.constantFrom('1', '2', '3', '4'),
        section: fc.constantFrom(null, 1, 2),
        content: fc.constantFrom('A text', 'See KB-20', 'See KB-201'),
      }),
      { maxLength: 30 },
    )
    .map((all) => all.map((given, i) => candidate({ chunkId: i + 1, ...given })));
  const options = fc.record({
    vectorWeight: fc.constantFrom(0, 0.2, 0.5, 1),
    topK: fc.constantFrom(1, 3, 8, 50),
    maxPerSource: fc.constantFrom(0, 1, 2),
    named: fc.constantFrom(UNNAMED, { sources: [{ type: null, id: '2' }], codes: ['KB-20'] }),
    sort: fc.constantFrom(
      null,
      { metric: 'cpu' as const, descending: true },
      { metric: 'cpu' as const, descending: false },
    ),
  });

  test('the order in which they come does not matter', () => {
    const shuffled = candidates.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, options, ([all, others], given) => {
        expect(fuse(others, given)).toEqual(fuse(all, given));
      }),
    );
  });

  test('as many as are wanted come, each section once, the named ones first, then the best', () => {
    fc.assert(
      fc.property(candidates, options, (all, given) => {
        const hits = fuse(all, given);
        const sections = hits.map((hit) => `${hit.sourceId} ${hit.section ?? `chunk ${hit.chunkId}`}`);
        const everything = fuse(all, { ...given, topK: 1000 });
        const places = hits.map(({ naming }) => (naming === 'source' ? 0 : naming === 'code' ? 1 : 2));
        const scores = hits.filter(({ naming }) => naming === null).map(({ score }) => score);

        expect(hits).toEqual(everything.slice(0, given.topK));
        expect(new Set(sections).size).toBe(hits.length);
        expect(places).toEqual([...places].sort());
        expect(scores).toEqual([...scores].sort((a, b) => b - a));
        if (given.maxPerSource === 0) {
          expect(everything).toHaveLength(
            new Set(all.map((c) => `${c.sourceId} ${c.section ?? `chunk ${c.chunkId}`}`)).size,
          );
        }
      }),
    );
  });

  test('a weight of 1 is the order by distance, a weight of 0 that by words', () => {
    fc.assert(
      fc.property(candidates, (all) => {
        const distances = fuse(all, { ...OPTIONS, vectorWeight: 1, topK: 50 }).map(({ distance }) => distance);
        const scores = fuse(all, { ...OPTIONS, vectorWeight: 0, topK: 50 }).map(({ textScore }) => textScore);

        expect(distances).toEqual([...distances].sort((a, b) => a - b));
        expect(scores).toEqual([...scores].sort((a, b) => b - a));
      }),
    );
  });
});
