import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Block } from '../../functions/core/blocks.ts';
import type { Cutting, Part, SourceContent } from '../../functions/core/kinds/kind.ts';
import { type CuttingOptions, MIN_WINDOW, type Passage, passagesOf } from '../../functions/core/passages.ts';
import { estimateTokens } from '../../functions/core/tokens.ts';

const OPTIONS: CuttingOptions = {
  window: 600,
  sectionSize: 1200,
  sectionOverlap: 150,
  passageTokens: 500,
  passageOverlap: 0.15,
};
const CUTTINGS: Cutting[] = ['document', 'diagnostic'];

const partOf = (blocks: Block[], anchor = '[DOCUMENT a.md] A'): Part => ({
  heading: null,
  anchor,
  blocks,
  metadata: {},
  facts: [],
});
const prose = (text: string): Block => ({ kind: 'prose', text });

function cut(cutting: Cutting, parts: Part[], options: Partial<CuttingOptions> = {}): Passage[] {
  const content: SourceContent = {
    title: 'A',
    text: 'not looked at',
    parts: { cutting, parts },
    scope: { ownerEmployeeId: null, audience: 'organization', projectId: null, sprintId: null },
    metadata: {},
    facts: [],
    emptyReason: null,
  };
  return passagesOf(content, { ...OPTIONS, ...options });
}

const newText = ({ content, repeated }: Passage) => content.slice(repeated);
const textOf = (parts: Part[]) => parts.flatMap((part) => part.blocks.map((block) => block.text)).join('');
/** What a passage says, without its anchor. */
const bodyOf = ({ content }: Passage) => content.slice(content.indexOf('\n') + 1);

const run = fc.constantFrom('x', '🚀', '漢', '-', ' ', '\n').chain((c) => fc.nat(900).map((n) => c.repeat(n)));
const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'word ',
      'One two. ',
      'line\n',
      '\r',
      '\r\n',
      '\n\n',
      'end?" ',
      '🚀',
      '漢字。',
      'e\u0301',
      '\f',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  { weight: 1, arbitrary: run },
);
const textOfPieces = (maxLength: number) =>
  fc.array(piece, { maxLength, size: 'max' }).map((pieces) => pieces.join(''));
const anyText = textOfPieces(100);
const blockText = textOfPieces(20);
const header = fc.oneof(
  fc.constant('a | b\n--|--\n'),
  blockText.map((text) => `${text}\n`),
);
const block: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ kind: fc.constantFrom('prose', 'rows', 'whole'), text: blockText }),
  fc
    .tuple(fc.constantFrom<Block['kind']>('rows', 'whole'), header, blockText, fc.boolean())
    .map(([kind, first, text, opens]) => ({ kind, text: (opens ? first : '') + text, header: first })),
);
const part: fc.Arbitrary<Part> = fc.record({
  heading: fc.constant(null),
  anchor: fc.oneof(fc.constantFrom('', '[DOCUMENT a.md] A'), fc.string({ unit: 'grapheme', maxLength: 400 })),
  blocks: fc.array(block, { maxLength: 6 }),
  metadata: fc.constant({}),
  facts: fc.constant<Part['facts']>([]),
});
const someParts = fc.array(part, { maxLength: 3 });
const someOptions: fc.Arbitrary<CuttingOptions> = fc
  .record({
    window: fc.integer({ min: MIN_WINDOW, max: 1500 }),
    sectionSize: fc.integer({ min: 200, max: 2000 }),
    share: fc.double({ min: 0, max: 0.5, noNaN: true }),
    passageTokens: fc.integer({ min: 50, max: 700 }),
    passageOverlap: fc.double({ min: 0, max: 0.5, noNaN: true }),
  })
  .map(({ share, ...options }) => ({ ...options, sectionOverlap: Math.floor(options.sectionSize * share) }));

