import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareFigures } from '../../functions/core/figures.ts';
import { splitStatements } from '../../functions/core/statements.ts';
import { checkSupport, hasSupport, judgeSupport } from '../../functions/core/support.ts';

const told = (answer: string) => splitStatements(answer).map(({ text, cited }) => [text, cited]);

describe('an answer is split into statements with what they cite:', () => {
  test.each([
    [
      'It is so [1]. And so [2].',
      [
        ['It is so.', [1]],
        ['And so.', [2]],
      ],
    ],
    [
      'It is so. [1] And so. [2][3]',
      [
        ['It is so.', [1]],
        ['And so.', [2, 3]],
      ],
    ],
    [
      'The ledger broke. The cause was a key [2].',
      [
        ['The ledger broke.', [2]],
        ['The cause was a key.', [2]],
      ],
    ],
    [
      'The cause was a key [2]. It broke the ledger.',
      [
        ['The cause was a key.', [2]],
        ['It broke the ledger.', []],
      ],
    ],
    [
      '- Ana has it\n- Due in March [1]',
      [
        ['Ana has it', [1]],
        ['Due in March', [1]],
      ],
    ],
    [
      'Ana has it.\n\nDue in March [1]',
      [
        ['Ana has it.', []],
        ['Due in March', [1]],
      ],
    ],
    [
      '1. Renew it [1]\n2. Test it [2]\n[3]',
      [
        ['Renew it', [1]],
        ['Test it', [2]],
      ],
    ],
    ['# Findings\nHere is what I found:\n- The key is short [1].', [['The key is short.', [1]]]],
    ['It costs 1.5 EUR, e.g. for Dr. Peña [1].', [['It costs 1.5 EUR, e.g. for Dr. Peña.', [1]]]],
    [
      'Vence el 4 de marzo. ¿Quién? Ana [1].',
      [
        ['Vence el 4 de marzo.', [1]],
        ['¿Quién?', [1]],
        ['Ana.', [1]],
      ].filter(([text]) => text !== '¿Quién?'),
    ],
    ['Use `a[1]` there [2].', [['Use `a[1]` there.', [2]]]],
    ['Run this [1]:\n```\nSELECT 9 [3]\n```', [['Run this:', [1]]]],
    ['Sí [1].', [['Sí.', [1]]]],
    ['---\n[1]', []],
    ['', []],
  ])('%j', (answer, expected) => {
    expect(told(answer)).toEqual(expected);
  });

  test('each says where it stands', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('Ana has it', ' [1]', '.', ' ', '\n', '- ', 'The key', ' 1.5', '!', 'e.g. x')),
        (parts) => {
          const answer = parts.join('');
          let end = 0;
          for (const { text, from, to } of splitStatements(answer)) {
            expect(from).toBeGreaterThanOrEqual(end);
            expect(
              answer
                .slice(from, to)
                .replace(/[ \t]*\[\d\]/g, '')
                .trim(),
            ).toBe(text);
            end = to;
          }
        },
      ),
    );
  });
});

