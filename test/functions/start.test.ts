import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresDatabase } from '../../functions/adapters/postgres/database.ts';
import { LOCAL_MODEL } from '../../scripts/dev/local-model.ts';
import { startDatabase } from '../support/database-process.ts';
import { pidsOf, readOwner } from '../support/local-stack.ts';
import { StartProcess } from '../support/start.ts';
import { until } from '../support/until.ts';

const TASK = {
  title: 'Repair the coffee machine',
  description: 'The pump of the coffee machine on floor 2 is broken. A new pump costs 89 euros.',
};
const QUESTION = { question: 'What does a new pump for the coffee machine cost?' };

const folder = mkdtempSync(join(tmpdir(), 'oci-rag-start-'));
const data = join(folder, 'data');
const started: StartProcess[] = [];

function start(...args: string[]): StartProcess {
  const process = new StartProcess(...args);
  started.push(process);
  return process;
}

async function call(url: string, route: string, token: string, body?: object) {
  const [method = '', path = ''] = route.split(' ');
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const isOneLine = (text: string) => /^[^\n]+\n$/.test(text);

afterAll(async () => {
  for (const process of started) await process.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** One data folder's life, told in order. */
describe('npm start', { timeout: 60_000 }, () => {
  let first: StartProcess;
  let url: string;
  let manager: string;
  let developer: string;
  let printed: string;
  beforeAll(async () => {
    first = start('--port', '0', '--empty', '--data', data);
    ({ url, manager, developer, out: printed } = await first.ready());
  });

  test('prints its address, two tokens and lines to paste, and both tokens work', async () => {
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(printed).toContain(data);
    expect(printed).toContain(`curl -s ${url}/v1/ask`);
    expect((await call(url, 'GET /v1/employees/1', manager)).body).toMatchObject({ id: 1, role: 'manager' });
    expect((await call(url, 'GET /v1/employees/2', developer)).body).toMatchObject({ id: 2, role: 'developer' });
    expect((await call(url, 'GET /v1/status', manager)).body).toMatchObject({ chunks: 0, queue: { waiting: 0 } });
  });

  test('says in one line that its port is taken, and makes no folder', async () => {
    const other = join(folder, 'other');

    const { code, out, err } = await start('--port', new URL(url).port, '--data', other).end;

    expect([code, out]).toEqual([1, '']);
    expect(isOneLine(err)).toBe(true);
    expect(err).toContain(`Port ${new URL(url).port} is in use`);
    expect(existsSync(other)).toBe(false);
  });

  test.each([[[]], [['--reset']]])(
    'says in one line which process has its data, with %j, and leaves it alone',
    async (args) => {
      const { code, err } = await start('--port', '0', '--data', data, ...args).end;

      expect(code).toBe(1);
      expect(isOneLine(err)).toBe(true);
      expect(err).toContain(`in use by process ${first.pid}`);
      expect((await call(url, 'GET /v1/employees/1', manager)).status).toBe(200);
    },
  );

  test('refuses a folder that is not its own, with --reset too, and leaves it alone', async () => {
    const photos = join(folder, 'photos');
    mkdirSync(photos);
    writeFileSync(join(photos, 'cat.jpg'), 'cat');

    const { code, err } = await start('--port', '0', '--data', photos, '--reset').end;

    expect(code).toBe(1);
    expect(isOneLine(err)).toBe(true);
    expect(err).toContain(photos);
    expect(readdirSync(photos)).toEqual(['cat.jpg']);
    expect(readFileSync(join(photos, 'cat.jpg'), 'utf8')).toBe('cat');
  });

  test.each([
    [['--prot', '0'], 1, /'--prot'[\s\S]*usage: npm start/],
    [['sample'], 1, /usage: npm start/],
    [['--port', '70000'], 1, /^--port must be a whole number from 0 to 65535, got 70000\n$/],
    [['--help'], 0, /^usage: npm start/],
  ])('says how it is used when it is started with %j', async (args, expected, text) => {
    const { code, out, err } = await start(...args).end;

    expect(code).toBe(expected);
    expect(code === 0 ? out : err).toMatch(text);
  });

  test('killed outright, takes its processes with it, and the next start takes over with nothing lost', async () => {
    await call(url, 'PUT /v1/tasks/7', manager, TASK);
    await until(
      'it is indexed',
      async () => (await call(url, 'GET /v1/sources/task/7', manager)).body.state === 'ready',
    );
    const { runFolder } = readOwner(data);
    expect(pidsOf(runFolder).length).toBeGreaterThan(0);

    await first.stop('SIGKILL');
    await until('its processes have ended', () => pidsOf(runFolder).length === 0);
    const second = start('--port', '0', '--data', data);
    const again = await second.ready();

    expect(existsSync(runFolder)).toBe(false);
    expect((await call(again.url, 'GET /v1/tasks/7', manager)).body.title).toBe(TASK.title);
    const asked = await call(again.url, 'POST /v1/ask', manager, QUESTION);
    expect(asked.body).toMatchObject({ outcome: 'answered', citations: [{ sourceId: '7' }] });

    const secondRunFolder = readOwner(data).runFolder;
    const { code, err } = await second.stop('SIGINT');
    expect([code, err]).toEqual([0, '']);
    expect(existsSync(join(data, 'owner.json'))).toBe(false);
    expect(pidsOf(secondRunFolder)).toEqual([]);
  });

  test('stops at chunks of another model with one sentence, and embeds them anew when it is told to', async () => {
    await inDatabase((database) => database.rows('system', "UPDATE rag_chunk SET embedding_model = 'an-older-model'"));

    const refused = await start('--port', '0', '--data', data).end;
    expect(refused.code).toBe(1);
    expect(isOneLine(refused.err)).toBe(true);
    expect(refused.err).toContain('an-older-model');
    expect(refused.err).toContain(LOCAL_MODEL.name);
    expect(refused.err).toContain('npm start -- --reembed');

    const again = start('--port', '0', '--data', data, '--reembed');
    const { url: address } = await again.ready();
    const found = await call(address, 'POST /v1/search', manager, QUESTION);
    expect(found.body.citations).toMatchObject([{ sourceId: '7' }]);
    await again.stop();
    const models = await inDatabase((database) =>
      database.rows('system', 'SELECT DISTINCT embedding_model AS model FROM rag_chunk'),
    );
    expect(models).toEqual([{ model: LOCAL_MODEL.name }]);
  });

  test('with --reset begins anew: no record, and no token of before', async () => {
    const { url: address, manager: newManager } = await start(
      '--port',
      '0',
      '--data',
      data,
      '--reset',
      '--empty',
    ).ready();

    expect((await call(address, 'GET /v1/tasks/7', newManager)).status).toBe(404);
    expect((await call(address, 'GET /v1/status', newManager)).body).toMatchObject({ chunks: 0 });
    expect((await call(address, 'GET /v1/status', manager)).status).toBe(401);
  });
});

async function inDatabase<T>(work: (database: PostgresDatabase) => Promise<T>): Promise<T> {
  const running = await startDatabase(join(data, 'database'));
  const database = PostgresDatabase.open({
    connectionString: running.url,
    poolMax: 1,
    textIndex: 'bm25',
    onIdleError: () => {},
  });
  try {
    return await work(database);
  } finally {
    await database.close();
    await running.stop();
  }
}
