import { expect, test } from 'vitest';
import { checkCitations } from '../../functions/core/citations.ts';

test.each([
  { what: 'a valid marker stays', answer: 'It is so [1].', checked: 'It is so [1].', cited: [1], removed: [] },
  {
    what: 'one beyond the sources goes, with its blank',
    answer: 'It is so [4].',
    checked: 'It is so.',
    cited: [],
    removed: [4],
  },
  { what: 'one of zero goes', answer: 'It is so [0]', checked: 'It is so', cited: [], removed: [0] },
  {
    what: 'valid ones are told once, in order',
    answer: '[3] a [1] b [3]',
    checked: '[3] a [1] b [3]',
    cited: [1, 3],
    removed: [],
  },
  { what: 'a list stays', answer: 'So [1, 2].', checked: 'So [1, 2].', cited: [1, 2], removed: [] },
  { what: 'a list without blanks stays', answer: 'So [1,3].', checked: 'So [1,3].', cited: [1, 3], removed: [] },
  {
    what: 'a list loses what points nowhere',
    answer: 'So [1, 9, 2].',
    checked: 'So [1, 2].',
    cited: [1, 2],
    removed: [9],
  },
  { what: 'a list that points nowhere goes', answer: 'So [8, 9].', checked: 'So.', cited: [], removed: [8, 9] },
  { what: 'a year goes', answer: 'In the plan [2024].', checked: 'In the plan.', cited: [], removed: [2024] },
  { what: 'leading zeros are numbers', answer: 'So [01].', checked: 'So [01].', cited: [1], removed: [] },
  {
    what: 'brackets around words stay',
    answer: 'See [TASK #1] and [x].',
    checked: 'See [TASK #1] and [x].',
    cited: [],
    removed: [],
  },
  { what: 'line ends before a marker stay', answer: 'a\n[9] b', checked: 'a\n b', cited: [], removed: [9] },
  { what: 'inline code stays', answer: 'Use `a[9]` [1].', checked: 'Use `a[9]` [1].', cited: [1], removed: [] },
  {
    what: 'a valid number in code is no citation',
    answer: 'Use `a[1]`.',
    checked: 'Use `a[1]`.',
    cited: [],
    removed: [],
  },
  {
    what: 'a block of code stays',
    answer: 'So [9]:\n```js\na[9] = b[1];\n```\nEnd [2].',
    checked: 'So:\n```js\na[9] = b[1];\n```\nEnd [2].',
    cited: [2],
    removed: [9],
  },
  {
    what: 'a block of code without an end stays',
    answer: 'So\n```\na[9]',
    checked: 'So\n```\na[9]',
    cited: [],
    removed: [],
  },
  { what: 'nothing stays nothing', answer: '', checked: '', cited: [], removed: [] },
])('of three sources: $what', ({ answer, checked, cited, removed }) => {
  expect(checkCitations(answer, 3)).toEqual({ answer: checked, cited, removed });
});

test('without sources no marker is valid', () => {
  expect(checkCitations('So [1].', 0)).toEqual({ answer: 'So.', cited: [], removed: [1] });
});
