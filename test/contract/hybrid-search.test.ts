import { describe, expect, test } from 'vitest';
import { retrieve } from '../../functions/ask/retrieve.ts';
import { CountingDatabase } from '../bench/counting-database.ts';
import { vector } from '../support/hashing-embedder.ts';
import { besides } from '../support/hits.ts';
import { callerOf, readChunks } from '../support/inspect.ts';
import { type Asking, askAs, askContext, findSources } from '../support/questions.ts';
import { put, remove } from '../support/records.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const MANAGER = callerOf(9, 'manager');
const ANA = callerOf(1);

async function find(bench: Bench, question: string, asking: Partial<Asking> = {}) {
  const context = askContext(bench, { caller: MANAGER, ...asking });
  return (await retrieve(context, question, context.retrieval)).hits;
}

const SQL_ID = 'g4y6nw3tts7cc';

/** Records that are named by an id or a code, and far from every question; those beside them are near. */
async function writeNamed(bench: Bench): Promise<void> {
  bench.embedder.vectorOf = (text) => (/named/.test(text) ? vector(0, 1) : vector(1, 0));
  await bench.write(
    put.task(12, { title: 'A named printer' }),
    put.task(120, { title: 'What is the state of the task?' }),
    put.project(12, { name: 'A named lift' }),
    put.project(1, { name: 'named one', description: 'See KB-201 in the handbook.' }),
    put.project(2, { name: 'named two', description: 'See KB-20 in the handbook.' }),
    put.project(3, { name: 'named three', description: 'It failed with ora-1652 at night.' }),
    put.project(4, { name: 'named four', description: `The statement ${SQL_ID.toUpperCase()} is slow.` }),
    put.project(5, {
      name: 'What is the state of the task?',
      description: 'The state of the error and the statement.',
    }),
    put.project(6, { name: 'An error', description: 'See KB-2010 and ORA-16520 about the error and the state.' }),
  );
  await bench.drain();
}

