import { expect, test } from 'vitest';
import { ExtractiveAnswerer } from '../../functions/ask/answerer.ts';
import { AnswerModelUnavailable, ModelCallLimit, Unavailable } from '../../functions/core/errors.ts';
import type { Answer } from '../../functions/shapes.ts';
import { CountingDatabase } from '../bench/counting-database.ts';
import { vector } from '../support/hashing-embedder.ts';
import { callerOf, readChunks } from '../support/inspect.ts';
import { askAs, FixedAnswerer } from '../support/questions.ts';
import { put } from '../support/records.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const ANA = callerOf(1);

const saying = (answer: string | null) => new FixedAnswerer(answer);

async function fill(bench: Bench): Promise<void> {
  await bench.write(
    put.employee(1),
    put.employee(2),
    put.project(1, { name: 'Ledger' }),
    put.task(1, { title: 'Ledger export', assigneeId: 1 }),
    put.task(2, { title: 'Ledger secret', assigneeId: 2 }),
  );
  await bench.drain();
}

interface LogRow {
  employee_id: number;
  question: string | null;
  standalone_question: string | null;
  outcome: string;
  reason: string | null;
  error_code: string | null;
  answer: string | null;
  model: string | null;
  retrieved: { chunkId: number; distance: number }[];
  cited: number[];
  support: unknown;
}

/** In a transaction, since rows by themselves come without long texts. */
const lastLogged = async (bench: Bench): Promise<LogRow | undefined> => {
  const [row] = await bench.database.transaction('system', (tx) =>
    tx.rows<LogRow>(
      `SELECT employee_id, question, standalone_question, outcome, reason, error_code, answer, model, retrieved, cited,
              support
       FROM rag_log
       ORDER BY log_id DESC FETCH FIRST 1 ROW ONLY`,
    ),
  );
  return row;
};

