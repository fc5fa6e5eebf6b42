import { describe, expect, test } from 'vitest';
import { statementDistances } from '../../functions/store/statement-distances.ts';
import { vector } from '../support/hashing-embedder.ts';
import { callerOf, readChunks } from '../support/inspect.ts';
import { askAs, FixedAnswerer } from '../support/questions.ts';
import { withoutPolicies } from '../support/random-chunks.ts';
import { put } from '../support/records.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const ANA = callerOf(1);
const BEN = callerOf(2);
const MANAGER = callerOf(3, 'manager');

const QUESTION = 'What about the ledger export?';
const TEXT = 'The ledger export is made by the finance team every Friday, and costs 120 euros.';

/** An answer from one record that lies, with the question, at (1, 0); statements lie where their words say. */
async function answer(bench: Bench, reply: string, languages: 'en' | 'any' = 'any') {
  bench.embedder.vectorOf = (text) => (text.includes('far') ? vector(0, 1) : vector(1, 0));
  await bench.write(put.project(1, { name: 'Ledger', description: TEXT }));
  await bench.drain();
  return askAs(bench, { caller: MANAGER, cutoff: 0.5, languages }, QUESTION, new FixedAnswerer(reply));
}

const verdicts = (of: Awaited<ReturnType<typeof answer>>) => of.support?.map(({ verdict }) => verdict);

forEachDatabase('the support of an answer', (bench) => {
  test.each([
    { what: 'what its source says', reply: 'The finance team makes the ledger export [1].', verdict: 'supported' },
    { what: 'a figure of its source', reply: 'The export costs 120 euros [1].', verdict: 'supported' },
    {
      what: 'little, and is near',
      reply: 'The ledger export runs weekly by itself somewhere [1].',
      verdict: 'supported',
    },
  ])('is there for a sentence that says $what', async ({ reply, verdict }) => {
    const answered = await answer(bench, reply);

    expect(answered).toMatchObject({ outcome: 'answered', answer: reply });
    expect(verdicts(answered)).toEqual([verdict]);
  });

  test.each([
    {
      what: 'a wrong figure',
      reply: 'The ledger export costs 130 euros [1].',
      missing: [expect.stringContaining('130')],
    },
    { what: 'a code of its own', reply: 'The ledger export failed with ORA-01652 [1].', missing: ['ORA-01652'] },
    { what: 'something else', reply: 'Penguins breed on the ice of Antarctica [1].', missing: [] },
    { what: 'little, and is far', reply: 'The ledger export runs weekly far from everything [1].', missing: [] },
  ])('is not there for a sentence that says $what, and the answer becomes not_found', async ({ reply, missing }) => {
    const answered = await answer(bench, reply);

    expect(answered).toMatchObject({ outcome: 'not_found', reason: 'no_support', citations: [] });
    expect(answered.answer).toBe('I could not find the answer in the records you may see.');
    expect(answered.support).toMatchObject([{ verdict: 'unsupported', missing, citations: [1] }]);
  });

  test('is told for each sentence, and one that has it is enough', async () => {
    const reply = 'The finance team makes the export [1]. It costs 130 euros [1]. Nobody likes it.';
    const answered = await answer(bench, reply);

    expect(answered).toMatchObject({ outcome: 'answered', answer: reply });
    expect(answered.support).toMatchObject([
      { sentence: 'The finance team makes the export.', verdict: 'supported', citations: [1] },
      { sentence: 'It costs 130 euros.', verdict: 'unsupported', citations: [1] },
      { sentence: 'Nobody likes it.', verdict: 'unsupported', citations: [] },
    ]);
  });

  test('is left open where the model does not know the language of the sentence', async () => {
    const reply = 'La exportación se hace sin que nadie la revise, según parece [1].';

    expect(verdicts(await answer(bench, reply, 'en'))).toEqual(['unsure']);
    expect(verdicts(await answer(bench, reply, 'any'))).toEqual(['supported']);
  });

  describe('by distance', () => {
    const numbered = Array.from({ length: 80 }, (_, i) => `The rule number${i} is kept by the team.`).join('\n');

    const fill = async () => {
      bench.embedder.vectorOf = (text) => (text.includes('number12 ') ? vector(1, 0) : vector(0, 1));
      await bench.write(
        put.employee(1),
        put.employee(2),
        put.project(1, { description: numbered }),
        put.task(1, { title: 'Of Ana', assigneeId: 1 }),
      );
      await bench.drain();
      const passages = await readChunks(bench.database, 'project/1');
      const at = passages.findIndex(({ content }) => content.includes('number12 '));
      const idOf = (i: number) => passages[i]?.chunk_id ?? 0;
      const [task] = await readChunks(bench.database, 'task/1');
      return { at, idOf, taskId: task?.chunk_id ?? 0, count: passages.length };
    };
    const bind = (text: string) => (bench.embedder.inDatabase ? text : bench.embedder.vectorOf(text));

    test('is that to the nearest of the cited passages and of those beside them, of each statement for itself', async () => {
      const { at, idOf, count } = await fill();
      const near = bind('number12 ');
      const far = bind('something');

      const distances = await statementDistances(bench.database, MANAGER, bench.embedder, [
        { vector: near, chunkIds: [idOf(at)] },
        { vector: near, chunkIds: [idOf(at + 3)] },
        { vector: near, chunkIds: [idOf(at + 4)] },
        { vector: near, chunkIds: [idOf(count - 1), idOf(at - 1)] },
        { vector: far, chunkIds: [idOf(at)] },
        { vector: near, chunkIds: [2 ** 40] },
      ]);

      expect(count).toBeGreaterThan(at + 5);
      expect(distances.map((distance) => (distance === null ? null : Math.round(distance * 1e4) / 1e4))).toEqual([
        0,
        0,
        1,
        0,
        0,
        null,
      ]);
    });

    test('is none to what may not be seen', async () => {
      const { taskId } = await fill();
      const statements = [{ vector: bind('number12 '), chunkIds: [taskId] }];

      expect(await statementDistances(bench.database, BEN, bench.embedder, statements)).toEqual([null]);
      expect(await statementDistances(withoutPolicies(bench.database), BEN, bench.embedder, statements)).toEqual([
        null,
      ]);
      expect((await statementDistances(bench.database, ANA, bench.embedder, statements))[0]).toBeCloseTo(1, 5);
    });
  });
});
