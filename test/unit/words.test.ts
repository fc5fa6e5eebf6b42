import { expect, test } from 'vitest';
import { contentWords } from '../../functions/core/words.ts';

test.each([
  ['plurals', 'task', 'tasks'],
  ['verb forms', 'blocked', 'blocking'],
  ['nouns of verbs', 'migrations', 'migration'],
  ['accents', 'situación', 'situacion'],
  ['capitals', 'LEDGER', 'ledger'],
  ['possessives', 'ledger', "ledger's"],
  ['Spanish plurals', 'tareas', 'tarea'],
  ['Spanish genders', 'bloqueada', 'bloqueado'],
  ['composed and combining characters', 'ni\u00f1os', 'nin\u0303os'],
])('%s do not part words that belong together: %s and %s', (_, one, other) => {
  expect(contentWords(one)).toEqual(contentWords(other));
});

test('words that carry no subject are left out, in both languages', () => {
  expect(contentWords('what is it that they have of the')).toEqual([]);
  expect(contentWords('qué es lo que tienen de los')).toEqual([]);
});

test('numbers and names with hyphens are found whole and in their parts', () => {
  expect(contentWords('API-42')).toEqual(['api-42', 'api', '42']);
});

test('letters of any script are words', () => {
  expect(contentWords('Привет 漢字 مرحبا')).toHaveLength(3);
});

test.each([
  ['sprint', 'print'],
  ['ledger', 'letter'],
  ['12', '120'],
])('%s and %s stay apart', (one, other) => {
  expect(contentWords(one)).not.toEqual(contentWords(other));
});
