import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fuse } from '../../functions/core/fusion.ts';
import { detectLanguage } from '../../functions/core/language.ts';
import { queryTerms } from '../../functions/core/terms.ts';
import { searchCandidates } from '../../functions/store/candidates.ts';
import { callerOf } from '../support/inspect.ts';
import { put } from '../support/records.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const MANAGER = callerOf(9, 'manager');

/** The sources that are found by the question's words alone, best first. */
async function find(bench: Bench, question: string, caller = MANAGER, topK = 8): Promise<string[]> {
  const named = { sources: [], codes: [] };
  const found = await searchCandidates(bench.database, caller, {
    question: bench.embedder.inDatabase ? question || '-' : bench.embedder.vectorOf(question),
    terms: queryTerms(question, detectLanguage(question)),
    named,
    model: bench.embedder,
    order: null,
    filters: {},
    depth: topK,
    approximate: false,
  });
  const withTerms = found.filter(({ textScore }) => textScore > 0);
  return fuse(withTerms, { vectorWeight: 0, topK, maxPerSource: 0, named, sort: null }).map(
    ({ sourceType, sourceId }) => `${sourceType}/${sourceId}`,
  );
}

forEachDatabase('a search for words', (bench) => {
  test('finds the passages that have them, those with more of them first', async () => {
    await bench.write(
      put.project(1, { name: 'Ledger migration' }),
      put.project(2, { name: 'Ledger' }),
      put.project(3, { name: 'Coffee' }),
    );
    await bench.drain();

    expect(await find(bench, 'How is the LEDGER migration?')).toEqual(['project/1', 'project/2']);
    expect(await find(bench, 'ledger', MANAGER, 1)).toHaveLength(1);
    expect(await find(bench, 'nothing of this')).toEqual([]);
  });

  test('finds letters of every script, and digits', async () => {
    await bench.write(put.project(1, { name: 'Año 2031' }), put.project(2, { name: 'Überprüfung' }));
    await bench.drain();

    expect(await find(bench, '¿año?')).toEqual(['project/1']);
    expect(await find(bench, '2031')).toEqual(['project/1']);
    expect(await find(bench, 'überprüfung!')).toEqual(['project/2']);
  });

  test('shows a developer nothing but what that developer may see', async () => {
    await bench.write(
      put.employee(1, { role: 'developer' }),
      put.employee(2, { role: 'developer' }),
      put.task(1, { title: 'Secret ledger', assigneeId: 1 }),
      put.task(2, { title: 'Secret ledger', assigneeId: 2 }),
      put.task(3, { title: 'Secret ledger' }),
    );
    await bench.drain();

    expect(await find(bench, 'ledger', callerOf(1))).toEqual(['task/1']);
    expect((await find(bench, 'ledger')).sort()).toEqual(['task/1', 'task/2', 'task/3']);
  });

  test('takes any question for words, and none for an operator', async () => {
    await bench.write(put.project(1, { name: 'Ledger' }));
    await bench.drain();
    const operators = [
      '{',
      '}',
      '\\',
      '&',
      '|',
      '!',
      '(',
      ')',
      ':*',
      '%',
      '_',
      '?',
      '$',
      '<->',
      ' ACCUM ',
      ' NEAR ',
      "'",
      '"',
    ];
    const question = fc.array(
      fc.oneof(fc.constantFrom(...operators, 'about', 'within', 'ledger'), fc.string({ unit: 'binary' })),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(question, async (parts) => {
        await find(bench, parts.join(''));
      }),
      { numRuns: 60 },
    );
    expect(await find(bench, 'about {ledger} & !x')).toEqual(['project/1']);
    expect(await find(bench, '{}')).toEqual([]);
  });

  describe('in the language of a text', () => {
    const SPANISH =
      'Los certificados del servidor caducan en marzo y la renovación se hace con el proveedor de siempre; las configuraciones van aparte.';
    const ENGLISH = 'The certificates of the server expire in March and they are renewed with the provider as always.';
    const fill = async (bench: Bench) => {
      await bench.write(
        put.project(1, { name: 'Servidor', description: SPANISH }),
        put.project(2, { name: 'Server', description: ENGLISH }),
        put.project(3, { name: 'Café', description: 'La máquina de café está averiada desde hace una semana.' }),
      );
      await bench.drain();
    };

    test.each([
      { question: '¿Qué certificado caduca?', found: 'project/1' },
      { question: '¿Cuándo son las renovaciones?', found: 'project/1' },
      { question: '¿Y los proveedores?', found: 'project/1' },
      { question: '¿Cuál es la configuración?', found: 'project/1' },
      { question: '¿Qué pasa con la maquina averiada?', found: 'project/3' },
      { question: '¿Qué pasa con las MÁQUINAS de CAFE?', found: 'project/3' },
      { question: 'Which certificate expired?', found: 'project/2' },
      { question: 'What is renewing?', found: 'project/2' },
      { question: 'What about providers?', found: 'project/2' },
    ])('finds other forms of its words, with accents and without: $question', async ({ question, found }) => {
      await fill(bench);

      expect((await find(bench, question))[0]).toBe(found);
    });

    test('finds a text of another language by the words that both share', async () => {
      await bench.write(
        put.project(1, { description: 'The errors of the clients are told to the provider.' }),
        put.project(2, { name: 'Coffee' }),
      );
      await bench.drain();

      expect(await find(bench, '¿Qué pasa con el error?')).toEqual(['project/1']);
      expect(await find(bench, '¿Qué dicen los clientes?')).toEqual(['project/1']);
    });

    test('knows each text’s own language', async () => {
      await fill(bench);
      const languages = await bench.database.rows(
        'system',
        'SELECT source_id, language FROM rag_chunk ORDER BY source_id',
      );

      expect(languages).toEqual([
        { source_id: '1', language: 'es' },
        { source_id: '2', language: 'en' },
        { source_id: '3', language: 'es' },
      ]);
    });

    test('learns it anew when the text changes', async () => {
      await fill(bench);
      await bench.write(put.project(1, { name: 'Server', description: ENGLISH.replace('provider', 'supplier') }));
      await bench.drain();

      expect(await find(bench, 'suppliers')).toEqual(['project/1']);
      expect(await find(bench, '¿Cuándo son las renovaciones?')).toEqual([]);
    });
  });
});
