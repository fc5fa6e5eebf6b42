import { expect, test } from 'vitest';
import { Unavailable } from '../../functions/core/errors.ts';
import type { ChatModel, ChatReply, ChatRequest } from '../../functions/ports/chat-model.ts';
import { callerOf, readChunks } from '../support/inspect.ts';
import { askAs } from '../support/questions.ts';
import { put } from '../support/records.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const ANA = callerOf(1);

/** A model that answers as it is told, and keeps what it was asked. */
class ScriptedModel implements ChatModel {
  readonly model = 'scripted';
  readonly asked: ChatRequest[] = [];
  readonly #reply: () => ChatReply;

  constructor(reply: () => ChatReply) {
    this.#reply = reply;
  }

  async answer(request: ChatRequest): Promise<ChatReply> {
    this.asked.push(request);
    return this.#reply();
  }
}

const saying = (answer: string | null) => new ScriptedModel(() => ({ answer }));

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
  outcome: string;
  answer: string | null;
  model: string | null;
  retrieved: { chunkId: number; distance: number }[];
  cited: number[];
}

/** In a transaction, since rows by themselves come without long texts. */
const lastLogged = async (bench: Bench): Promise<LogRow | undefined> => {
  const [row] = await bench.database.transaction('system', (tx) =>
    tx.rows<LogRow>(
      `SELECT employee_id, outcome, answer, model, retrieved, cited FROM rag_log
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

      const answer = await askAs(bench, { caller: ANA, cutoff: 0 }, model, question);

      expect(answer).toMatchObject({ outcome: 'off_topic', answer: sentence, citations: [], model: null });
      expect(model.asked).toEqual([]);
      expect(await lastLogged(bench)).toMatchObject({ outcome: 'off_topic', answer: sentence, cited: [] });
    },
  );

  test.each([
    { says: 'that the sources do not hold it', reply: null },
    { says: 'something without a citation', reply: 'It is on the shelf.' },
    { says: 'something with a citation of nothing', reply: 'It is on the shelf [7].' },
    { says: 'something with a citation in code alone', reply: 'It is `shelf[1]`.' },
  ])('is not_found where the model says $says', async ({ reply }) => {
    await fill(bench);

    const answer = await askAs(bench, { caller: ANA }, saying(reply), 'Where is the ledger?');

    expect(answer).toMatchObject({ outcome: 'not_found', citations: [], model: 'scripted' });
    expect(answer.answer).toBe('I could not find the answer in the records you may see.');
    expect(await lastLogged(bench)).toMatchObject({ outcome: 'not_found', cited: [], model: 'scripted' });
  });

  test('cites the sources that it rests on by their numbers, without markers that point nowhere', async () => {
    await fill(bench);
    const model = saying('It is exported [2, 9] and kept [8].');

    const answer = await askAs(bench, { caller: ANA }, model, 'ledger');

    const second = model.asked[0]?.sources[1];
    expect(answer).toMatchObject({ outcome: 'answered', answer: 'It is exported [2] and kept.' });
    expect(answer.citations).toHaveLength(1);
    expect(answer.citations[0]).toMatchObject({ n: 2, title: second?.title });
  });

  test('is logged with who asked, what was found and what was cited', async () => {
    await fill(bench);

    const answer = await askAs(bench, { caller: ANA }, saying('So [1].'), 'ledger');

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

    await askAs(bench, { caller: ANA, topK: 50 }, model, 'ledger secret');

    expect(model.asked[0]?.sources.map((source) => source.title).sort()).toEqual(['Ledger', 'Ledger export']);
    expect(JSON.stringify(model.asked)).not.toContain('Last2');
  });

  test('that fails is logged as failed, with what had been found, and the failure is passed on', async () => {
    await fill(bench);
    const model = new ScriptedModel(() => {
      throw new Unavailable('The model cannot be reached');
    });

    await expect(askAs(bench, { caller: ANA }, model, 'ledger')).rejects.toThrow('The model cannot be reached');

    const logged = await lastLogged(bench);
    expect(logged).toMatchObject({ employee_id: 1, outcome: 'failed', answer: null, model: 'scripted', cited: [] });
    expect(logged?.retrieved).toHaveLength(2);
  });
});
