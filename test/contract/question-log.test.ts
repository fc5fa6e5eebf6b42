import { describe, expect, test } from 'vitest';
import { readAskedQuestion, readGaps } from '../../functions/ask/history.ts';
import { takeModelCallOrThrow } from '../../functions/ask/limits.ts';
import { ModelCallLimit, NotFound } from '../../functions/core/errors.ts';
import type { Caller } from '../../functions/core/scope.ts';
import { Retention } from '../../functions/drain/retention.ts';
import type { Actor } from '../../functions/ports/database.ts';
import { logQuestion, type QuestionLogEntry, removeOld } from '../../functions/store/question-log.ts';
import { takeModelCall } from '../../functions/store/usage.ts';
import { callerOf, readChunks } from '../support/inspect.ts';
import { put, remove } from '../support/records.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const ANA = callerOf(1);
const BEN = callerOf(2);
const MANAGER = callerOf(3, 'manager');
const ADMIN = callerOf(4, 'admin');

const ENTRY: QuestionLogEntry = {
  callId: 'call-1',
  textKept: true,
  question: 'Who pays?',
  standalone: 'Who pays the rent?',
  language: 'en',
  outcome: 'answered',
  reason: null,
  errorCode: null,
  answer: 'The landlord [1].',
  cutoff: 0.8,
  retrieved: [],
  dropped: 1,
  cited: [],
  removedCitations: ['[9]'],
  support: [{ sentence: 'The landlord [1].', verdict: 'supported' }],
  model: 'scripted',
  timings: { embed: 1.5, search: 2 },
  tokens: { prompt: 100, completion: 5 },
  cold: true,
};

const silent = { info() {}, warn() {}, error() {} };

