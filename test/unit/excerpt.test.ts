import fc from 'fast-check';
import { expect, test } from 'vitest';
import { excerptOf } from '../../functions/core/excerpt.ts';

const LIMIT = 320;
const filler = (word: string, count: number) => Array.from({ length: count }, (_, i) => `${word}${i}`).join(' ');

test('a short text is shown whole, without the first line, which the title tells', () => {
  expect(excerptOf('[TASK #1] Ledger\nStatus: todo', null)).toBe('Status: todo');
  expect(excerptOf('One line', null)).toBe('One line');
});

test('a long text is shown from its start where nothing of it is quoted', () => {
  const body = filler('word', 200);

  for (const answer of [null, 'Something else entirely, said at length. [1]']) {
    const excerpt = excerptOf(`Title\n${body}`, answer);
    expect(body.startsWith(excerpt.slice(0, -1))).toBe(true);
    expect(excerpt.endsWith('…')).toBe(true);
    expect(excerpt.length).toBeLessThanOrEqual(LIMIT);
  }
});

test.each([0, 100, 300])('a long text is shown around what the answer quotes of it, at word %d', (at) => {
  const words = filler('word', 400).split(' ');
  words.splice(at, 0, 'The ledger is closed on Friday.');

  const excerpt = excerptOf(`Title\n${words.join(' ')}`, 'Not this one here. [2]\nThe ledger is closed on Friday. [1]');

  expect(excerpt).toContain('The ledger is closed on Friday.');
  expect(excerpt.startsWith('…')).toBe(at > 20);
  expect(excerpt.length).toBeLessThanOrEqual(LIMIT);
});

test('a long text is shown where it has most of the words of an answer that quotes nothing', () => {
  const body = `${filler('word', 150)}. The yearly licence costs 41,750 EUR. ${filler('other', 150)}.`;

  const excerpt = excerptOf(`Title\n${body}`, 'Each year, the licence is 41,750 EUR [1].');

  expect(excerpt).toContain('The yearly licence costs 41,750 EUR.');
});

test('an excerpt of any text fits the limit, is valid Unicode and stands in the text', () => {
  const part = fc.oneof(fc.constantFrom('word ', '🚀', '\n', 'é', ' '), fc.string({ unit: 'grapheme', maxLength: 8 }));
  const text = fc.array(part, { maxLength: 400, size: 'max' }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.nat(1000), (body, at) => {
      const quote =
        body
          .slice(at, at + 40)
          .toWellFormed()
          .split('\n')[0] ?? '';
      const excerpt = excerptOf(`Title\n${body}`, `${quote} [1]`);

      expect(excerpt.length).toBeLessThanOrEqual(LIMIT);
      expect(excerpt.isWellFormed()).toBe(true);
      expect(body).toContain(excerpt.replace(/^…/, '').replace(/…$/, ''));
    }),
  );
});
