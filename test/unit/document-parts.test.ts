import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { partsOf, type TextFormat } from '../../functions/core/documents/parts.ts';

const parts = (textFormat: TextFormat, content: string, title = 'Leave') =>
  partsOf({ id: 'hr/leave.md', title, textFormat, content });
const markdown = (content: string) => parts('markdown', content);
const textsOf = (found: ReturnType<typeof parts>) => found.map((part) => part.blocks.map((b) => b.text).join(''));
const headingsOf = (content: string) => markdown(content).map((part) => part.heading);

const line = fc.constantFrom(
  ...[
    '# A',
    '## B ##',
    '#',
    '###### C',
    'Title',
    '===',
    '---',
    '```',
    '~~~~',
    '| a | b |',
    '|---|---|',
    'a|b',
    '',
    ' ',
  ],
  ...['- item', '> said', '    code', 'word word.', '\f', 'a,b', '"x', 'y",2', '""', 'a;"b"', '🚀', '[l](x)', '\\| |'],
);
const anyText = fc.oneof(
  fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n')),
  fc.array(line, { maxLength: 40 }).map((lines) => lines.map((one) => `${one}\n`).join('')),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
);

test.each<TextFormat>(['plain', 'markdown', 'csv'])(
  'the parts of any %s text are the text to the letter',
  (textFormat) => {
    fc.assert(
      fc.property(anyText, (text) => {
        const found = parts(textFormat, text);
        expect(textsOf(found).join('')).toBe(text.trim() === '' ? '' : text);
        for (const part of found) expect(part.blocks.map((block) => block.text)).not.toContain('');
      }),
      { numRuns: 500 },
    );
  },
);

test.each<TextFormat>(['plain', 'markdown', 'csv'])('blank %s text, and none, has no parts', (textFormat) => {
  expect(parts(textFormat, ' \n\f\n')).toEqual([]);
  expect(partsOf({ id: 'a', title: 'A', textFormat, content: null })).toEqual([]);
});

describe('Markdown', () => {
  test('has a part for each heading, which tells its path of titles', () => {
    const found = markdown(
      'Preface.\n\n# Time off\n\nText.\n\n## Parents\n\nMore.\n\n### Fathers\nDays.\n\n## Illness\nCall.\n',
    );

    expect(found.map(({ heading, anchor }) => ({ heading, anchor }))).toEqual([
      { heading: null, anchor: '[DOCUMENT hr/leave.md] Leave' },
      { heading: 'Time off', anchor: '[DOCUMENT hr/leave.md] Leave > Time off' },
      { heading: 'Time off > Parents', anchor: '[DOCUMENT hr/leave.md] Leave > Time off > Parents' },
      {
        heading: 'Time off > Parents > Fathers',
        anchor: '[DOCUMENT hr/leave.md] Leave > Time off > Parents > Fathers',
      },
      { heading: 'Time off > Illness', anchor: '[DOCUMENT hr/leave.md] Leave > Time off > Illness' },
    ]);
    expect(textsOf(found)[2]).toBe('## Parents\n\nMore.\n\n');
  });

  test('does not say the title again where it is the first heading too', () => {
    const found = markdown('# Leave\nText.\n## Parents\nMore.\n');

    expect(found.map((part) => part.heading)).toEqual([null, 'Parents']);
    expect(found.map((part) => part.anchor)).toEqual([
      '[DOCUMENT hr/leave.md] Leave',
      '[DOCUMENT hr/leave.md] Leave > Parents',
    ]);
  });

  test('a heading without text of its own begins the part behind it', () => {
    const found = markdown('\n# Time off\n\n## Parents\n\nText.\n\n## End\n');

    expect(found.map((part) => part.heading)).toEqual(['Time off > Parents']);
    expect(textsOf(found)).toEqual(['\n# Time off\n\n## Parents\n\nText.\n\n## End\n']);
    expect(textsOf(markdown('# Time off\n## Parents'))).toEqual(['# Time off\n## Parents']);
  });

  test.each([
    { what: 'underlined with =', text: 'Days\n====\nText.', headings: ['Days'] },
    { what: 'underlined with -', text: 'Text.\n\nDays\n---\nText.', headings: [null, 'Days'] },
    { what: 'with marks at its end', text: '## Days ##\nText.', headings: ['Days'] },
    {
      what: 'with emphasis, code and a link',
      text: '# **All** `days` of [leave](http://x/)\nText.',
      headings: ['All days of leave'],
    },
    { what: 'with an anchor of HTML', text: '# <a name="d"></a>Days\nText.', headings: ['Days'] },
    {
      what: 'of a level that skips some',
      text: '# A\nText.\n#### B\nText.\n## C\nText.',
      headings: ['A', 'A > B', 'A > C'],
    },
    { what: 'of more than 150 characters', text: `# ${'x'.repeat(200)}\nText.`, headings: [`${'x'.repeat(149)}…`] },
  ])('a heading $what', ({ text, headings }) => {
    expect(headingsOf(text)).toEqual(headings);
  });

  test.each([
    { what: 'a line of fenced code', text: 'Text.\n```sh\n# a comment\n```\n' },
    { what: 'a line of code that is never closed', text: '~~~\n```\n# a comment\n' },
    { what: 'a hash without a blank', text: '#channel\n' },
    { what: 'hashes alone', text: '##\ntext\n' },
    { what: 'seven hashes', text: '####### x\n' },
    { what: 'a rule behind a paragraph', text: 'Text that goes\nover two lines\n---\n' },
    { what: 'a rule behind a list', text: '- item\n---\n' },
    { what: 'settings at the beginning', text: '---\ntitle: Leave\n---\nText.\n' },
    { what: 'the header row of a table', text: 'a | b\n--- | ---\n1 | 2\n' },
  ])('$what is no heading', ({ text }) => {
    expect(headingsOf(text)).toEqual([null]);
    expect(textsOf(markdown(text))).toEqual([text]);
  });

  test('fenced code is whole, a table is rows with its header, and the rest is prose', () => {
    const table = '| a | b |\n|:--|--:|\n| 1 | 2 |\n| 3 | \\| |\n';
    const [part] = markdown(`Text.\n\n\`\`\`sh\nls\n\n# x\n\`\`\`\n\nMore.\n${table}\nEnd.\n`);

    expect(part?.blocks).toEqual([
      { kind: 'prose', text: 'Text.\n\n' },
      { kind: 'whole', text: '```sh\nls\n\n# x\n```\n\n' },
      { kind: 'prose', text: 'More.\n' },
      { kind: 'rows', text: `${table}\n`, header: '| a | b |\n|:--|--:|\n' },
      { kind: 'prose', text: 'End.\n' },
    ]);
  });

  test.each([
    { what: 'dashes of fewer columns', text: '| a | b | c |\n|---|---|\n' },
    { what: 'a row of dashes that is none', text: 'a | b\n-x- | -\n' },
    { what: 'a line with a pipe', text: 'a | b\nc | d\n' },
  ])('$what make no table', ({ text }) => {
    expect(markdown(text)[0]?.blocks).toEqual([{ kind: 'prose', text }]);
  });
});