forEachDatabase('a hybrid search', (bench) => {
  describe('for what the question names', () => {
    test.each([
      { question: 'What is the state of TASK 12?', first: ['task/12'] },
      { question: '¿Cuál es el estado de la tarea nº 12?', first: ['task/12'] },
      { question: 'What is the state of #12?', first: ['project/12', 'task/12'] },
      { question: 'What is KB-201?', first: ['project/1'] },
      { question: 'What is the state of KB-20?', first: ['project/2'] },
      { question: 'What causes the error ORA-01652?', first: ['project/3'] },
      { question: 'What causes the error ORA-1652?', first: ['project/3'] },
      { question: `Why is the statement ${SQL_ID} slow?`, first: ['project/4'] },
      { question: 'What has task 12 to do with KB-201?', first: ['project/1', 'task/12'] },
    ])('finds it first, whatever is nearer: $question', async ({ question, first }) => {
      await writeNamed(bench);

      for (const vectorWeight of [0, 1]) {
        const hits = await find(bench, question, { vectorWeight, topK: 4 });
        const named = hits.filter(({ naming }) => naming !== null);
        expect(named.map((hit) => `${hit.sourceType}/${hit.sourceId}`).sort()).toEqual(first);
        expect(hits.slice(0, first.length)).toEqual(named);
        expect(hits.length).toBeGreaterThan(first.length);
      }
    });

    test('puts sources that are named before those that a code is written in', async () => {
      await writeNamed(bench);

      const asking = { caller: MANAGER, topK: 2 };
      expect(await findSources(bench, asking, 'Has KB-201 to do with TASK 12?')).toEqual(['task/12', 'project/1']);
    });

    test.each([
      { question: 'What is KB-2?', found: 'project/100', why: 'longer codes that begin with it' },
      { question: 'What has TASK 12 to do with ORA-01652?', found: 'task/12', why: 'its code in many other texts' },
      { question: 'Compare PROJECT 99 and TASK 12', found: 'task/12', why: 'the passages of the other that it names' },
    ])('finds it however many there are of $why', async ({ question, found }) => {
      bench.embedder.vectorOf = (text) => (/named/.test(text) ? vector(0, 1) : vector(1, 0));
      // By words and by meaning, these are better.
      const words = 'task 12, task 12; KB 2, KB 2; project 99';
      for (let id = 1; id <= 60; id++) {
        await bench.write(put.project(id, { description: `KB-2${id} and ORA-01652; ${words}` }));
      }
      const long = Array.from({ length: 600 }, (_, i) => `The named rule number${i} is kept by the team.`).join('\n');
      await bench.write(put.project(99, { description: long }));
      await bench.drain({ batchSize: 100 });
      await bench.write(put.project(100, { description: 'named KB-2' }), put.task(12, { title: 'A named printer' }));
      await bench.drain();

      for (const vectorWeight of [0, 1]) {
        expect(await findSources(bench, { caller: MANAGER, topK: 2, vectorWeight }, question)).toContain(found);
      }
    });

    test('answers as if it were not there where it may not be seen', async () => {
      bench.embedder.vectorOf = (text) => (/Printer/.test(text) ? vector(1, 0) : vector(1, 1));
      const hidden = [
        put.task(12, { title: 'Printer of Ben', description: 'See KB-201.', assigneeId: 2 }),
        put.task(13, { title: 'Printer of Ben', description: 'Printer, printer', assigneeId: 2 }),
      ];
      await bench.write(put.employee(1), put.employee(2), put.task(1, { title: 'Printer of Ana', assigneeId: 1 }));
      await bench.write(put.project(1, { name: 'Lift' }), ...hidden);
      await bench.drain();
      const questions = [
        'What is TASK 12?',
        'And #12 with the printer?',
        'What is KB-201?',
        'Whose is the printer of Ben?',
      ];
      const answersOf = async () => {
        const answers = [];
        for (const cutoff of [0.1, 2]) {
          for (const question of questions) {
            const { timings, ...answer } = await askAs(bench, { caller: ANA, cutoff, vectorWeight: 0.5 }, question);
            answers.push(answer);
          }
        }
        return answers;
      };

      const beside = await answersOf();
      const asBen = await askAs(bench, { caller: callerOf(2), cutoff: 0.1 }, 'What is TASK 12?');
      await bench.write(remove('task', 12), remove('task', 13));
      await bench.drain();

      expect(asBen.citations).toMatchObject([{ sourceId: '12' }]);
      expect(beside).toEqual(await answersOf());
    });

    test('leaves a filter in force', async () => {
      await writeNamed(bench);

      expect(
        await findSources(bench, { caller: MANAGER, filters: { sourceTypes: ['project'] } }, 'TASK 12'),
      ).not.toContain('task/12');
      expect(await findSources(bench, { caller: MANAGER, filters: { projectIds: [12] } }, 'KB-201')).toEqual([
        'project/12',
      ]);
    });
  });

  test('tells a section once, by its best passage, also where meaning and words find different ones', async () => {
    const description = Array.from({ length: 40 }, (_, i) => `The rule number${i} is kept by the team.`).join('\n');
    bench.embedder.vectorOf = (text) =>
      text === 'number30' || text.includes('number5 ')
        ? vector(1, 0)
        : text.includes('number')
          ? vector(1, 2)
          : vector(0, 1);
    await bench.write(put.project(1, { description }), put.project(2), put.project(3));
    await bench.drain();
    const passages = await readChunks(bench.database, 'project/1');
    const at = (word: string) => passages.findIndex(({ content }) => content.includes(`${word} `));

    const [byMeaning, byWords] = await Promise.all([
      find(bench, 'number30', { vectorWeight: 1 }),
      find(bench, 'number30', { vectorWeight: 0 }),
    ]);

    expect(byMeaning.map((hit) => hit.sourceId)).toEqual(['1', '2', '3']);
    expect(byWords.map((hit) => hit.sourceId)).toEqual(['1', '2', '3']);
    expect(at('number5')).not.toBe(at('number30'));
    expect(byMeaning[0]?.chunkId).toBe(passages[at('number5')]?.chunk_id);
    expect(byWords[0]).toMatchObject({
      chunkId: passages[at('number30')]?.chunk_id,
      before: besides(passages, at('number30') - 3, at('number30')),
      after: besides(passages, at('number30') + 1, at('number30') + 4),
    });
  });

  test('puts what has the words before what is as near, and what is nearer before what has the words as well', async () => {
    bench.embedder.vectorOf = (text) =>
      text.includes('Near') ? vector(1, 0.2) : text === 'ledger' ? vector(1, 0) : vector(1, 1);
    await bench.write(
      put.project(1, { name: 'Near' }),
      put.project(2, { name: 'Ledger' }),
      put.project(3, { name: 'Near ledger' }),
      put.project(4, { name: 'Other' }),
    );
    await bench.drain();

    expect(await findSources(bench, { caller: MANAGER, vectorWeight: 0.5 }, 'ledger')).toEqual([
      'project/3',
      'project/2',
      'project/1',
      'project/4',
    ]);
  });

  test('asks the database once, whatever the question holds and whoever asks', async () => {
    await writeNamed(bench);
    const counting = new CountingDatabase(bench.database);

    for (const caller of [ANA, MANAGER]) {
      for (const question of ['¿…?', 'the ledger', 'What has TASK 12 to do with KB-201 and ORA-1652?']) {
        for (const filters of [{}, { sourceTypes: ['task' as const], projectIds: [1], sprintIds: [2] }]) {
          const context = askContext({ ...bench, database: counting, embedder: bench.embedder }, { caller, filters });
          const counts = await counting.during(() => retrieve(context, question, context.retrieval));
          expect(counts).toEqual({ statements: 1, roundTrips: 1 });
        }
      }
    }
  });
});
