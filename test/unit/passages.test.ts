import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RECORD_CONTENT } from '../../functions/core/kinds/kind.ts';
import { MIN_WINDOW, type Passage, passagesOf } from '../../functions/core/passages.ts';

const OPTIONS = { sectionSize: 1200, sectionOverlap: 150, passageTokens: 500, passageOverlap: 0.15 };
const SCOPE = { ownerEmployeeId: null, audience: 'owner', projectId: null, sprintId: null } as const;

/** The passages of a record with a text. */
const cut = (text: string, window: number): Passage[] =>
  passagesOf({ ...RECORD_CONTENT, title: 'Title', text, scope: SCOPE, metadata: {} }, { ...OPTIONS, window });

/** The first line as passages repeat it: whole, or the part of it that is left of a long one. */
const anchorOf = (passage: string) => passage.slice(0, passage.indexOf('\n') + 1);

const withoutAnchors = (passages: Passage[]) =>
  passages.map(({ content, repeated }) => content.slice(repeated)).join('');

/** Texts with lines, sentences and words of all lengths, in characters of one and of two units, or of raw Unicode. */
const piece = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('word ', 'sentence. ', 'line\n', '\n\n', ' ', 'end?" ', '🚀', '漢字', 'e\u0301'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom('x', '🚀').chain((c) => fc.nat(600).map((n) => c.repeat(n))) },
);
const longText = fc.array(piece, { maxLength: 300, size: 'max' }).map((pieces) => pieces.join(''));
const window = fc.integer({ min: MIN_WINDOW, max: 700 });

describe('passages of any record, cut to any window', () => {
  test('are the text to the letter, once the repeated first lines are taken away', () => {
    fc.assert(
      fc.property(longText, window, (text, size) => {
        const passages = cut(text, size);
        expect(withoutAnchors(passages)).toBe(text.trim() === '' ? '' : text);
      }),
    );
  });

  test('fit the window, are valid Unicode, and each holds text of its own', () => {
    fc.assert(
      fc.property(longText, window, (text, size) => {
        for (const [i, { content }] of cut(text, size).entries()) {
          expect(content.length).toBeLessThanOrEqual(size);
          expect(content.isWellFormed()).toBe(true);
          expect(content.length).toBeGreaterThan(i === 0 ? 0 : anchorOf(content).length);
        }
      }),
    );
  });

  test('repeat one first line, which is the beginning of the text’s own', () => {
    fc.assert(
      fc.property(longText, window, (text, size) => {
        const anchors = new Set(
          cut(text, size)
            .slice(1)
            .map(({ content }) => anchorOf(content)),
        );
        expect(anchors.size).toBeLessThanOrEqual(1);
        for (const { content, repeated } of cut(text, size).slice(1)) expect(repeated).toBe(anchorOf(content).length);
        for (const anchor of anchors) expect(`${text}\n`.startsWith(anchor.slice(0, -1))).toBe(true);
      }),
    );
  });

  test('belong to one section, or to none where the text is whole', () => {
    fc.assert(
      fc.property(longText, window, (text, size) => {
        const passages = cut(text, size);
        const expected = passages.length === 1 ? [null] : passages.map(() => 1);
        expect(passages.map((passage) => passage.section)).toEqual(expected);
      }),
    );
  });
});

test.each([
  { what: 'a paragraph', before: 'One sentence. Two.\n\n', boundary: '\n\n' },
  { what: 'a line', before: 'One sentence. Two.\n', boundary: '\n' },
  { what: 'a sentence', before: 'One two. ', boundary: '. ' },
  { what: 'a sentence of Chinese', before: '一二三四五六七八九十。', boundary: '。' },
  { what: 'a word', before: 'one two ', boundary: ' ' },
])('a text is cut behind $what where it has nothing better', ({ before, boundary }) => {
  const text = `Title\n${before.repeat(120)}`;

  const passages = cut(text, 300);

  expect(passages.length).toBeGreaterThan(3);
  for (const { content } of passages) expect(content.endsWith(boundary)).toBe(true);
});

test('a first line that is longer than the window is shortened where it is repeated', () => {
  const text = `${'T'.repeat(1000)}\n${'word '.repeat(200)}`;

  const [first, second] = cut(text, 300);

  expect(first?.content).toBe('T'.repeat(300));
  expect(second?.content).toMatch(/^T{90,100}\nT+/);
});

test('40,000 characters without a blank are cut all the same', () => {
  const passages = cut(`[TASK #1] Log\n${'x'.repeat(40_000)}`, 600);

  expect(passages).toHaveLength(Math.ceil((40_000 + 14) / (600 - 14)));
  expect(withoutAnchors(passages)).toHaveLength(40_000 + 14);
});

test.each(['', ' ', '\n\n \t\u00a0\u2028'])('a blank text (%j) has no passage', (text) => {
  expect(cut(text, 300)).toEqual([]);
});

test('a text as long as the window is whole; one more character, and it is cut', () => {
  expect(cut('x'.repeat(300), 300)).toEqual([{ content: 'x'.repeat(300), section: null, repeated: 0, part: null }]);
  expect(cut('x'.repeat(301), 300)).toHaveLength(2);
});

test.each([0, 199, 300.5, Number.NaN, Number.POSITIVE_INFINITY])('a window of %d is refused', (size) => {
  expect(() => cut('text', size)).toThrow(RangeError);
});
