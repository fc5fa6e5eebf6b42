import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkCitations } from '../../functions/core/citations.ts';
import type { CitableSource } from '../../functions/core/marker.ts';

const SOURCES: CitableSource[] = [
  { n: 1, sourceType: 'task', sourceId: '12' },
  { n: 2, sourceType: 'project', sourceId: '12' },
  { n: 3, sourceType: 'sprint', sourceId: '7' },
];

describe('a citation that holds becomes [n]:', () => {
  test.each([
    ['It is so [1].', 'It is so [1].', [1]],
    ['It is so[1].', 'It is so[1].', [1]],
    ['the text[1] and its rows[2].', 'the text[1] and its rows[2].', [1, 2]],
    ['(see it)[1].', '(see it)[1].', [1]],
    ["That's it[1].", "That's it[1].", [1]],
    ['So [1, 2].', 'So [1][2].', [1, 2]],
    ['So [1,3].', 'So [1][3].', [1, 3]],
    ['So [1; 2].', 'So [1][2].', [1, 2]],
    ['So [2][1].', 'So [1][2].', [1, 2]],
    ['So [2], [1], [2].', 'So [1][2].', [1, 2]],
    ['So [1 and 3], so [1 y 2].', 'So [1][3], so [1][2].', [1, 2, 3]],
    ['So [1-3].', 'So [1][2][3].', [1, 2, 3]],
    ['So [1–2].', 'So [1][2].', [1, 2]],
    ['So [TASK #12].', 'So [1].', [1]],
    ['So [Task 12].', 'So [1].', [1]],
    ['So [tarea 12].', 'So [1].', [1]],
    ['So [proyecto #12].', 'So [2].', [2]],
    ['So [task #12, 2].', 'So [1][2].', [1, 2]],
    ['So [TASK #12: Partial refunds].', 'So [1].', [1]],
    ['So [#7].', 'So [3].', [3]],
    ['So 【1】.', 'So [1].', [1]],
    ['So 【1†source】.', 'So [1].', [1]],
    ['So [^1].', 'So [1].', [1]],
    ['So [Source 1].', 'So [1].', [1]],
    ['So [Fuente 1] y [Fuentes 2 y 3].', 'So [1] y [2][3].', [1, 2, 3]],
    ['So [Source 2: Payments Platform].', 'So [2].', [2]],
    ['So (Source 1).', 'So [1].', [1]],
    ['So [1, p. 3].', 'So [1].', [1]],
    ['So [[1]].', 'So [1].', [1]],
    ['So \\[1\\].', 'So [1].', [1]],
    ['So [1](#source-1).', 'So [1].', [1]],
    ['So [1](see below).', 'So [1](see below).', [1]],
    ['So [01].', 'So [1].', [1]],
    ['[3] a [1] b [3]', '[3] a [1] b [3]', [1, 3]],
    ['| Task | Due [2] |', '| Task | Due [2] |', [2]],
    ['Done [1]: - [ ] todo', 'Done [1]: - [ ] todo', [1]],
  ])('%j', (answer, checked, cited) => {
    expect(checkCitations(answer, SOURCES)).toEqual({ answer: checked, cited, removed: [] });
  });
});

const FILES: CitableSource[] = [
  { n: 1, sourceType: 'document', sourceId: 'hr/leave.md' },
  { n: 2, sourceType: 'document', sourceId: 'hr/leave.md' },
  { n: 3, sourceType: 'document', sourceId: '2024/pay, bonus (new).csv' },
  { n: 4, sourceType: 'diagnostic', sourceId: 'night-run.1' },
  { n: 5, sourceType: 'resolution', sourceId: 'night-run.1' },
  { n: 6, sourceType: 'document', sourceId: 'hr' },
  { n: 7, sourceType: 'diagnostic', sourceId: '2' },
];

describe('a citation of a file by its name becomes [n], at its first place:', () => {
  test.each([
    ['So [DOCUMENT hr/leave.md].', 'So [1].', [1], []],
    ['So [Document hr/leave.md].', 'So [1].', [1], []],
    ['So [DOCUMENT hr/leave.md: Leave > Parental leave].', 'So [1].', [1], []],
    ['So [DOCUMENT hr/leave.md, 4].', 'So [1][4].', [1, 4], []],
    ['So [DOCUMENT hr/leave.md, DIAGNOSTIC night-run.1].', 'So [1][4].', [1, 4], []],
    ['So [DOCUMENT 2024/pay, bonus (new).csv].', 'So [3].', [3], []],
    ['So [DIAGNOSTIC night-run.1].', 'So [4].', [4], []],
    ['So [RESOLUTION of DIAGNOSTIC night-run.1].', 'So [5].', [5], []],
    ['So [DOCUMENT hr].', 'So [6].', [6], []],
    ['So [DIAGNOSTIC 2].', 'So [7].', [7], []],
    ['So [DOCUMENT 2].', 'So [2].', [2], []],
    ['So [DOCUMENT hr/other.md].', 'So.', [], ['DOCUMENT hr/other.md']],
    ['So [DOCUMENT hr/leave.md.bak].', 'So.', [], ['DOCUMENT hr/leave.md.bak']],
    ['So [DIAGNOSTIC night-run.12].', 'So.', [], ['DIAGNOSTIC night-run.12']],
    ['So [RESOLUTION of DIAGNOSTIC 2].', 'So.', [], ['RESOLUTION of DIAGNOSTIC 2']],
    [
      'So [document hr policies] and [diagnostic output].',
      'So [document hr policies] and [diagnostic output].',
      [],
      [],
    ],
  ])('%j', (answer, checked, cited, removed) => {
    expect(checkCitations(answer, FILES)).toEqual({ answer: checked, cited, removed });
  });
});

