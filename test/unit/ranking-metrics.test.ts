import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gainOf, mean, ndcgAt, recallAt, reciprocalRank } from '../../scripts/eval/ranking-metrics.ts';

const gains = (each: Record<string, number>) => new Map(Object.entries(each));

describe('nDCG', () => {
  test.each([
    ['the best order', ['a', 'b', 'x'], { a: 3, b: 1 }, 1],
    // (1/log2(2) + 3/log2(3)) / (3/log2(2) + 1/log2(3))
    ['two exchanged', ['b', 'a', 'x'], { a: 3, b: 1 }, (1 + 3 / 1.5849625) / (3 + 1 / 1.5849625)],
    // 1/log2(4)
    ['the only one in the third place', ['x', 'y', 'a'], { a: 1 }, 0.5],
    ['behind what is looked at', ['x', 'y', 'z', 'a'], { a: 1 }, 0],
    ['a grade of nothing counts as nothing', ['n', 'a'], { a: 1, n: 0 }, 1 / 1.5849625],
    ['nothing relevant', ['a'], {}, 0],
    ['nothing found', [], { a: 1 }, 0],
  ])('of %s', (_, ranking, each, value) => {
    expect(ndcgAt(3, ranking, gains(each))).toBeCloseTo(value, 6);
  });

  test('more relevant documents than places cost nothing', () => {
    expect(ndcgAt(2, ['a', 'b'], gains({ a: 1, b: 1, c: 1, d: 1 }))).toBe(1);
  });

  test('lies between 0 and 1, and moving a relevant document up never lowers it', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const ranking = fc.shuffledSubarray(ids, { minLength: 2 });
    const grades = fc.array(fc.nat(3), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(ranking, grades, fc.nat(4), (ranked, graded, at) => {
        const each = new Map(ids.map((id, i) => [id, gainOf(graded[i] ?? 0)]));
        const place = at % (ranked.length - 1);
        const [upper = '', lower = ''] = ranked.slice(place, place + 2);
        const before = ndcgAt(4, ranked, each);
        const better = (each.get(lower) ?? 0) >= (each.get(upper) ?? 0);
        const swapped = ranked.map((id, i) => (i === place ? lower : i === place + 1 ? upper : id));
        expect(before).toBeGreaterThanOrEqual(0);
        expect(before).toBeLessThanOrEqual(1 + 1e-12);
        if (better) expect(ndcgAt(4, swapped, each)).toBeGreaterThanOrEqual(before - 1e-12);
      }),
    );
  });
});

test.each([
  [-1, 0],
  [0, 0],
  [1, 1],
  [2, 3],
  [3, 7],
])('a grade of %i gains %i', (grade, gain) => {
  expect(gainOf(grade)).toBe(gain);
});

test.each([
  ['half of what is relevant', ['a', 'x', 'y'], { a: 1, b: 2 }, 0.5],
  ['all of it', ['x', 'b', 'a'], { a: 1, b: 2 }, 1],
  ['what is no more than looked at', ['a', 'a2', 'x', 'b'], { a: 1, b: 1 }, 0.5],
  ['not what has no gain', ['n'], { a: 1, n: 0 }, 0],
  ['nothing where nothing is relevant', ['a'], {}, 0],
])('recall is %s', (_, ranking, each, value) => {
  expect(recallAt(3, ranking, gains(each))).toBe(value);
});

test.each([
  [['a', 'b'], 1],
  [['x', 'n', 'a', 'b'], 1 / 3],
  [['x', 'n'], 0],
  [[], 0],
])('the reciprocal rank of %j', (ranking, value) => {
  expect(reciprocalRank(ranking, gains({ a: 1, b: 3, n: 0 }))).toBe(value);
});

test('the mean of nothing is 0', () => {
  expect([mean([]), mean([1, 2, 6])]).toEqual([0, 3]);
});
