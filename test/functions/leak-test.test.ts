import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { leakTest } from '../../scripts/rag/leak-test/leak-test.ts';
import { UserError } from '../../scripts/user-error.ts';
import { type Answered, type Asked, LeakyServer } from '../support/leaky-server.ts';
import { StartProcess } from '../support/start.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'oci-rag-leaks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Result {
  code: number | null;
  out: string;
  err: string;
}

function run(args: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'scripts/rag/main.ts'), 'leak-test', ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '' },
  });
  const result: Result = { code: null, out: '', err: '' };
  child.stdout.on('data', (part) => {
    result.out += part;
  });
  child.stderr.on('data', (part) => {
    result.err += part;
  });
  const end = new Promise<Result>((resolve) => child.once('close', (code) => resolve({ ...result, code })));
  return { child, result, end };
}

describe('on the product', { timeout: 180_000 }, () => {
  const data = join(folder, 'data');
  let instance: StartProcess;
  beforeAll(async () => {
    instance = new StartProcess('--port', '0', '--empty', '--data', data);
    await instance.ready();
  }, 120_000);
  afterAll(() => instance?.stop());
  const rag = (...args: string[]) => run(['--data', data, ...args]);

  /** What a manager sees of a record. */
  async function statusOf(path: string): Promise<number> {
    const { url, manager } = await instance.ready();
    return (await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${manager}` } })).status;
  }

  test('nothing leaks, what may be seen is found, and nothing of the test is left', async () => {
    const { code, out, err } = await rag('--people', '4', '--questions', '150', '--seed', '5').end;

    expect(err).toBe('');
    expect(out).toMatch(/150 questions in .*\ncontrols +72 of 72:.*\nleaks +0\n/);
    expect(out).toContain('60 questions asked without the records and with them: 0 outcomes differ');
    expect(out).toContain('what is hidden and what is not there: 0 answers differ');
    expect(out).toContain('counts       2 of 2 people');
    expect(out).toMatch(/\nNo leak\nThe records of the test are removed\n$/);
    expect(code).toBe(0);
    expect(await statusOf('/v1/tasks/7000000005000')).toBe(404);
    expect(await statusOf('/v1/employees/7000000005000')).toBe(404);
  });

  test('what it writes is kept where that is asked for, and is then not overwritten', async () => {
    const kept = await rag('--people', '2', '--questions', '1', '--seed', '6', '--keep').end;
    const again = await rag('--people', '2', '--questions', '1', '--seed', '6').end;

    expect(kept.out).toMatch(/The records are kept: .*task 7000000006000/);
    expect(again).toMatchObject({ code: 1, err: expect.stringMatching(/^There is an employee 7000000006000 already/) });
    expect(await statusOf('/v1/tasks/7000000006000')).toBe(200);
  });

  test('what it has written is removed where it is stopped', async () => {
    const { child, result, end } = rag('--people', '2', '--questions', '100000', '--seed', '7');
    await until('it asks', () => /asking \d/.test(result.out));
    const whileItRan = await statusOf('/v1/tasks/7000000007000');

    child.kill('SIGINT');
    const { code, out, err } = await end;

    expect(whileItRan).toBe(200);
    expect(out).toMatch(/The records of the test are removed\n$/);
    expect([code, err]).toEqual([1, 'Stopped\n']);
    expect(await statusOf('/v1/tasks/7000000007000')).toBe(404);
    expect(await statusOf('/v1/employees/7000000007000')).toBe(404);
  });
});

describe('on a deployment elsewhere', { timeout: 60_000 }, () => {
  const tokens = join(folder, 'tokens');
  let server: LeakyServer;
  let url: string;
  beforeAll(() => writeFileSync(tokens, '# who  token\n11 token-11\n12 token-12\n13 token-13\n\n1 token-1\n'));
  beforeEach(async () => {
    vi.stubEnv('RAG_TOKEN', 'writes');
    const developers = [11, 12, 13].map((id) => ({ id, role: 'developer' as const }));
    server = new LeakyServer([{ id: 1, role: 'manager' }, ...developers]);
    url = await server.listen();
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    server.close();
  });
  /** In this process, which spares each of many runs a start. */
  async function runHere(...args: string[]): Promise<Result> {
    const result: Result = { code: 1, out: '', err: '' };
    const written = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      result.out += text;
      return true;
    });
    try {
      result.code = await leakTest(['--url', url, ...args]);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      result.err = error.message;
    } finally {
      written.mockRestore();
    }
    return result;
  }
  const testIt = (...args: string[]) =>
    runHere('--tokens', tokens, '--questions', '300', '--seed', '3', '--yes', ...args);

  test('without a leak ends well, and leaves nothing', async () => {
    const { code, out } = await testIt();

    expect(out).toMatch(/\nNo leak\nThe records of the test are removed\n$/);
    expect(code).toBe(0);
    expect(server.tasks.size).toBe(0);
  });

  const spaced = (text: string) => [...text].join(' ');
  const isAnswer = ({ path }: Asked) => path === '/v1/ask' || path === '/v1/search';
  /** Adds a text to the body of an answer, in a field of its own. */
  const add = (answered: Answered, text: string) => {
    answered.body.more = [{ text }];
  };

  test.each<[channel: string, told: RegExp, leak: LeakyServer['leak']]>([
    [
      'an answer',
      /comment\w+ of .* as it is, in \$\.more\[0\]\.text/,
      (a, [task], asked) => {
        if (task && isAnswer(asked) && asked.n % 10 === 0) add(a, `It is said: ${task.comments[0]}`);
      },
    ],
    [
      'capitals and accents',
      /, folded, in \$\.more/,
      (a, [task], asked) => {
        if (task && isAnswer(asked) && asked.n % 10 === 0) {
          add(a, (task.comments[0] ?? '').toUpperCase().replace(/[AEIOU]/g, '$&\u0301'));
        }
      },
    ],
    [
      'letters one by one',
      /, spaced out, in/,
      (a, [task], asked) => {
        if (task && isAnswer(asked) && asked.n % 10 === 0) add(a, spaced(task.description));
      },
    ],
    [
      'letters backwards',
      /, reversed, in/,
      (a, [task], asked) => {
        if (task && isAnswer(asked) && asked.n % 10 === 0) add(a, [...task.description].reverse().join(''));
      },
    ],
    [
      'Base64',
      /, in Base64, in/,
      (a, [task], asked) => {
        if (task && isAnswer(asked) && asked.n % 10 === 0) add(a, Buffer.from(task.description).toString('base64url'));
      },
    ],
    [
      'the name of a field',
      /in \$, a field's name/,
      (a, [task], asked) => {
        if (task && isAnswer(asked) && asked.n % 10 === 0) a.body[task.title] = 1;
      },
    ],
    [
      'a header',
      /in header x-debug/,
      (a, [task], asked) => {
        if (task && isAnswer(asked) && asked.n % 10 === 0) a.headers['x-debug'] = task.title;
      },
    ],
    [
      'a citation of an id that was named',
      /by its id, in \$\.citations/,
      (a, hidden, { body }) => {
        const named = hidden.find(({ id }) => body.question?.includes(String(id)));
        if (named && a.status === 200)
          a.body.citations = [{ sourceType: 'task', sourceId: String(named.id), distance: 0.9 }];
      },
    ],
    [
      'an error',
      /HTTP 4\d\d\): GET/,
      (a, [task], { n }) => {
        if (task && a.status >= 400 && n % 5 === 0) a.body.detail = `no such row after ${task.title}`;
      },
    ],
    [
      'the status',
      /\(status, HTTP 200\)/,
      (a, [task], { path }) => {
        if (task && path === '/v1/status') a.body.newest = task.title;
      },
    ],
    [
      'an explanation',
      /\(explanation, HTTP 200\)/,
      (a, [task], { path }) => {
        if (task && path.startsWith('/v1/questions/') && a.status === 200)
          a.body.support = [{ sentence: task.description }];
      },
    ],
    [
      'a source',
      /\(source, HTTP 200\)/,
      (a, hidden, { path }) => {
        const named = hidden.find(({ id }) => path === `/v1/sources/task/${id}`);
        if (named)
          Object.assign(a, { status: 200, body: { sourceType: 'task', state: 'ready', text: named.comments[0] } });
      },
    ],
  ])('is caught leaking by %s', async (_, told, leak) => {
    server.leak = leak;

    const { code, out } = await testIt();

    expect(out).toMatch(told);
    expect(out).toMatch(/\nFAILED: (?:.*; )?\d+ leaks/);
    expect(code).toBe(1);
  });

  test.each<[channel: string, told: RegExp, leak: LeakyServer['leak']]>([
    [
      'the outcome',
      /[1-9]\d* outcomes differ/,
      (a, hidden, { body }) => {
        const named = hidden.some(({ title }) => body.question?.includes(title.split(' ').at(-1) ?? '?'));
        if (named) a.body.outcome = 'restricted';
      },
    ],
    [
      'another error',
      /[1-9]\d* answers differ/,
      (a, hidden, { path }) => {
        if (hidden.some(({ id }) => path === `/v1/tasks/${id}`)) a.body.code = 'forbidden';
      },
    ],
    [
      'a header of its own',
      /[1-9]\d* answers differ/,
      (a, hidden, { path }) => {
        if (hidden.some(({ id }) => path === `/v1/sources/task/${id}`)) a.headers.etag = '"1"';
      },
    ],
    [
      'a count',
      /leak: employee 11 is told of 1 more/,
      (a, hidden, { path }) => {
        if (path === '/v1/status') a.body.chunks = Number(a.body.chunks) + hidden.length;
      },
    ],
    [
      'its time',
      /GET \/v1\/tasks\/\{id\} .*LEAK: grossly apart/,
      async (_a, hidden, { path }) => {
        if (hidden.some(({ id }) => path === `/v1/tasks/${id}`)) await sleep(60);
      },
    ],
  ])('is caught telling what exists by %s', async (_, told, leak) => {
    server.leak = leak;

    const { code, out } = await testIt('--questions', '100');

    expect(out).toMatch(told);
    expect(out).toMatch(/\nFAILED: .*tell|counts that take in/);
    expect(code).toBe(1);
  });

  test('that finds nothing for anybody proves nothing, and fails', async () => {
    server.finds = () => false;

    const { code, out } = await testIt('--questions', '10');

    expect(out).toMatch(/missed: employee 11 has not found task \d+ by its code/);
    expect(out).toMatch(/\nFAILED: records were not found by who may see them/);
    expect(code).toBe(1);
  });

  test('waits where it is asked to, and gives up where it is told to come back tomorrow', async () => {
    let refusals = 0;
    server.leak = (answered, _, { n }) => {
      if (n % 50 !== 0) return;
      refusals++;
      Object.assign(answered, { status: 429, headers: { 'Retry-After': '0' }, body: { code: 'rate_limited' } });
    };
    const waited = await testIt('--questions', '100');
    server.leak = (answered, _, { path }) => {
      if (path === '/v1/ask') Object.assign(answered, { status: 429, headers: { 'Retry-After': '40000' } });
    };
    const gaveUp = await testIt('--questions', '100');

    expect(waited).toMatchObject({ code: 0, out: expect.stringContaining(`; ${refusals} sent again`) });
    expect(gaveUp).toMatchObject({ code: 1, err: expect.stringMatching(/takes no more questions for 40000 seconds/) });
    expect(gaveUp.out).toMatch(/The records of the test are removed\n$/);
  });

  test('is not touched before it is said to whom, as whom and that it may be', async () => {
    const bad = join(folder, 'bad');
    writeFileSync(bad, '11\n');
    const few = join(folder, 'few');
    writeFileSync(few, '11 token-11\n1 token-1\n');
    const anothers = join(folder, 'anothers');
    writeFileSync(anothers, '11 token-12\n12 token-12\n');
    const fault = async (...args: string[]) => (await runHere(...args)).err;

    const unasked = await runHere('--tokens', tokens);
    expect(unasked.out).toMatch(/writes a task with a comment .* under ids from 7\d{12} to 7\d{12};/);
    expect(unasked.err).toBe('Nothing has been written or asked. Add --yes to do so');
    expect(await fault('--yes')).toMatch(/^--url needs --tokens FILE/);
    expect(await fault('--yes', '--tokens', bad)).toMatch(
      /^--tokens: line 1 of .* must be an employee's id, a blank and/,
    );
    expect(await fault('--yes', '--tokens', few)).toMatch(/^It takes at least two people who are neither managers nor/);
    expect(await fault('--yes', '--tokens', anothers)).toMatch(/^The token given for employee 11 is not theirs/);
    expect(await fault('--yes', '--tokens', tokens, '--questions', '0')).toBe(
      '--questions must be a whole number from 1 to 1000000, got 0',
    );
    vi.stubEnv('RAG_TOKEN', '');
    expect(await fault('--yes', '--tokens', tokens)).toMatch(/^Set RAG_TOKEN/);
    expect(server.tasks.size).toBe(0);
  });
});