describe('an invented citation goes, is told, and leaves a clean sentence:', () => {
  test.each([
    ['It is so [4].', 'It is so.', [], ['4']],
    ['It is so[9].', 'It is so.', [], ['9']],
    ['It is so [0]', 'It is so', [], ['0']],
    ['It is so [TASK #99].', 'It is so.', [], ['TASK #99']],
    ['So [1, 9, 2].', 'So [1][2].', [1, 2], ['9']],
    ['So [8, 9].', 'So.', [], ['8', '9']],
    ['So [2-5].', 'So [2][3].', [2, 3], ['2-5']],
    ['So [1][9].', 'So [1].', [1], ['9']],
    ['So [9] [8], and on', 'So, and on', [], ['9', '8']],
    ['A, [9], B', 'A, B', [], ['9']],
    ['So ([9]).', 'So.', [], ['9']],
    ['So (Source 9).', 'So.', [], ['9']],
    ['[9] It is so', 'It is so', [], ['9']],
    ['- [9]: It is so', '- It is so', [], ['9']],
    ['a\n[9] b', 'a\nb', [], ['9']],
    ['a [9] b', 'a b', [], ['9']],
    ['word[9]word', 'word word', [], ['9']],
    ['So [1234567].', 'So.', [], ['1234567']],
    ['So 【4:0†source】.', 'So.', [], ['4:0†source']],
    ['So [[9]1].', 'So [1].', [1], ['9']],
    ['So [9](https://example.org).', 'So.', [], ['9']],
    ['In the plan [1, 2024].', 'In the plan [1].', [1], ['2024']],
    ['It`s so [9].', 'It`s so.', [], ['9']],
    ['- item\n\n    more of it [9].', '- item\n\n    more of it.', [], ['9']],
  ])('%j', (answer, checked, cited, removed) => {
    expect(checkCitations(answer, SOURCES)).toEqual({ answer: checked, cited, removed });
  });
});

describe('brackets of other kinds stay, and cite nothing:', () => {
  test.each([
    'Use `a[9]` here.',
    'Use `a[1]` here.',
    'Use ``a`[1]`` here.',
    'Cut off at `a[1]',
    'So:\n```js\na[9] = b[1];\n```\nEnd.',
    'So:\n~~~\na[9]\n```\n[1]\n~~~\nEnd.',
    'So\n```\na[9]',
    'So:\n\n    a[9] = b [1]\n\nEnd.',
    'the array[0] and matrix[i] and x[1]',
    'the conf.list[9] and rowCount[9] and v$session[9]',
    'the row[0] and items[4] and foo()[5] and word[0]',
    'He said [sic] and [see notes] and [x] and []',
    '- [ ] open\n- [x] done',
    'the [text](https://example.org/a[9]) and [two](b)',
    'In the plan [2024] and [2024-2025].',
    'at [12:30] by [1.5] of [50 %] and [+1]',
    'the [Task force] and [task list 2]',
    '[BUG 12] is another tracker',
    '',
  ])('%j', (answer) => {
    expect(checkCitations(answer, SOURCES)).toEqual({ answer, cited: [], removed: [] });
  });
});

test('without sources no marker holds', () => {
  expect(checkCitations('So [1].', [])).toEqual({ answer: 'So.', cited: [], removed: ['1'] });
});

const parts = fc.array(
  fc.constantFrom(
    ...[
      '[',
      ']',
      '[1]',
      '[9]',
      '[1, 9]',
      '[1-3]',
      '[TASK #12]',
      '[TASK #99]',
      '[^2]',
      '【3】',
      '(Source 9)',
      '[2024]',
      '1',
      '9',
      ',',
    ],
    ...[
      ' ',
      '\n',
      '\n\n',
      '    ',
      '`',
      '```',
      '~~~',
      '(',
      ')',
      '.',
      'word',
      'array',
      'x',
      '- ',
      '\\',
      '\t',
      '[sic]',
      '](',
      'é',
      '💡',
    ],
  ),
  { maxLength: 40 },
);

test('whatever is written, a second check changes nothing, and only sources are cited', () => {
  fc.assert(
    fc.property(parts, (written) => {
      const once = checkCitations(written.join(''), SOURCES);
      const twice = checkCitations(once.answer, SOURCES);

      expect(twice).toEqual({ answer: once.answer, cited: once.cited, removed: [] });
      for (const n of once.cited) expect(SOURCES.map((source) => source.n)).toContain(n);
    }),
    { numRuns: 2_000 },
  );
});

test('whatever stands around it, a block of code stays to the letter', () => {
  const code = '```\na[9] = [1, 9]; // [TASK #99]   \n```';
  fc.assert(
    fc.property(fc.array(fc.constantFrom('[1]', '[9]', ' ', '\n', 'word', '(', ')')), (around) => {
      const { answer } = checkCitations(`${around.join('')}\n${code}\n${around.join('')}`, SOURCES);

      expect(answer).toContain(code);
    }),
  );
});

test.each(['[', ']', '[9', '[1', '`', '[[9]', '[1][', '(source 1', '[9] ', '\\[', '[1]('])(
  'a hundred kilobytes of %j are read in one go',
  (unit) => {
    const answer = unit.repeat(100_000 / unit.length);

    expect(checkCitations(answer, SOURCES).answer.length).toBeLessThanOrEqual(answer.length);
  },
  10_000,
);