describe.each(CUTTINGS)('passages of any %s, cut to any size', (cutting) => {
  test('are its text to the letter, once what they repeat is taken away', () => {
    fc.assert(
      fc.property(someParts, someOptions, (parts, options) => {
        expect(cut(cutting, parts, options).map(newText).join('')).toBe(textOf(parts));
      }),
    );
  });

  test('fit the window, are valid Unicode, and each holds text of its own', () => {
    fc.assert(
      fc.property(someParts, someOptions, (parts, options) => {
        for (const passage of cut(cutting, parts, options)) {
          expect(passage.content.length).toBeLessThanOrEqual(options.window);
          expect(passage.content.isWellFormed()).toBe(true);
          expect(newText(passage)).not.toBe('');
        }
      }),
    );
  });

  test('repeat behind their anchor and header the end of what is before them in the part, and nothing else', () => {
    fc.assert(
      fc.property(anyText, someOptions, (text, options) => {
        let before = '';
        for (const passage of cut(cutting, [partOf([prose(text)])], options)) {
          const overlap = bodyOf(passage).slice(0, -newText(passage).length);
          expect(before.endsWith(overlap)).toBe(true);
          before += newText(passage);
        }
      }),
    );
  });

  test('belong to sections counted from 1, each of one part', () => {
    fc.assert(
      fc.property(someParts, someOptions, (parts, options) => {
        const passages = cut(cutting, parts, options);
        const sections = [...new Set(passages.map((passage) => passage.section))];
        expect(sections).toEqual(sections.map((_, i) => i + 1));
        for (const section of sections) {
          expect(new Set(passages.filter((one) => one.section === section).map((one) => one.part)).size).toBe(1);
        }
      }),
    );
  });
});

test('sections of any document have at most so many code points, with what they repeat', () => {
  fc.assert(
    fc.property(anyText, someOptions, (text, options) => {
      const sections = new Map<number | null, string>();
      for (const passage of cut('document', [partOf([prose(text)])], options)) {
        sections.set(passage.section, (sections.get(passage.section) ?? '') + bodyOf(passage));
      }
      for (const section of sections.values()) expect([...section].length).toBeLessThanOrEqual(options.sectionSize);
    }),
  );
});

test('passages of any diagnostic have at most so many tokens, all of it counted', () => {
  fc.assert(
    fc.property(someParts, someOptions, (parts, options) => {
      for (const { content } of cut('diagnostic', parts, options)) {
        expect(estimateTokens(content)).toBeLessThanOrEqual(options.passageTokens);
      }
    }),
  );
});

