import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logQuestion, type QuestionLogEntry } from '../../functions/store/question-log.ts';
import { peopleAlone } from '../../scripts/dev/first-records.ts';
import { signToken } from '../../scripts/dev/token-issuer.ts';
import { callerOf, readChunks } from '../support/inspect.ts';
import { RunningStack } from '../support/local-stack.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MANAGER = '1';
const DEVELOPER = '2';

const ENTRY: QuestionLogEntry = {
  callId: 'of-the-developer',
  textKept: true,
  question: 'And the pump?',
  standalone: 'What does the pump of the coffee machine cost?',
  language: 'en',
  outcome: 'answered',
  reason: null,
  errorCode: null,
  answer: 'It costs 89 euros [1].\nIt is blue.',
  cutoff: 0.7,
  retrieved: [],
  dropped: 2,
  cited: [],
  removedCitations: ['[9]'],
  support: [
    { sentence: 'It costs 89 euros [1].', verdict: 'supported' },
    { sentence: 'It is blue.', verdict: 'unsupported' },
  ],
  model: 'scripted',
  timings: { embed: 10, search: 40 },
  tokens: { prompt: 812, completion: 9 },
  cold: true,
};

let running: RunningStack;
const log = (employeeId: number, entry: Partial<QuestionLogEntry>) =>
  logQuestion(running.database, callerOf(employeeId), { ...ENTRY, ...entry });

beforeAll(async () => {
  running = await RunningStack.start();
  await running.database.execute(
    callerOf(2),
    `INSERT INTO rag_log (call_id, asked_at, employee_id, outcome, retrieved, cited, timings)
     VALUES ('long-ago', CURRENT_TIMESTAMP - INTERVAL '91' DAY, 2, 'failed', '[]', '[]', '{}')`,
  );
  const people = peopleAlone().toString('utf8');
  await running.call('POST /v1/records', 'importer', { body: people, scope: 'rag.write' });
  const task = { title: 'Repair the coffee machine', description: 'A new pump costs 89 euros.', assigneeId: 2 };
  await running.call('PUT /v1/tasks/501', 'importer', { body: task, scope: 'rag.write' });
  const chunks = await until('the task is indexed', async () => {
    const found = await readChunks(running.database, 'task/501');
    return found.length > 0 ? found : null;
  });
  const source = { sourceType: 'task', textScore: 4.25, fused: 0.5, exact: false } as const;
  const chunkId = chunks[0]?.chunk_id ?? -1;
  await log(2, {
    retrieved: [
      { ...source, n: 1, chunkId, sourceId: '501', distance: 0.25, exact: true },
      { ...source, n: 2, chunkId: -2, sourceId: '999', distance: null },
    ],
    cited: [chunkId],
  });
  const unanswered = { standalone: null, answer: null, support: null, model: null, tokens: null, removedCitations: [] };
  const far = { ...source, n: 1, chunkId, sourceId: '501', distance: 0.8123 };
  await log(2, { ...unanswered, callId: 'far', outcome: 'off_topic', question: 'who won the cup', retrieved: [far] });
  await log(1, { ...unanswered, callId: 'far-2', outcome: 'not_found', question: 'Who won a cup?' });
});
afterAll(() => running?.close());

/** The command line on the running instance, as an employee. */
async function rag(subject: string, ...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const token = await signToken(running.stack.key, subject);
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(ROOT, 'scripts/rag/main.ts'), ...args, '--url', running.url],
    { cwd: ROOT, env: { PATH: process.env.PATH ?? '', RAG_TOKEN: token } },
  );
  const [out, err] = [child.stdout, child.stderr].map(async (stream) => {
    let text = '';
    for await (const part of stream) text += part;
    return text;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out: (await out) ?? '', err: (await err) ?? '' };
}

type Source = Record<string, unknown>;
type Asked = { body: Record<string, unknown> } | undefined;
const sourcesOf = (asked: Asked) => (asked?.body.sources ?? []) as Source[];
const scoresOf = (asked: Asked) => sourcesOf(asked).flatMap(({ textScore, fused }) => [textScore, fused]);
const withoutScores = (asked: Asked) => ({
  ...asked?.body,
  sources: sourcesOf(asked).map(({ textScore: _, fused: __, ...source }) => source),
});

describe('GET /v1/questions/{callId}', () => {
  test('tells who asked, and managers, what came of a question', async () => {
    const [own, managers] = await Promise.all(
      [DEVELOPER, MANAGER].map((who) => running.call('GET /v1/questions/of-the-developer', who)),
    );

    // Scores tell something of passages that a developer may not see.
    expect(scoresOf(own)).toEqual([null, null, null, null]);
    expect(scoresOf(managers)).toEqual([4.25, 0.5, 4.25, 0.5]);
    expect(withoutScores(own)).toEqual(withoutScores(managers));
    expect(own).toMatchObject({
      status: 200,
      body: {
        question: ENTRY.question,
        outcome: 'answered',
        cold: true,
        answer: null,
        sources: [
          { n: 1, sourceId: '501', title: 'Repair the coffee machine', distance: 0.25, exact: true, cited: true },
          { n: 2, sourceId: '999', title: null, distance: null, cited: false },
        ],
      },
    });
  });

  test('tells others no more than of a call that never was', async () => {
    const replies = await Promise.all(
      ['far-2', 'never', '%00'].map((id) => running.call(`GET /v1/questions/${id}`, DEVELOPER)),
    );

    for (const { status, body } of replies) expect([status, body.code]).toEqual([404, 'not_found']);
    expect(replies[0]?.body.detail).toBe(String(replies[1]?.body.detail).replace('never', 'far-2'));
  });
});