describe('a figure is found in any notation:', () => {
  test.each([
    ['41,750 EUR', '41.750 EUR'],
    ['41.750', '41750'],
    ['41 750', '41,750.00'],
    ['1.482,16', '1,482.16'],
    ['27.5 hours', '27,5'],
    ['12 %', '12%'],
    ['72 hours', 'a 72-hour window'],
    ['12h', '12 hours'],
    ['ORA-1652', 'raised ORA-01652'],
    ['KB-201', 'see kb-201'],
    ['task 12', '[TASK #12] Renew'],
    ['TASK-12', '[TASK #12] Renew'],
    ['4 December 2026', 'Due: 2026-12-04'],
    ['December 4th, 2026', 'Due: 2026-12-04'],
    ['el 4 de diciembre de 2026', 'Due: 2026-12-04'],
    ['04/12/2026', 'Due: 2026-12-04'],
    ['4 December', 'Due: 2026-12-04'],
    ['December 2026', 'Due: 2026-12-04'],
    ['2026-12-04', 'on 4 Dec 2026'],
    ['4 December 2026', 'in 2026, on 4 December'],
    ['del 24 al 28 de diciembre', 'Dates: 2026-12-24 -> 2026-12-28'],
    ['9:00', 'at 09:00'],
    ['9 am', 'at 09:00'],
    ['version 2.3.1', 'release 2.3.1'],
    ['sprint S11', 'Payments S11'],
    ['7ztbq2nf4kd3a', 'sql_id 7ztbq2nf4kd3a'],
    ['3 tasks', 'three tasks'],
    ['3 tasks', 'Tres tareas'],
    ['12 people', 'a team of twelve'],
    ['11 personas', 'son once personas en el equipo'],
    ['€41,750', '41,750 EUR'],
    ['41,750 EUR', '€41,750'],
    ['$1,200.50', 'USD 1200.50'],
    ['83%', '83 %'],
    ['83 %', '83%'],
    ['19 December 2026', 'December 19, 2026'],
    ['December 19, 2026', '2026-12-19'],
    ['2026-12-19', '19 December 2026'],
    ['no figure', 'nothing'],
  ])('%j in %j', (statement, text) => {
    expect(compareFigures(statement, [text]).missing).toEqual([]);
  });

  test.each([
    ['41,751 EUR', '41,750 EUR', ['41,751']],
    ['1.5', '15', ['1.5']],
    ['12', '120', ['12']],
    ['5 December 2026', 'Due: 2026-12-04', ['5 December 2026']],
    ['4 December 2027', 'Due: 2026-12-04', ['4 December 2027']],
    ['November 2026', 'Due: 2026-12-04', ['November 2026']],
    ['ORA-01653', 'ORA-01652', ['ORA-01653']],
    ['KB-20', 'KB-201', ['KB-20']],
    ['task 13', '[TASK #12] Renew', ['13']],
    ['sprint S12', 'Payments S11', ['S12']],
    ['9:30', 'at 09:00', ['9:30']],
    ['2.3.2', '2.3.1', ['2.3.2']],
    ['3 tasks', 'thirteen and twenty-three tasks', ['3']],
    ['2 tasks', 'treinta y dos, or two hundred', ['2']],
    ['11 tasks', 'it failed once in the night', ['11']],
    ['€41,751', '41,750 EUR', ['41,751']],
    ['12 and 13 and 12', 'nothing', ['12', '13']],
  ])('and %j is not in %j', (statement, text, missing) => {
    expect(compareFigures(statement, [text]).missing).toEqual(missing);
  });

  test.each([
    ['Three are open', 'open: 3', ['Three']],
    ['Hay tres abiertas', '3 open', ['tres']],
    ['Hay tres abiertas', 'there are three', ['tres']],
    ['It failed once', 'on day 11', []],
    ['Three are open', 'A, B and C', []],
  ])('a number in words is a figure of %j where %j has it, and never missing', (statement, text, figures) => {
    expect(compareFigures(statement, [text])).toMatchObject({ figures, missing: [] });
  });

  test('every text holds its own figures', () => {
    const figures = fc.constantFrom(
      '41,750',
      '1.5',
      '2026-12-04',
      '4 de mayo',
      'ORA-1652',
      'S11',
      '09:00',
      '12h',
      '1 000',
      '.',
      ' ',
      'and',
      '-',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(figures, fc.string({ maxLength: 5 }))), (parts) => {
        const text = parts.join(' ');
        expect(compareFigures(text, [text]).missing).toEqual([]);
      }),
    );
  });
});

const REFUNDS = [
  '[TASK #1] Partial refunds in JPY fail',
  'Status: blocked | Priority: high | Sprint: Payments S11',
  'Assignee: Ana López',
  'Estimated hours: 27.5',
  'Due: 2026-12-04',
  'Description: A partial refund in JPY answers HTTP 500. The fraud scoring licence of Harrowgate Signals costs 41,750 EUR a year.',
  'Comments:',
  '- The cause was a hard-coded exponent of two decimals.',
].join('\n');
const TAPE = [
  '[TASK #2] Reparar el lector de cintas',
  'Status: todo | Priority: low | Sprint: none',
  'Description: El repuesto del lector de cintas cuesta 89 euros y llega el 12 de marzo de 2027. No se puede usar hasta entonces.',
].join('\n');

