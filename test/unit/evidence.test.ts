import { describe, expect, test } from 'vitest';
import { bestCoverage, isOnTopic, type TopicLimits } from '../../functions/core/evidence.ts';
import { hit } from '../support/hits.ts';

const LIMITS: TopicLimits = { cutoff: 0.5, wordCoverage: 0.6, languages: 'any' };
const QUESTION = 'When does the invoice of the caterer arrive?';

describe('a question is on the subject', () => {
  test.each([
    { why: 'what is found is near', found: { distance: 0.5 }, expected: true },
    { why: 'what is found is just too far', found: { distance: 0.5001 }, expected: false },
    { why: 'it names a source that is far', found: { distance: 0.9, naming: 'source' as const }, expected: true },
    { why: 'it names a code in a text that is far', found: { distance: 0.9, naming: 'code' as const }, expected: true },
    {
      why: 'a far text has its words',
      found: { distance: 0.9, content: 'The invoices of the caterer arrive in May.' },
      expected: true,
    },
    {
      why: 'a far text has its words, the title among them',
      found: { distance: 0.9, title: 'Invoices', content: 'The caterer will arrive.' },
      expected: true,
    },
    {
      why: 'a far text has a few of its words',
      found: { distance: 0.9, content: 'The caterer is paid.' },
      expected: false,
    },
    {
      why: 'a far text has stop words alone in common',
      found: { distance: 0.9, content: 'When does the end of the film come?' },
      expected: false,
    },
  ])('or not, where $why: $expected', ({ found, expected }) => {
    const other = hit({ chunkId: 2, distance: 1, content: 'Something else altogether' });

    expect(isOnTopic(QUESTION, [hit(found), other], LIMITS)).toBe(expected);
    expect(isOnTopic(QUESTION, [other, hit(found)], LIMITS)).toBe(expected);
  });

  test.each([
    { languages: 'any' as const, question: '¿Cuándo llega la factura?', expected: true },
    { languages: 'en' as const, question: '¿Cuándo llega la factura?', expected: false },
    { languages: 'en' as const, question: 'When does it arrive?', expected: true },
  ])('by distance where the model ($languages) understands it: $question', ({ languages, question, expected }) => {
    expect(isOnTopic(question, [hit({ distance: 0.1 })], { ...LIMITS, languages })).toBe(expected);
  });

  test('by its words or what it names, also where the model does not understand it', () => {
    const limits: TopicLimits = { ...LIMITS, languages: 'en' };
    const question = '¿Cuándo llega la factura del proveedor?';

    expect(isOnTopic(question, [hit({ content: 'La factura del proveedor llega en mayo.' })], limits)).toBe(true);
    expect(isOnTopic(question, [hit({ naming: 'source' })], limits)).toBe(true);
  });

  test('never, where nothing is found', () => {
    expect(isOnTopic(QUESTION, [], LIMITS)).toBe(false);
    expect(isOnTopic('¿…?', [hit({ distance: 0.9 })], LIMITS)).toBe(false);
  });

  test('not for words that are spread over several texts', () => {
    const texts = ['The invoice', 'The caterer', 'They arrive'].map((content, i) =>
      hit({ chunkId: i, distance: 0.9, content }),
    );

    expect(isOnTopic(QUESTION, texts, LIMITS)).toBe(false);
  });
});

describe('the share of a question’s words', () => {
  const texts = (...contents: string[]) => contents.map((content) => ({ title: '', content }));

  test.each([
    { what: 'all of them', found: texts('invoice caterer'), expected: 1 },
    { what: 'none of them', found: texts('ledger'), expected: 0 },
    { what: 'half of them, equally rare', found: texts('invoice', 'caterer'), expected: 0.5 },
    { what: 'no text', found: [], expected: 0 },
  ])('is $expected for $what', ({ found, expected }) => {
    expect(bestCoverage('invoice caterer', found)).toBeCloseTo(expected, 10);
  });

  test('weighs a word the more, the fewer texts have it', () => {
    const rare = bestCoverage('invoice caterer', texts('caterer', 'ledger', 'ledger'));
    const common = bestCoverage('invoice caterer', texts('caterer', 'caterer', 'caterer'));

    expect(rare).toBeCloseTo(0.33, 1);
    expect(common).toBeLessThan(rare);
  });
});