describe('GET /v1/gaps', () => {
  test('is for managers, whose query is checked', async () => {
    const get = (query: string, who = MANAGER) => running.call(`GET /v1/gaps${query}`, who);
    const [found, refused, ...faulty] = await Promise.all([
      get('?days=7'),
      get('', DEVELOPER),
      ...['?days=0', '?days=3651', '?days=many', '?days=', '?days=1.5', '?days=1&days=2', '?since=7'].map((q) =>
        get(q),
      ),
    ]);

    const gap = { question: 'Who won a cup?', count: 2, people: 2, outcomes: { not_found: 1, off_topic: 1 } };
    expect(found).toMatchObject({ status: 200, body: { withoutText: 0, complete: true } });
    expect(found?.body.gaps).toEqual([
      { ...gap, examples: ['who won the cup'], lastAskedAt: expect.stringMatching(/Z$/) },
    ]);
    expect(refused).toMatchObject({ status: 403, body: { detail: 'This needs a manager or an admin' } });
    for (const { status, body } of faulty) expect([status, body.code]).toEqual([422, 'invalid_input']);
    expect(faulty.map(({ body }) => String(body.detail))).toEqual([
      ...Array.from({ length: 5 }, () => 'days: must be a whole number from 1 to 3650'),
      'days: is given more than once',
      'since: is not a field here',
    ]);
  });
});

test('a drain removes what is older than the log is to be kept', async () => {
  await until(
    'it is removed',
    async () => (await running.rows("SELECT 1 FROM rag_log WHERE call_id = 'long-ago'")).length === 0,
  );

  expect((await running.call('GET /v1/questions/long-ago', MANAGER)).status).toBe(404);
});

describe('the command line', () => {
  test('explains a question: sources, times, model, and what has changed since', async () => {
    const { code, out, err } = await rag(DEVELOPER, 'explain', 'of-the-developer', '--again');

    expect([code, err]).toEqual([0, '']);
    for (const line of [
      /^question +And the pump\?$/m,
      /^searched +What does the pump/m,
      /^asked +\S+Z by employee 2, in en$/m,
      /^because +1 of 2 sources cited; the nearest was 0\.250$/m,
      /^tokens +812 read, 9 written$/m,
      // A source that has gone takes with it what a model wrote.
      /^unsupported +\(its text is not kept\)$/m,
      /^ *\[1\] +yes +0\.250 +- +- +task #501 +Repair the coffee machine, asked for in the question$/m,
      /^ *\[2\] +- +- +- +task #999 +\(gone, or not to be seen\)$/m,
      /^embed +10\.0 ms +█{10}$/m,
      /^search +40\.0 ms +█{40}$/m,
      /^Again, now: found\n {2}was \[2\], is gone: task #999$/m,
    ]) {
      expect(out).toMatch(line);
    }
  });

  test('says what decided, and refuses another’s question as one that never was', async () => {
    const [far, another] = await Promise.all([rag(DEVELOPER, 'explain', 'far'), rag(DEVELOPER, 'explain', 'far-2')]);

    expect(far.out).toMatch(/^because +nothing nearer than 0\.7: the nearest was 0\.812$/m);
    expect(another).toEqual({
      code: 1,
      out: '',
      err: 'There is no question of the call far-2 that you may see\n',
    });
  });

  test('explains an answer by the call that it names', async () => {
    const asked = await rag(DEVELOPER, 'ask', 'What does the pump of the coffee machine cost?');
    const callId = /explain (\S+)/m.exec(asked.out)?.[1] ?? '';

    const explained = await rag(DEVELOPER, 'explain', callId);

    expect(explained).toMatchObject({ code: 0, err: '' });
    expect(explained.out).toMatch(/^outcome +answered$/m);
  });

  test('lists what was not found', async () => {
    const [listed, none, wrong] = await Promise.all([
      rag(MANAGER, 'gaps', '--days', '7'),
      rag(DEVELOPER, 'gaps'),
      rag(MANAGER, 'gaps', '--days', '0'),
    ]);

    expect(listed.out).toMatch(
      /^ +2 × Who won a cup\?\n +by 2 people; 1 not found, 1 off topic; last at \S+Z\n +also: who won the cup\n$/,
    );
    expect(none).toMatchObject({ code: 1, err: 'This needs a manager or an admin\n' });
    expect(wrong).toMatchObject({ code: 1, err: 'days: must be a whole number from 1 to 3650\n' });
  });
});