describe('a document', () => {
  /** A window that holds a section, so that each passage is one. */
  const WIDE = { window: 10_000 };

  test.each([
    { what: 'a paragraph', before: 'One sentence. Two.\nA line.\n\n', end: '\n\n' },
    { what: 'a line', before: 'One sentence. Two.\n', end: '\n' },
    { what: 'a sentence', before: 'One two. ', end: '. ' },
    { what: 'a sentence in Chinese', before: '一二三四五。', end: '。' },
    { what: 'a word', before: 'one two ', end: ' ' },
    { what: 'a character', before: 'x', end: 'x' },
  ])('is cut behind the last of $what that fits', ({ before, end }) => {
    const sections = cut('document', [partOf([prose(before.repeat(2000 / before.length))])], WIDE);

    expect(sections.length).toBeGreaterThan(1);
    for (const passage of sections.slice(0, -1)) {
      const length = bodyOf(passage).length;
      expect(length).toBeGreaterThan(1200 - 2 * before.length);
      expect(passage.content.endsWith(end)).toBe(true);
    }
  });

  test('with a heading, a blank line and a long paragraph is cut amid the paragraph, not behind the heading', () => {
    const [first] = cut('document', [partOf([prose(`# Heading\n\n${'word '.repeat(1000)}`)])], WIDE);

    expect(bodyOf(first as Passage).length).toBeGreaterThan(1190);
  });

  test('begins each section with the end of the one before it, from the beginning of a word', () => {
    const [, second] = cut('document', [partOf([prose('abcdefghi '.repeat(300))])], WIDE);

    expect(second?.repeated).toBe('[DOCUMENT a.md] A\n'.length + 150);
    expect(bodyOf(second as Passage)).toMatch(/^abcdefghi abc/);
  });

  test('repeats nothing from one part to the next', () => {
    const passages = cut('document', [partOf([prose('One. '.repeat(100))]), partOf([prose('Two.')])]);

    expect(passages.at(-1)?.content).toBe('[DOCUMENT a.md] A\nTwo.');
    expect(passages.at(-1)?.section).toBe(2);
  });

  test('shows a section’s overlap once: its passages do not overlap each other', () => {
    const passages = cut('document', [partOf([prose('abcdefghi '.repeat(300))])]);
    const second = passages.filter((passage) => passage.section === 2);

    expect(second.length).toBeGreaterThan(1);
    expect(second.map((passage) => passage.repeated - '[DOCUMENT a.md] A\n'.length)).toEqual([
      150,
      ...second.slice(1).map(() => 0),
    ]);
  });

  test('has no passage of a few words where a section is a little longer than the window', () => {
    const lengths = cut('document', [partOf([prose('abcdefghi '.repeat(61))])]).map(
      (passage) => newText(passage).length,
    );

    expect(lengths).toHaveLength(2);
    expect(Math.min(...lengths)).toBeGreaterThan(200);
  });

  test('a code block that would not fit begins the next section, and is cut between lines only where it is longer', () => {
    const code = (lines: number) => '    call(argument);\n\n'.repeat(lines);
    const whole = (text: string): Block => ({ kind: 'whole', text });
    const kept = cut('document', [partOf([prose('Run it. '.repeat(40)), whole(code(55)), prose('Done.')])], WIDE);
    const long = cut('document', [partOf([whole(code(200))])], WIDE);

    expect(kept.map(newText)).toEqual(['Run it. '.repeat(40), code(55), 'Done.']);
    // Behind the code there is no room for what is before it.
    expect(bodyOf(kept[1] as Passage).endsWith(code(55))).toBe(true);
    expect(long.length).toBeGreaterThan(3);
    for (const passage of long) expect(bodyOf(passage)).toMatch(/^ {4}call(?:.|\n)*;\n+$/);
  });

  describe('with a table', () => {
    const HEADER = '| name | days |\n| --- | --- |\n';
    const row = (i: number) => `| reason number ${i} | ${i} days |\n`;
    const rows = Array.from({ length: 200 }, (_, i) => row(i + 1));
    const table: Block = { kind: 'rows', text: HEADER + rows.join(''), header: HEADER };

    test.each([
      { what: 'a wide window', options: WIDE },
      { what: 'the usual window', options: {} },
      { what: 'the smallest window', options: { window: MIN_WINDOW } },
    ])('repeats its header and splits no row, in $what', ({ options }) => {
      const passages = cut('document', [partOf([prose('Days of leave.\n\n'), table])], options);

      for (const passage of passages.slice(1)) {
        const body = bodyOf(passage);
        expect(body.startsWith(HEADER)).toBe(true);
        const shown = body.slice(HEADER.length).match(/[^\n]*\n/g) ?? [];
        expect(rows.join('')).toContain(shown.join(''));
        for (const line of shown) expect(rows).toContain(line);
      }
    });

    test('does not end a passage in a header without rows', () => {
      for (let words = 0; words < 120; words++) {
        const passages = cut('document', [partOf([prose('leave '.repeat(words)), table])]);
        for (const passage of passages) expect(passage.content.endsWith(HEADER)).toBe(false);
      }
    });

    test('repeats whole rows, and none where only half of one would fit', () => {
      const [, second] = cut('document', [partOf([table])], WIDE);
      const [, none] = cut('document', [partOf([table])], { ...WIDE, sectionOverlap: 20 });

      const overlap = bodyOf(second as Passage).slice(HEADER.length, -newText(second as Passage).length);
      expect(overlap).toMatch(/^(\| reason number \d+ \| \d+ days \|\n){4}$/);
      expect(bodyOf(none as Passage)).toBe(HEADER + newText(none as Passage));
    });

    test('a row that is longer than the window is cut all the same, behind a word', () => {
      const long = `| ${'word '.repeat(300)} | 1 |\n`;
      const passages = cut('document', [
        partOf([{ kind: 'rows', text: HEADER + row(1) + long + row(2), header: HEADER }]),
      ]);

      expect(passages.map(newText).join('')).toBe(HEADER + row(1) + long + row(2));
      expect(passages.filter((passage) => passage.content.endsWith('word ')).length).toBeGreaterThan(1);
    });

    test('a header that is longer than the window leaves room for rows', () => {
      const wide = `${'column,'.repeat(300)}\n`;
      const passages = cut('document', [partOf([{ kind: 'rows', text: wide + '1,2,3\n'.repeat(300), header: wide }])]);

      const last = passages.at(-1) as Passage;
      expect(bodyOf(last)).toMatch(/^(column,)+c?o?l?u?m?n?…\n(1,2,3\n)+$/);
      expect(last.content.length).toBeLessThanOrEqual(600);
    });
  });

  test('an anchor that is longer than the window is shortened to a third of it', () => {
    const [first] = cut('document', [partOf([prose('Text.')], `[DOCUMENT a.md] ${'Title '.repeat(200)}`)]);

    expect(first?.content.indexOf('\n')).toBe(199);
  });
});