describe('plain text', () => {
  test('is one part without headings', () => {
    const text = '# not a heading\n\nText.\n';
    expect(parts('plain', text).map(({ heading, blocks }) => ({ heading, blocks }))).toEqual([
      { heading: null, blocks: [{ kind: 'prose', text }] },
    ]);
  });

  test('with form feeds has a part for each page that says something', () => {
    const found = parts('plain', 'One.\f\f \n\fFour.\fFive.\f\n');

    expect(found.map((part) => part.heading)).toEqual(['p. 1', 'p. 4', 'p. 5']);
    expect(textsOf(found)).toEqual(['One.\f', '\f \n\fFour.\f', 'Five.\f\n']);
    expect(found[1]?.anchor).toBe('[DOCUMENT hr/leave.md] Leave > p. 4');
  });
});

describe('CSV', () => {
  test('is rows with the first record as header; a record of several lines is whole', () => {
    const header = 'name,note\n';
    const [part] = parts('csv', `${header}a,1\nb,"x\ny ""z""\n"\nc,5" disk\nd,\n"e\nf",2`);

    expect(part?.blocks).toEqual([
      { kind: 'rows', text: `${header}a,1\n`, header },
      { kind: 'whole', text: 'b,"x\ny ""z""\n"\n', header },
      { kind: 'rows', text: 'c,5" disk\nd,\n', header },
      { kind: 'whole', text: '"e\nf",2', header },
    ]);
  });

  test('a header may have several lines, and empty lines before it', () => {
    const header = '"first\nname";b\n';
    const [part] = parts('csv', `\n${header}1;2\n`);

    expect(part?.blocks).toEqual([
      { kind: 'prose', text: '\n' },
      { kind: 'whole', text: header, header },
      { kind: 'rows', text: '1;2\n', header },
    ]);
  });

  test('a quote that is never closed takes the rest', () => {
    const [part] = parts('csv', 'a,b\n"x,1\ny,2\n');

    expect(part?.blocks.map((block) => block.text)).toEqual(['a,b\n', '"x,1\ny,2\n']);
  });
});
