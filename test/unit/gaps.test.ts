import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Gap, groupGaps, jaccard, SAME_FROM, type Unanswered, wordsOf } from '../../functions/core/gaps.ts';

/** A question for each text, the later the newer, each by another person. */
const asked = (...texts: string[]): Unanswered[] =>
  texts.map((question, i) => ({
    question,
    outcome: 'not_found',
    employeeId: i + 1,
    askedAt: `2026-01-01T00:00:${String(i).padStart(2, '0')}Z`,
  }));

const wordings = ({ question, examples }: Gap) => [question, ...examples].sort();

describe('unanswered questions', () => {
  test.each<{ are: string; texts: string[]; groups: number }>([
    {
      are: 'in one group where their words are the same',
      texts: ['Who repairs the printers?', 'printer repaired?'],
      groups: 1,
    },
    {
      are: 'in one group where most words are the same',
      texts: ['What does the parking permit cost?', 'parking permit cost in Lisbon'],
      groups: 1,
    },
    {
      are: 'apart where they share no more than the subject',
      texts: ['parking permit', 'parking fine dispute form'],
      groups: 2,
    },
    {
      are: 'apart where only a chain joins them',
      texts: ['red apple', 'red apple pie', 'red apple pie', 'apple pie crust', 'pie crust recipe'],
      groups: 2,
    },
    {
      are: 'in one group whatever their case, accents and signs',
      texts: ['¿Dónde está la impresora?', 'donde esta la IMPRESORA'],
      groups: 1,
    },
    { are: 'apart where no word carries a subject and they differ', texts: ['¿Y eso?', 'What was that?'], groups: 2 },
    { are: 'in no group where there are none', texts: [], groups: 0 },
  ])('are $are', ({ texts, groups }) => {
    expect(groupGaps(asked(...texts))).toHaveLength(groups);
  });

  test('are told by their newest wording, with counts, people and up to five other wordings', () => {
    const texts = ['rent', 'Rent?', 'the rent', 'the rent?', 'The rent', 'our rent', 'Our rent', 'Our rent'];
    const questions = asked(...texts).map(
      (one, i): Unanswered => ({
        ...one,
        employeeId: i % 3,
        outcome: i < 2 ? 'off_topic' : 'not_found',
      }),
    );

    expect(groupGaps(questions)).toEqual([
      {
        question: 'Our rent',
        count: 8,
        people: 3,
        outcomes: { not_found: 6, off_topic: 2 },
        lastAskedAt: '2026-01-01T00:00:07Z',
        examples: ['our rent', 'The rent', 'the rent?', 'the rent', 'Rent?'],
      },
    ]);
  });

  test('asked most often come first', () => {
    const gaps = groupGaps(asked('visa', 'lunch menu', 'lunch menu', 'badge'));

    expect(gaps.map((gap) => gap.question)).toEqual(['lunch menu', 'badge', 'visa']);
  });

  const words = fc.constantFrom('rent', 'visa', 'lunch', 'badge', 'what', 'the', 'printer', 'köln', '¿qué', '東京');
  const questions = fc.array(
    fc.record({
      question: fc.array(words, { minLength: 1, maxLength: 5 }).map((some) => some.join(' ')),
      outcome: fc.constantFrom('not_found' as const, 'off_topic' as const),
      employeeId: fc.integer({ min: 1, max: 4 }),
      askedAt: fc.integer({ min: 0, max: 9 }).map((n) => `2026-01-0${n + 1}T00:00:00Z`.replace('010T', '10T')),
    }),
    { maxLength: 40 },
  );

  test('are grouped the same in whatever order they come', () => {
    fc.assert(
      fc.property(
        questions.chain((some) => fc.tuple(fc.constant(some), fc.shuffledSubarray(some, { minLength: some.length }))),
        ([some, shuffled]) => {
          expect(groupGaps(shuffled)).toEqual(groupGaps(some));
        },
      ),
    );
  });

  test('are each in exactly one group, of wordings that are each like one of them', () => {
    fc.assert(
      fc.property(questions, (some) => {
        const gaps = groupGaps(some);

        expect(gaps.reduce((sum, gap) => sum + gap.count, 0)).toBe(some.length);
        const told = gaps.flatMap(wordings);
        expect(new Set(told).size).toBe(told.length);
        for (const gap of gaps) {
          expect(gap.outcomes.not_found + gap.outcomes.off_topic).toBe(gap.count);
          const all = wordings(gap).map(wordsOf);
          if (gap.examples.length === 5) continue;
          expect(all.some((middle) => all.every((one) => jaccard(middle, one) >= SAME_FROM))).toBe(true);
        }
      }),
    );
  });
});
