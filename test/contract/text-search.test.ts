import fc from 'fast-check';
import { expect, test } from 'vitest';
import { queryWords } from '../../functions/core/text-query.ts';
import { searchText } from '../../functions/store/chunks.ts';
import { HASHING } from '../support/hashing-embedder.ts';
import { callerOf } from '../support/inspect.ts';
import { put } from '../support/records.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const MANAGER = callerOf(9, 'manager');

const find = async (bench: Bench, question: string, caller = MANAGER, topK = 8) =>
  (await searchText(bench.database, caller, { words: queryWords(question), model: HASHING, topK })).map(
    ({ sourceType, sourceId }) => `${sourceType}/${sourceId}`,
  );

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
});