describe('a statement and the text it cites, with a model whose cutoff is 0.7', () => {
  test.each([
    // English on English, Spanish on Spanish: words and figures.
    ['The cause was a hard-coded exponent of two decimals.', REFUNDS, null, 'supported'],
    ['Ana López works on it.', REFUNDS, null, 'supported'],
    ['It is due on 4 December 2026.', REFUNDS, null, 'supported'],
    ['The licence costs 41,750 EUR a year.', REFUNDS, null, 'supported'],
    ['El repuesto llega el 12/03/2027.', TAPE, null, 'supported'],
    ['El repuesto del lector cuesta 89 euros.', TAPE, null, 'supported'],
    ['The licence costs 45,000 EUR a year.', REFUNDS, 0.1, 'unsupported'],
    ['It is due on 5 December 2026.', REFUNDS, 0.1, 'unsupported'],
    ['El repuesto cuesta 98 euros.', TAPE, 0.1, 'unsupported'],
    ['The settlement bank cancelled its sponsorship of the football team.', REFUNDS, 0.3, 'unsupported'],
    ['Bob Miller works on the refunds.', REFUNDS, 0.6, 'unsupported'],
    // Between: the distance decides, and without one nobody does.
    ['The failing refunds come from decimals wrongly assumed for yen.', REFUNDS, 0.35, 'supported'],
    ['The failing refunds come from decimals wrongly assumed for yen.', REFUNDS, 0.6, 'unsure'],
    ['The failing refunds come from decimals wrongly assumed for yen.', REFUNDS, 0.8, 'unsupported'],
    // Few words in common, but the figure is the source's: nothing speaks against it.
    ['They pay 41,750 euros annually.', REFUNDS, 0.9, 'unsure'],
    ['The failing refunds come from decimals wrongly assumed for yen.', REFUNDS, null, 'unsure'],
    // Across languages: names and figures.
    ['La licencia de Harrowgate Signals cuesta 41.750 EUR al año.', REFUNDS, null, 'supported'],
    ['La lleva Ana López y vence el 4 de diciembre de 2026.', REFUNDS, null, 'supported'],
    ['La licencia cuesta 40.000 EUR al año.', REFUNDS, 0.1, 'unsupported'],
    ['El fallo se debe a que se fijó el número de posiciones en el código.', REFUNDS, 0.9, 'unsure'],
    ['The spare part costs 89 euros.', TAPE, 0.9, 'supported'],
    // Nothing to compare.
    ['Yes.', REFUNDS, null, 'unsure'],
    ['89.', TAPE, null, 'supported'],
    // What words and figures cannot tell: these pass, and are wrong.
    ['The refund in JPY is not blocked.', REFUNDS, null, 'supported'],
    ['El lector de cintas se puede usar hasta entonces.', TAPE, null, 'supported'],
    ['The licence of Harrowgate Signals costs 27.5 EUR a year.', REFUNDS, null, 'supported'],
  ])('%j', (statement, text, distance, expected) => {
    expect(judgeSupport(checkSupport(statement, [text]), distance, 0.7)).toBe(expected);
  });

  test('that cites nothing is not supported', () => {
    expect(judgeSupport(checkSupport('The ledger is blocked.', []), null, 0.7)).toBe('unsupported');
    expect(judgeSupport(checkSupport('El libro mayor está bloqueado.', []), null, 0.7)).toBe('unsupported');
  });

  test('may rest on several texts together', () => {
    const check = checkSupport('Ana López has the refunds, and the tape costs 89 euros.', [REFUNDS, TAPE]);

    expect(check.missing).toEqual([]);
    expect(check.overlap).toBeGreaterThan(0.5);
  });

  test('shares with a text between nothing and everything', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (statement, text) => {
        const { overlap } = checkSupport(statement, [text]);
        expect(overlap).toBeGreaterThanOrEqual(0);
        expect(overlap).toBeLessThanOrEqual(1);
      }),
    );
  });
});

test.each([
  [
    'one supported',
    [
      { cited: [1], support: 'supported' as const },
      { cited: [1], support: 'unsupported' as const },
    ],
    true,
  ],
  ['one that nothing speaks against', [{ cited: [1], support: 'unsure' as const }], true],
  ['none but refuted', [{ cited: [1], support: 'unsupported' as const }], false],
  ['one supported without a citation', [{ cited: [], support: 'supported' as const }], false],
  ['no statement', [], false],
])('an answer with %s rests on something: %s', (_, judged, expected) => {
  expect(hasSupport(judged)).toBe(expected);
});
