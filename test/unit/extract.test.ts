import { describe, expect, test } from 'vitest';
import { extractAnswer, extractiveAnswer, type NumberedSource } from '../../functions/core/extract.ts';

const refund: NumberedSource = {
  n: 1,
  title: 'Partial refunds in JPY fail',
  text: [
    '[TASK #1] Partial refunds in JPY fail',
    'Status: blocked | Priority: high | Sprint: none',
    'Project: Payments',
    'Assignee: Ana López',
    'Estimated hours: 12',
    'Due: 2026-12-04',
    'Description: A partial refund in JPY answers HTTP 500. It happens for about 3 % of the refunds.',
    'Comments:',
    '- The cause was a hard-coded exponent of two decimals.',
    '- Decided to read the exponent from the currency table.',
  ].join('\n'),
};
const pump: NumberedSource = {
  n: 2,
  title: 'Reparar la cafetera',
  text: [
    '[TASK #2] Reparar la cafetera',
    'Status: todo | Priority: low | Sprint: none',
    'Project: none',
    'Assignee: unassigned',
    'Due: -',
    'Description: La bomba de la cafetera está rota. Una bomba nueva cuesta 89 euros y tarda tres semanas.',
  ].join('\n'),
};

describe('an extract', () => {
  test.each([
    ['Who works on the partial refunds in JPY?', 'Assignee: Ana López'],
    ['When are the partial refunds in JPY due?', 'Due: 2026-12-04'],
    ['What is the status of the partial refunds in JPY?', 'Status: blocked'],
    ['Why do partial refunds in JPY fail?', 'hard-coded exponent'],
    ['What was decided for partial refunds in JPY?', 'Decided to read the exponent'],
    ['How many hours are estimated for the partial refunds in JPY?', 'Estimated hours: 12'],
    ['¿Cuánto cuesta una bomba nueva para la cafetera?', '89 euros'],
  ])('answers "%s" with the sentence or field that says it', (question, expected) => {
    const [best] = extractAnswer(question, [refund, pump]);

    expect(best?.text).toContain(expected);
  });

  test.each([
    ['TASK 2', 'La bomba de la cafetera está rota.'],
    ['Who has task 2?', 'Assignee: unassigned'],
    ['What is the status of #2?', 'Status: todo'],
    ['¿Cuánto cuesta la bomba de la tarea 2?', '89 euros'],
  ])('answers "%s" from the source that it names alone', (question, expected) => {
    const sentences = extractAnswer(question, [refund, { ...pump, isNamed: true }]);

    expect(sentences[0]?.text).toContain(expected);
    expect(new Set(sentences.map(({ n }) => n))).toEqual(new Set([2]));
  });

  test('says from which source each sentence is', () => {
    expect(extractAnswer('¿Cuánto cuesta la bomba de la cafetera?', [refund, pump]).map(({ n }) => n)).toContain(2);
  });

  test.each([
    ['holds only a part of what is asked', 'Which bank sponsors the football team of the payments department?'],
    ['consists of stop words', 'What is it that you have there?'],
    ['is in a script that no source has', '支払いはいつですか'],
  ])('is empty where the question %s', (_, question) => {
    expect(extractAnswer(question, [refund, pump])).toEqual([]);
  });

  test('is the first line of a record that says all it says there', () => {
    const bare = {
      n: 1,
      title: 'Output directory deletes sources',
      text: '[TASK #4] Output directory deletes sources\nDue: -',
    };

    expect(extractAnswer('Which directory deletes sources?', [bare, pump])).toEqual([
      { n: 1, text: '[TASK #4] Output directory deletes sources' },
    ]);
  });

  test.each([
    ['slowest SQL', 1],
    ['Which statement took longest?', 1],
    ['top statements by elapsed time', 2],
    ['What do the statements do?', 2],
  ])('of sources in the order of a figure is their first lines, in that order: %s', (question, count) => {
    const statement = (n: number, line: string) => ({
      n,
      title: 'TKPROF report',
      text: `${line}\nSELECT 1`,
      isInOrder: true,
    });
    const lines = ['[DIAGNOSTIC d1] SQL b · elapsed 9.00 s', '[DIAGNOSTIC d1] SQL a · elapsed 7.00 s'];
    const sources = [...lines.map((line, i) => statement(i + 1, line)), { ...pump, n: 3, title: question }];

    expect(extractAnswer(question, sources)).toEqual(lines.slice(0, count).map((text, i) => ({ n: i + 1, text })));
  });

  test.each([
    ['ORA-01652', { isNamed: true }],
    ['How was ORA-01652 solved?', { isNamed: true }],
    ['What has caused ORA-01652 in production?', { isNamed: true }],
    ['¿Cómo se resolvió el error ORA-01652?', { isNamed: true }],
    ['How is it fixed that it was unable to extend the temp segment?', {}],
  ])('of a validated fix is the fix, and not its evidence: %s', (question, named) => {
    const text = [
      '[RESOLUTION of DIAGNOSTIC d1] ORA-01652 | GL 12.2.9 | PROD',
      'Validated for: version 12.2.9, module GL, environment PROD',
      'Type: -',
      'Resolution: Add a file to TEMP.',
      'Evidence: [DIAGNOSTIC d1] Alert log',
      '> ORA-01652: unable to extend temp segment',
    ].join('\n');
    const log = {
      n: 2,
      title: 'Alert log',
      text: '[DIAGNOSTIC d1] Alert log\nORA-01652: unable to extend temp segment',
    };
    const sources = [
      { n: 1, title: 'Resolution of ORA-01652', text, ...named },
      { ...log, ...named },
    ];

    expect(extractAnswer(question, sources)[0]).toEqual({ n: 1, text: 'Resolution: Add a file to TEMP.' });
  });

  test('is empty without sources', () => {
    expect(extractAnswer('Why do partial refunds fail?', [])).toEqual([]);
  });

  test('answers neither with a field that is not filled nor twice with one sentence', () => {
    const copies = [refund, { ...refund, n: 2 }, pump];

    const texts = extractAnswer('When are the partial refunds in JPY due?', copies).map(({ text }) => text);

    expect(texts).not.toContain('Due: -');
    expect(new Set(texts).size).toBe(texts.length);
  });
});

describe('an extractive answer', () => {
  test('cites each line, and lets no bracket of a source pass for a citation', () => {
    const source = {
      n: 1,
      title: 'Fuses',
      text: '[TASK #3] Fuses\nDescription: The blown fuse is [7] in the plan [2, 3].',
    };

    expect(extractiveAnswer('Which fuse is blown?', [source])).toBe('The blown fuse is (7) in the plan (2, 3). [1]');
  });

  test.each([
    ['[DOCUMENT hr/a]b.md] Leave', 'Leave [1]'],
    ['[DIAGNOSTIC d1] SQL x · elapsed 9.00 s', 'SQL x · elapsed 9.00 s [1]'],
    ['[RESOLUTION of DIAGNOSTIC d1] ORA-01652', 'ORA-01652 [1]'],
    [
      'Evidence: [DIAGNOSTIC d2] as in [TASK #12] and [DOCUMENT hr/leave.md]',
      'Evidence: DIAGNOSTIC d2 as in TASK #12 and DOCUMENT hr/leave.md [1]',
    ],
  ])('cites the source that it quotes, and neither its name nor those of others in it: %s', (line, expected) => {
    expect(extractiveAnswer('slowest SQL', [{ n: 1, title: 'A title', text: line, isInOrder: true }])).toBe(expected);
  });

  test('is none where no sentence answers', () => {
    expect(extractiveAnswer('Which bank sponsors the football team of the payments department?', [refund])).toBeNull();
  });
});
