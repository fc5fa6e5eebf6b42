import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codesIn, containsCode } from '../../functions/core/codes.ts';

const said = (question: string) => {
  const { sources, codes } = codesIn(question);
  return [...sources.map(({ type, id }) => `${type ?? 'any'}/${id}`), ...codes];
};

describe('ids and codes of a question', () => {
  test.each([
    ['What is TASK 12 about?', ['task/12']],
    ['task #12?', ['task/12']],
    ["Who has task 12's review?", ['task/12']],
    ['¿Cuándo vence la tarea 12?', ['task/12']],
    ['¿Cuándo vence la tarea nº 12?', ['task/12']],
    ['[TASK #12] Migrate', ['task/12']],
    ['TASK-12', ['task/12']],
    ['tasks 12, #13 and 14', ['task/12', 'task/13', 'task/14']],
    ['tareas 12 y 13', ['task/12', 'task/13']],
    ['When does sprint 3 end?', ['sprint/3']],
    ['el proyecto #2', ['project/2']],
    ['tickets 12 and 13', ['task/12', 'task/13']],
    ['TASK 0012', ['task/12']],
    ['tasks 007 and #08', ['task/7', 'task/8']],
    ['is #0012 done', ['any/12']],
    ['TASK - 12', ['task/12']],
    ['wann endet Aufgabe 7?', ['task/7']],
    ['Who works on #12?', ['any/12']],
    ['is #9 like #10 or project 2', ['project/2', 'any/9', 'any/10']],
    ['task 12 and #12', ['task/12']],
    ['project 2, task 3 and #9', ['project/2', 'task/3', 'task/9']],
    ['What does KB-201 say?', ['KB-201']],
    ['is kb-201 solved', ['KB-201']],
    ['CLOV-1086, please', ['CLOV-1086']],
    ['the invoice INV-2026-118', ['INV-2026-118']],
    ['Why ORA-01652?', ['ORA-01652']],
    ['why ora 1652?', ['ORA-01652']],
    ['ORA-1652 and ORA-01652', ['ORA-01652']],
    ['TNS-12541: no listener', ['TNS-12541']],
    ['plan of 7ztbq2nf4kd3a.', ['7ZTBQ2NF4KD3A']],
    ['COVID-19 rules', ['COVID-19']],
  ])('of %j are %j', (question, expected) => {
    expect(said(question)).toEqual(expected);
  });

  test.each([
    'What happened in 2024?',
    'the top 10 and top-10 lists',
    'revenue in Q3-2025 and mid-2024',
    'Is there a task force?',
    'Why did it answer HTTP 503?',
    'the file is UTF-8',
    'task 2,000',
    'Is the project 2 weeks late?',
    'the C#12 compiler',
    'TASK 0',
    'TASK 000',
    'TASK 1.5',
    'TASK #1.5',
    'TASK -5',
    'TASK: -5',
    'misunderstand 1234567890123',
    'commit 3f9ac01d2b4e7',
    'at 20261204T0930',
    '',
  ])('are not seen in %j', (question) => {
    expect(said(question)).toEqual([]);
  });

  test('a kind and its number do not become the numbers of something else', () => {
    expect(said('task 12 and 3 more tasks')).toEqual(['task/12']);
  });

  test('are at most eight, whatever is written', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom('task', '#', 'KB-', ' ', ', ', 'and', 'ORA-', '12', '7'), fc.string())),
        (parts) => {
          expect(said(parts.join('')).length).toBeLessThanOrEqual(8);
        },
      ),
    );
    expect(said(Array.from({ length: 20 }, (_, i) => `#${i + 1}`).join(' '))).toHaveLength(8);
  });
});

describe('a text holds a code', () => {
  test.each([
    ['see KB-201.', 'KB-201', true],
    ['see kb-201', 'KB-201', true],
    ['see KB-201', 'KB-20', false],
    ['see XKB-20', 'KB-20', false],
    ['see KB-20-1', 'KB-20', false],
    ['raised ora-1652 again', 'ORA-01652', true],
    ['raised ORA-01652 again', 'ORA-1652', true],
    ['raised ORA-016521', 'ORA-01652', false],
    ['sql 7ztbq2nf4kd3a', '7ZTBQ2NF4KD3A', true],
    ['a(b', 'a(b', true],
  ])('%j, %s: %s', (text, code, expected) => {
    expect(containsCode(text, code)).toBe(expected);
  });
});
