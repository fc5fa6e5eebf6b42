import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indexTerms, queryTerms } from '../../functions/core/terms.ts';

/** Whether a question's terms are among those of a text. */
const isFound = (question: string, inText: string, language: 'en' | 'es' | 'fr', asked = language) => {
  const held = new Set(indexTerms(inText, language).split(' '));
  return queryTerms(question, asked).some((term) => held.has(term));
};

test.each([
  ['en', 'certificates', 'certificate'],
  ['en', 'renewing', 'renewed'],
  ['en', 'MIGRATION', 'migrations'],
  ['en', 'café', 'cafe'],
  ['es', 'certificado', 'certificados'],
  ['es', 'renovaciones', 'renovación'],
  ['es', 'renovación', 'renovaciones'],
  ['es', 'renovacion', 'renovación'],
  ['es', 'sesión', 'sesiones'],
  ['es', 'averiada', 'averiado'],
  ['es', 'migrado', 'migraron'],
  ['es', 'ANO', 'año'],
  ['es', 'nin\u0303os', 'ni\u00f1o'],
  ['fr', 'café', 'CAFÉ'],
  ['en', '漢字', '漢字'],
  ['en', '한국어', '한국어'],
  ['en', 'Überprüfung', 'uberprufung'],
  ['en', '2031', '2031'],
  ['en', 'KB-201', 'kb 201'],
] as const)('%s: %s is found in %s', (language, question, text) => {
  expect(isFound(question, text, language)).toBe(true);
});

test.each([
  ['errores', 'error'],
  ['clientes', 'client'],
  ['versiones', 'version'],
])('%s, asked in Spanish, is found in the English %s', (question, text) => {
  expect(isFound(question, text, 'en', 'es')).toBe(true);
});

test.each([
  ['en', 'letter', 'ledger'],
  ['en', '201', '2010'],
  ['en', 'what is it', 'what it is'],
  ['es', '¿qué es lo que tienen?', 'qué es lo que tienen'],
] as const)('%s: %s is not found in %s', (language, question, text) => {
  expect(isFound(question, text, language)).toBe(false);
});

test('a name of several words is found by each of them and, before all others, by itself', () => {
  expect(indexTerms('ALTER SESSION SET SQL_TRACE', 'en')).toBe('alter session set sql trace sqltrace');
  expect(queryTerms('wri$_optstat_tab#', 'en')).toContain('wrioptstattab');
  expect(isFound('SQL_TRACE', 'the trace of a statement', 'en')).toBe(true);
  expect(indexTerms('the trace of SQL', 'en').split(' ')).not.toContain('sqltrace');
});

test('the terms of a text keep their order and number', () => {
  expect(indexTerms('The ledger, the Ledger; and LEDGERS!', 'en')).toBe('ledger ledger ledger');
  expect(indexTerms('…?', 'en')).toBe('');
});

test('terms fit into a column that their text fits into, and end with a whole one', () => {
  const column = (text: string) => Math.max(4_000, Buffer.byteLength(text));
  const units = fc.array(
    fc.oneof(fc.constantFrom('\ufdfa', '\ufdfa ', ' ', 'ledger ', '½', 'é'), fc.string({ unit: 'binary' })),
  );
  fc.assert(
    fc.property(
      units,
      fc.integer({ min: 1, max: 300 }),
      fc.constantFrom('en', 'es', 'de'),
      (parts, times, language) => {
        const text = parts.join('').repeat(times);
        const terms = indexTerms(text, language);
        expect(Buffer.byteLength(terms)).toBeLessThanOrEqual(column(text));
        expect(terms).toBe(terms.trim());
      },
    ),
  );
  const long = '\ufdfa '.repeat(8_000);
  const terms = indexTerms(long, 'en');
  expect(Buffer.byteLength(terms)).toBeGreaterThan(column(long) - 40);
  const all = new Set(indexTerms('\ufdfa', 'en').split(' '));
  expect(terms.split(' ').filter((term) => !all.has(term))).toEqual([]);
});

test('a stop word of one language is a word in another', () => {
  expect(indexTerms('once', 'es')).toBe('once');
  expect(indexTerms('once', 'en')).toBe('');
});

test('a question’s terms are letters and digits alone, each once, and of a limited number and length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.constantFrom('en', 'es', 'de'), (text, language) => {
      const terms = queryTerms(text, language);
      expect(terms.filter((term) => !/^[\p{L}\p{N}]+$/u.test(term))).toEqual([]);
      expect(new Set(terms).size).toBe(terms.length);
    }),
  );
  const many = Array.from({ length: 1000 }, (_, i) => `word${i}x`).join(' ');
  expect(queryTerms(many, 'en')).toHaveLength(64);
  expect(queryTerms('x'.repeat(4000), 'en')).toEqual([]);
});