forEachDatabase('the question log', (bench) => {
  const log = (caller: Caller, entry: Partial<QuestionLogEntry> = {}) =>
    logQuestion(bench.database, caller, { ...ENTRY, ...entry });
  const callsSeenBy = async (actor: Actor) => {
    const rows = await bench.database.rows<{ call_id: string }>(actor, 'SELECT call_id FROM rag_log ORDER BY log_id');
    return rows.map((row) => row.call_id);
  };
  test('gives a question back as it was written', async () => {
    await log(ANA);

    const { sources, ...read } = await readAskedQuestion(bench.database, ANA, 'call-1');

    const { textKept: _, retrieved: __, standalone, cited: ___, ...written } = ENTRY;
    expect(read).toEqual({
      ...written,
      standaloneQuestion: standalone,
      employeeId: 1,
      askedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect(sources).toEqual([]);
  });

  test('holds no text where texts are kept out of it, and all the rest', async () => {
    await log(ANA, { textKept: false });

    const read = await readAskedQuestion(bench.database, ANA, 'call-1');

    expect(JSON.stringify(read)).not.toMatch(/pays|landlord/);
    expect(read).toMatchObject({
      question: null,
      standaloneQuestion: null,
      answer: null,
      outcome: 'answered',
      support: [{ sentence: null, verdict: 'supported' }],
      tokens: ENTRY.tokens,
    });
  });

  test('keeps the answer of a row of an earlier version to itself, since its sources are not named', async () => {
    await bench.database.transaction(ANA, (tx) =>
      tx.execute(
        `INSERT INTO rag_log (call_id, employee_id, question, outcome, answer, retrieved, cited, timings)
         VALUES ('old', 1, 'Who pays?', 'answered', 'The landlord [1].', '[{"chunkId":1,"distance":0.5}]', '[1]', '{}')`,
      ),
    );

    expect(await readAskedQuestion(bench.database, ANA, 'old')).toMatchObject({
      question: 'Who pays?',
      answer: null,
      sources: [],
      cold: null,
      removedCitations: [],
    });
  });

  test('takes texts as long as they come', async () => {
    const [question, answer] = ['¿Por qué? '.repeat(400), 'Because of the rent [1]. '.repeat(4000)];
    await log(ANA, { question, answer });

    expect(await readAskedQuestion(bench.database, ANA, 'call-1')).toMatchObject({ question, answer });
  });

  describe('shows a person their own questions, managers and admins everybody’s', () => {
    test('through the product, where another’s and one that does not exist look the same', async () => {
      await log(ANA, { callId: 'of-ana' });
      await log(BEN, { callId: 'of-ben' });
      const read = async (caller: Caller, callId: string) =>
        readAskedQuestion(bench.database, caller, callId).then(
          ({ employeeId }) => employeeId,
          (error: unknown) => {
            expect(error).toBeInstanceOf(NotFound);
            return (error as Error).message.replace(callId, 'X');
          },
        );

      const none = 'There is no question of the call X that you may see';
      expect(await Promise.all(['of-ana', 'of-ben', 'of-nobody'].map((id) => read(ANA, id)))).toEqual([1, none, none]);
      expect(await Promise.all(['of-ana', 'of-ben', 'of-nobody'].map((id) => read(MANAGER, id)))).toEqual([1, 2, none]);
      expect(await read(ADMIN, 'of-ben')).toBe(2);
      expect(await Promise.all(['x', 'a b', 'x\0y', 'y'.repeat(2000)].map((id) => read(ADMIN, id)))).toEqual(
        Array.from({ length: 4 }, () => none),
      );
    });

    test('by the database itself too, for a statement without any filter', async () => {
      await log(ANA, { callId: 'of-ana' });
      await log(BEN, { callId: 'of-ben' });

      expect(await callsSeenBy(ANA)).toEqual(['of-ana']);
      expect(await callsSeenBy(BEN)).toEqual(['of-ben']);
      expect(await callsSeenBy(callerOf(99))).toEqual([]);
      for (const actor of [MANAGER, ADMIN, 'system'] as const) {
        expect(await callsSeenBy(actor)).toEqual(['of-ana', 'of-ben']);
      }
    });

    test('and nobody changes or removes any, not even their own', async () => {
      await log(ADMIN, { callId: 'of-admin' });
      for (const sql of ['DELETE FROM rag_log', "UPDATE rag_log SET outcome = 'failed'"]) {
        const statement = bench.database.execute(ADMIN, sql);
        if (bench.inPostgres) await expect(statement).rejects.toThrow(/permission denied/);
        else await expect(statement.catch(() => 0)).resolves.toBe(0);
      }

      expect(await callsSeenBy('system')).toEqual(['of-admin']);
    });
  });

  describe('tells of the sources of a question', () => {
    const withSources = async (entry: Partial<QuestionLogEntry> = {}) => {
      await bench.write(put.employee(1), put.employee(2), put.project(7, { name: 'Open' }));
      await bench.write(put.task(8, { title: 'Secret of Ana', assigneeId: 1 }));
      await bench.drain();
      const chunks = await readChunks(bench.database);
      const chunkOf = (source: string) => chunks.find((chunk) => chunk.source === source)?.chunk_id ?? -1;
      const common = { textScore: null, fused: null, exact: false };
      await log(ANA, {
        retrieved: [
          { n: 1, chunkId: chunkOf('task/8'), sourceType: 'task', sourceId: '8', distance: 0.25, ...common },
          {
            ...common,
            n: 2,
            chunkId: chunkOf('project/7'),
            sourceType: 'project',
            sourceId: '7',
            distance: null,
            textScore: 4.5,
            fused: 0.5,
            exact: true,
          },
        ],
        cited: [chunkOf('task/8')],
        ...entry,
      });
    };

    test('what put them into their places, their titles, and which are cited', async () => {
      await withSources();

      const { sources, answer } = await readAskedQuestion(bench.database, MANAGER, 'call-1');
      const asSeenByAna = await readAskedQuestion(bench.database, ANA, 'call-1');

      // How rare a word is, is counted over what she may not see, too.
      expect(asSeenByAna.sources).toEqual(sources.map((source) => ({ ...source, textScore: null, fused: null })));
      expect(sources).toEqual([
        {
          n: 1,
          sourceType: 'task',
          sourceId: '8',
          title: 'Secret of Ana',
          distance: 0.25,
          textScore: null,
          fused: null,
          exact: false,
          cited: true,
        },
        {
          n: 2,
          sourceType: 'project',
          sourceId: '7',
          title: 'Open',
          distance: null,
          textScore: 4.5,
          fused: 0.5,
          exact: true,
          cited: false,
        },
      ]);
      expect(answer).toBe(ENTRY.answer);
    });

    test('neither title nor answer once the asker may no longer see them, also before the queue is worked on', async () => {
      await withSources();
      await bench.write(put.task(8, { title: 'Secret of Ana', assigneeId: 2 }));

      const { sources, answer } = await readAskedQuestion(bench.database, ANA, 'call-1');
      expect(sources.map(({ title }) => title)).toEqual([null, 'Open']);
      expect(answer).toBeNull();
      expect((await readAskedQuestion(bench.database, MANAGER, 'call-1')).answer).toBe(ENTRY.answer);
    });
  });

  test('groups what was not found, for who may read it, and counts what has no text', async () => {
    await log(ANA, { outcome: 'not_found', question: 'Who pays the rent?' });
    await log(BEN, { outcome: 'off_topic', question: 'who pays rent' });
    await log(BEN, { outcome: 'not_found', question: 'Where is the printer?' });
    await log(BEN, { outcome: 'not_found', textKept: false });
    await log(BEN, { outcome: 'answered', question: 'Who pays the rent?' });
    await log(BEN, { outcome: 'failed', question: 'Who pays the rent?' });

    const { gaps, withoutText, complete } = await readGaps(bench.database, MANAGER, 30);

    expect(gaps).toEqual([
      expect.objectContaining({ count: 2, people: 2, outcomes: { not_found: 1, off_topic: 1 } }),
      expect.objectContaining({ question: 'Where is the printer?', count: 1, people: 1, examples: [] }),
    ]);
    expect({ withoutText, complete }).toEqual({ withoutText: 1, complete: true });
    expect((await readGaps(bench.database, ANA, 30)).gaps).toEqual([
      expect.objectContaining({ question: 'Who pays the rent?', count: 1 }),
    ]);
  });

  describe('forgets', () => {
    /** Questions of so many days ago. */
    const fill = (...days: number[]) =>
      bench.database.transaction(ANA, (tx) =>
        tx.executeMany(
          `INSERT INTO rag_log (call_id, asked_at, employee_id, question, outcome, retrieved, cited, timings)
           VALUES (:call_id, CURRENT_TIMESTAMP - CAST(:hours AS INTEGER) * INTERVAL '1' HOUR, 1, 'Who pays?', 'not_found',
             '[]', '[]', '{}')`,
          days.map((day) => ({ call_id: `of-day-${day}`, hours: day * 24 })),
        ),
      );

    test('what is older than the days given, the oldest first, and no more at a time than is asked for', async () => {
      await fill(1, 29, 31, 400, 50);

      expect(await removeOld(bench.database, 30, 2)).toBe(2);
      expect(await callsSeenBy('system')).toEqual(['of-day-1', 'of-day-29', 'of-day-31']);
      expect(await removeOld(bench.database, 30, 2)).toBe(1);
      expect(await removeOld(bench.database, 30, 2)).toBe(0);
      expect(await callsSeenBy('system')).toEqual(['of-day-1', 'of-day-29']);
    });

    test('what a person has asked when the person is removed, so that nobody of the same id reads it', async () => {
      await bench.write(put.employee(1), put.employee(2));
      await fill(1, 2);

      await bench.write(remove('employee', 2));
      expect(await callsSeenBy('system')).toHaveLength(2);
      await bench.write(remove('employee', 1));

      expect(await callsSeenBy('system')).toEqual([]);
    });

    test('once an hour a process, with the counts of model calls older than a week', async () => {
      await fill(1, 31);
      const retention = new Retention(30);
      const now = Date.now();
      const dayAgo = (days: number) => new Date(now - days * 86_400_000).toISOString().slice(0, 10);
      for (const day of [dayAgo(0), dayAgo(6), dayAgo(9)]) {
        await takeModelCall(bench.database, { employeeId: 1, day, perDay: 5, perPersonPerDay: 5 });
      }

      const first = await retention.visit(bench.database, silent, null, now);
      await fill(32);
      const soon = await retention.visit(bench.database, silent, null, now + 3_599_000);
      const later = await retention.visit(bench.database, silent, null, now + 3_600_000);

      expect([first, soon, later]).toEqual([1, null, 1]);
      expect(await bench.database.rows('system', 'SELECT COUNT(*) AS n FROM rag_usage')).toEqual([{ n: 4 }]);
    });

    test('nothing where it is to be kept for ever', async () => {
      await fill(4000);

      expect(await new Retention(0).visit(bench.database, silent, null)).toBe(0);
      expect(await callsSeenBy('system')).toEqual(['of-day-4000']);
    });

    test('without harm to whoever asks it to, where it fails', async () => {
      const errors: string[] = [];
      const broken = { ...silent, error: (event: string) => errors.push(event) };
      const gone = bench.anotherPool();
      gone.execute = () => Promise.reject(new Error('no such database'));

      expect(await new Retention(30).visit(gone, broken, null)).toBe(0);
      expect(errors).toEqual(['retention_failed']);
    });
  });
});

forEachDatabase('the limit of model calls', (bench) => {
  const DAY = '2026-03-01';
  const take = (employeeId: number, perDay: number, perPersonPerDay: number, day = DAY) =>
    takeModelCall(bench.database, { employeeId, day, perDay, perPersonPerDay });
  const counts = (of: Bench) =>
    of.database.rows<{ employee_id: number; model_calls: number }>(
      'system',
      'SELECT employee_id, model_calls FROM rag_usage ORDER BY employee_id',
    );

  test('of a person is that person’s alone, and holds for a day', async () => {
    expect([await take(1, 0, 1), await take(1, 0, 1), await take(2, 0, 1)]).toEqual(['taken', 'person', 'taken']);
    expect(await take(1, 0, 1, '2026-03-02')).toBe('taken');
  });

  test('of everybody together counts each', async () => {
    expect([await take(1, 2, 9), await take(2, 2, 9), await take(3, 2, 9)]).toEqual(['taken', 'taken', 'everybody']);
  });

  test('counts nothing for who is refused', async () => {
    await take(1, 1, 9);
    expect([await take(1, 1, 9), await take(2, 1, 9)]).toEqual(['everybody', 'everybody']);

    expect(await counts(bench)).toEqual([
      { employee_id: 0, model_calls: 1 },
      { employee_id: 1, model_calls: 1 },
    ]);
  });

  test('that is none is not counted', async () => {
    expect(await take(1, 0, 0)).toBe('taken');
    expect(await counts(bench)).toEqual([]);
  });

  test.each([
    { perDay: 7, perPersonPerDay: 0, taken: 7 },
    { perDay: 0, perPersonPerDay: 3, taken: 6 },
    { perDay: 5, perPersonPerDay: 3, taken: 5 },
  ])('is never overrun by twenty at once: $perDay a day, $perPersonPerDay a person', async (limits) => {
    const pools = [bench.database, bench.anotherPool()];

    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        takeModelCall(pools[i % 2] ?? bench.database, { employeeId: 1 + (i % 4 < 2 ? 0 : 1), day: DAY, ...limits }),
      ),
    );

    expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(limits.taken);
    const byPerson = (await counts(bench)).filter(({ employee_id }) => employee_id > 0);
    if (limits.perPersonPerDay > 0) {
      expect(byPerson.reduce((sum, { model_calls }) => sum + model_calls, 0)).toBe(limits.taken);
    }
  });

  test.each([
    { perDay: 0, perPersonPerDay: 1, message: /^Model calls are limited to 1 a day for each person, / },
    { perDay: 1, perPersonPerDay: 0, message: /^Model calls are limited to 1 a day for everybody together, / },
  ])('is told with whose it is, how many, and when it starts anew: $message', async ({ message, ...limits }) => {
    const now = new Date('2026-12-31T23:30:00.500Z');
    await takeModelCallOrThrow(bench.database, ANA, limits, now);

    const refused = await takeModelCallOrThrow(bench.database, ANA, limits, now).catch((error: unknown) => error);

    expect(refused).toBeInstanceOf(ModelCallLimit);
    const { message: told, status, retryAfterSeconds } = refused as ModelCallLimit;
    expect(told).toMatch(message);
    expect(told).toMatch(/the count starts anew at 2027-01-01T00:00:00Z$/);
    expect({ status, retryAfterSeconds }).toEqual({ status: 429, retryAfterSeconds: 1800 });
    await takeModelCallOrThrow(bench.database, ANA, limits, new Date('2027-01-01T00:00:00Z'));
  });
});