describe('a diagnostic', () => {
  const WIDE = { window: 10_000 };

  test('is one section a part, in passages of 300 to 500 tokens that repeat some 15 % of the one before', () => {
    const line = 'WAIT #140: nam=db file sequential read ela= 512 file#=7 block#=1201\n';
    const passages = cut(
      'diagnostic',
      [partOf([{ kind: 'rows', text: line.repeat(200) }]), partOf([prose('End')])],
      WIDE,
    );

    expect(new Set(passages.map((passage) => passage.section))).toEqual(new Set([1, 2]));
    const tokens = passages.slice(0, -1).map((passage) => estimateTokens(passage.content));
    expect(Math.min(...tokens)).toBeGreaterThanOrEqual(300);
    expect(Math.max(...tokens)).toBeLessThanOrEqual(500);
    for (const passage of passages.slice(1, -1)) {
      expect(bodyOf(passage)).toMatch(/^(WAIT[^\n]*\n)+$/);
      expect(passage.repeated).toBeGreaterThan('[DOCUMENT a.md] A\n'.length);
    }
  });

  test('keeps a stack of errors whole, and repeats it whole or not at all', () => {
    const stack = `${Array.from({ length: 12 }, (_, i) => `ORA-${1000 + i}: it failed`).join('\n')}\n`;
    const entry = 'Thread 1 advanced to log sequence\n';
    for (let before = 0; before < 60; before++) {
      const blocks: Block[] = [
        { kind: 'rows', text: entry.repeat(before) },
        { kind: 'whole', text: stack },
        { kind: 'rows', text: entry.repeat(60) },
      ];
      const passages = cut('diagnostic', [partOf(blocks)], WIDE);
      for (const { content } of passages) {
        expect(content.match(/ORA-\d+: it failed\n/g)?.length ?? 12).toBe(12);
      }
    }
  });
});

test('40,000 characters without a blank, and long runs of any kind, are cut all the same', () => {
  for (const text of ['x'.repeat(40_000), `${'ORA-00600 '.repeat(10)}\n`.repeat(500), '\n'.repeat(40_000)]) {
    for (const cutting of CUTTINGS) {
      for (const kind of ['prose', 'rows', 'whole'] as const) {
        expect(
          cut(cutting, [partOf([{ kind, text }])])
            .map(newText)
            .join('') === text,
        ).toBe(true);
      }
    }
  }
});

test.each([
  { options: { window: 199 }, fault: 'window must be a whole number of at least 200, got 199' },
  { options: { window: Number.NaN }, fault: 'window must be a whole number of at least 200, got NaN' },
  { options: { sectionSize: 199 }, fault: 'sectionSize must be a whole number from 200 to 8000, got 199' },
  { options: { sectionSize: 8001 }, fault: 'sectionSize must be a whole number from 200 to 8000, got 8001' },
  { options: { sectionOverlap: 601 }, fault: 'sectionOverlap must be a whole number from 0 to 600, got 601' },
  { options: { sectionOverlap: -1 }, fault: 'sectionOverlap must be a whole number from 0 to 600, got -1' },
  { options: { passageTokens: 49 }, fault: 'passageTokens must be a whole number of at least 50, got 49' },
  { options: { passageOverlap: 0.6 }, fault: 'passageOverlap must be a number from 0 to 0.5, got 0.6' },
])('$options cannot be cut to', ({ options, fault }) => {
  expect(() => cut('document', [], options)).toThrow(new RangeError(fault));
});