forEachDatabase('an answer', (bench) => {
  test.each([
    { question: 'Where is the ledger?', sentence: 'That question is outside the records I can search.' },
    {
      question: '¿Dónde está el libro?',
      sentence: 'Esa pregunta está fuera de los registros en los que puedo buscar.',
    },
  ])(
    'is a fixed sentence where nothing is near enough, and no model is asked: $question',
    async ({ question, sentence }) => {
      await fill(bench);
      const model = saying('It is here [1].');

      const answer = await askAs(bench, { caller: ANA, cutoff: 0 }, question, model);

      expect(answer).toMatchObject({ outcome: 'off_topic', answer: sentence, citations: [], model: null });
      expect(model.requests).toEqual([]);
      expect(await lastLogged(bench)).toMatchObject({ outcome: 'off_topic', answer: sentence, cited: [] });
    },
  );

  test.each([
    { says: 'that the sources do not hold it', reply: null, reason: null, removed: [] },
    { says: 'something without a citation', reply: 'It is on the shelf.', reason: 'no_citation', removed: [] },
    { says: 'something with a citation of nothing', reply: 'It is so [7].', reason: 'no_citation', removed: ['7'] },
    {
      says: 'something with a citation in code alone',
      reply: 'It is `shelf[1]`.',
      reason: 'no_citation',
      removed: [],
    },
    {
      says: 'what its source does not',
      reply: 'Penguins breed on the ice of Antarctica [1].',
      reason: 'no_support',
      removed: [],
    },
  ])('is not_found where the model says $says', async ({ reply, reason, removed }) => {
    await fill(bench);

    const answer = await askAs(bench, { caller: ANA }, 'Where is the ledger?', saying(reply));

    const logged = await lastLogged(bench);
    expect(answer).toMatchObject({ outcome: 'not_found', reason, citations: [], model: 'fixed' });
    expect(answer.removedCitations).toEqual(removed);
    expect(answer.answer).toBe('I could not find the answer in the records you may see.');
    expect(logged).toMatchObject({ outcome: 'not_found', reason, cited: [], model: 'fixed' });
    expect(logged?.retrieved).toHaveLength(2);
  });

  test.each([
    { question: 'Where is the shelf?', mismatch: null, sentence: /outside the records/ },
    {
      question: '¿Dónde está la estantería?',
      mismatch: 'language_mismatch',
      sentence: /^En estos registros solo busco/,
    },
    { question: 'Où est la boîte aux lettres ?', mismatch: 'language_mismatch', sentence: /^Dans ces dossiers/ },
  ])('says so where an English model cannot have understood: $question', async ({ question, mismatch, sentence }) => {
    await fill(bench);
    const model = saying('It is here [1].');

    const blind = await askAs(bench, { caller: ANA, languages: 'en', cutoff: 0 }, question, model);
    const logged = await lastLogged(bench);
    const unanswered = await askAs(bench, { caller: ANA, languages: 'en', wordCoverage: 0 }, question, saying(null));
    const seeing = await askAs(bench, { caller: ANA, languages: 'any', cutoff: 0 }, question, model);

    expect(blind).toMatchObject({ outcome: 'off_topic', reason: mismatch, answer: expect.stringMatching(sentence) });
    expect(logged).toMatchObject({ outcome: 'off_topic', reason: mismatch });
    expect(unanswered).toMatchObject({ outcome: 'not_found', reason: mismatch });
    expect(seeing).toMatchObject({ outcome: 'off_topic', reason: null });
    expect(model.requests).toEqual([]);
  });

  test('of a question that an English model does not understand is still found by its words', async () => {
    await fill(bench);

    const asking = { caller: ANA, languages: 'en' as const, cutoff: 0, wordCoverage: 0.6, vectorWeight: 0.1 };
    const answer = await askAs(bench, asking, '¿Qué es el ledger?', saying('Ledger [1].'));

    expect(answer).toMatchObject({ outcome: 'answered', reason: null, language: 'es' });
  });

  test('to a follow-up is searched for with what it refers to, and told so', async () => {
    bench.embedder.vectorOf = (text) => (/Ledger|ledger/.test(text) ? vector(1, 0) : vector(0, 1));
    await fill(bench);
    const history = [{ question: 'What is the state of the ledger export?', answer: 'It is in progress [1].' }];
    const asking = { caller: ANA, cutoff: 0.5, history };

    const alone = await askAs(bench, { ...asking, history: [] }, 'And who has it?');
    const followed = await askAs(bench, asking, 'And who has it?', new ExtractiveAnswerer());
    const logged = await lastLogged(bench);
    const unchanged = await askAs(bench, asking, 'What is the state of the ledger secret?');

    expect(alone).toMatchObject({ outcome: 'off_topic', standaloneQuestion: null, rewrittenBy: null });
    expect(followed).toMatchObject({ standaloneQuestion: expect.stringContaining('ledger'), rewrittenBy: 'rule' });
    expect(followed.outcome).not.toBe('off_topic');
    expect(logged).toMatchObject({ question: 'And who has it?', standalone_question: followed.standaloneQuestion });
    expect(unchanged).toMatchObject({ standaloneQuestion: null, rewrittenBy: null });
  });

  test('cites the sources that it rests on by their numbers, without markers that point nowhere', async () => {
    await fill(bench);
    const model = saying('It is exported [2, 9] and kept [8].');

    const answer = await askAs(bench, { caller: ANA }, 'ledger', model);

    const second = model.requests[0]?.sources[1];
    expect(answer).toMatchObject({ outcome: 'answered', answer: 'It is exported [2] and kept.' });
    expect(answer.citations).toHaveLength(1);
    expect(answer.citations[0]).toMatchObject({ n: 2, title: second?.title });
  });

  test('is logged with who asked, what was found and what was cited', async () => {
    await fill(bench);

    const answer = await askAs(bench, { caller: ANA }, 'ledger', saying('So [1].'));

    const chunks = await readChunks(bench.database);
    const cited = chunks.find(
      (chunk) => chunk.source === `${answer.citations[0]?.sourceType}/${answer.citations[0]?.sourceId}`,
    );
    const visible = chunks.filter((chunk) => chunk.source !== 'task/2').map((chunk) => chunk.chunk_id);
    const logged = await lastLogged(bench);
    expect(logged).toMatchObject({ employee_id: 1, outcome: 'answered', answer: 'So [1].', cited: [cited?.chunk_id] });
    expect(logged?.retrieved.map((hit) => hit.chunkId).sort()).toEqual(visible.sort());
  });

  test('never shows a model what the asker may not see', async () => {
    await fill(bench);
    const model = saying(null);

    await askAs(bench, { caller: ANA, topK: 50 }, 'ledger secret', model);

    expect(model.requests[0]?.sources.map((source) => source.title).sort()).toEqual(['Ledger', 'Ledger export']);
    expect(JSON.stringify(model.requests)).not.toContain('Last2');
  });

  test.each([
    { error: new Unavailable('The model cannot be reached'), code: 'unavailable', told: false },
    { error: new AnswerModelUnavailable('The model is down'), code: 'answer_model_unavailable', told: true },
    { error: new ModelCallLimit('No call is left'), code: 'model_call_limit', told: true },
  ])('that fails ($code) is logged as failed, with what had been found', async ({ error, code, told }) => {
    await fill(bench);

    const thrown = await askAs(bench, { caller: ANA }, 'ledger', new FixedAnswerer(error)).catch((e: unknown) => e);

    const logged = await lastLogged(bench);
    expect(thrown).toBe(error);
    expect(logged).toMatchObject({ employee_id: 1, outcome: 'failed', answer: null, model: 'fixed', cited: [] });
    expect(logged).toMatchObject({ error_code: code, reason: null });
    expect(logged?.retrieved).toHaveLength(2);
    const { citations } = error.members as Partial<Answer>;
    expect(citations?.map(({ title }) => title).sort()).toEqual(told ? ['Ledger', 'Ledger export'] : undefined);
  });

  test('leaves no text in the log where texts are kept out of it', async () => {
    await fill(bench);
    const history = [{ question: 'What is the ledger?', answer: 'A secret answer' }];

    const reply = 'The ledger is a secret [1].';
    const asked = await askAs(bench, { caller: ANA, textKept: false, history }, 'And it, the secret?', saying(reply));
    const logged = await lastLogged(bench);

    expect(asked.answer).toBe(reply);
    expect(logged).toMatchObject({ outcome: 'answered', question: null, standalone_question: null, answer: null });
    expect(logged?.retrieved).toHaveLength(2);
    expect(JSON.stringify(logged)).not.toMatch(/secret/i);
  });

  test('costs one round trip for the search and one for the log, and one more where words leave its support open', async () => {
    await fill(bench);
    const counting = new CountingDatabase(bench.database);
    const parts = { database: counting, embedder: bench.embedder };
    const during = (reply: string | null) =>
      counting.during(() => askAs(parts, { caller: ANA }, 'ledger', saying(reply)));

    expect((await during(null)).roundTrips).toBe(2);
    expect((await during('The ledger [1].')).roundTrips).toBe(2);
    expect((await during('The ledger costs money [1]. The ledger needs paper [2].')).roundTrips).toBe(3);
  });
});
