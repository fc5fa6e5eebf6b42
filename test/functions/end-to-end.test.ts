import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../functions/routes.ts';
import { peopleAlone } from '../../scripts/dev/first-records.ts';
import { RunningStack } from '../support/local-stack.ts';
import { until } from '../support/until.ts';

const MANAGER = '1';
const DEVELOPER = '2';
const PUMP = {
  title: 'Repair the coffee machine',
  description: 'The pump of the coffee machine on floor 2 is broken. A new pump costs 89 euros.',
};
const PUMP_QUESTION = { question: 'What does a new pump for the coffee machine cost?' };

let running: RunningStack;
beforeAll(async () => {
  running = await RunningStack.start({ RAG_WORKER_LEASE_SECONDS: '1' });
  const people = peopleAlone().toString('utf8');
  await running.call('POST /v1/records', 'importer', { body: people, scope: 'rag.write' });
});
afterAll(() => running?.close());

const write = (route: string, body?: object | string) =>
  running.call(route, 'importer', { scope: 'rag.write', ...(body === undefined ? {} : { body }) });
const ask = (subject: string, body: object) => running.call('POST /v1/ask', subject, { body });
const stateOf = async (source: string) => (await running.call(`GET /v1/sources/${source}`, MANAGER)).body.state;
const untilReady = (source: string) => until(`${source} is ready`, async () => (await stateOf(source)) === 'ready');

describe('a question', () => {
  test('to an empty database is off topic, told in its own language', async () => {
    const english = await ask(MANAGER, PUMP_QUESTION);
    const spanish = await ask(MANAGER, { question: '¿Cuánto cuesta la bomba de la cafetera?' });

    expect(english).toMatchObject({ status: 200, body: { outcome: 'off_topic', citations: [], model: null } });
    expect(english.body.answer).toBe('That question is outside the records I can search.');
    // The embedding model knows English alone.
    expect(spanish.body).toMatchObject({ outcome: 'off_topic', reason: 'language_mismatch' });
    expect(spanish.body.answer).toMatch(/^En estos registros solo busco por significado en inglés\./);
  });

  test('about a record just written is answered from it, by the nudge alone', async () => {
    const written = await write('PUT /v1/tasks/501', { ...PUMP, assigneeId: Number(DEVELOPER) });

    expect(written).toMatchObject({ status: 202, body: { links: { state: '/v1/sources/task/501' } } });
    await untilReady('task/501');
    const { status, body } = await ask(DEVELOPER, PUMP_QUESTION);
    expect(status).toBe(200);
    expect(body.outcome).toBe('answered');
    expect(body.answer).toMatch(/89 euros.* \[1\]/s);
    expect(body.citations).toEqual([
      expect.objectContaining({ n: 1, sourceType: 'task', sourceId: '501', title: PUMP.title }),
    ]);
    expect(body.model).toMatch(/extractive/);
  });

  test('whose answer is another’s record is not answered from it', async () => {
    await write('PUT /v1/tasks/502', {
      title: 'Buy the fraud scoring licence',
      description: 'We chose the vendor Hawkeye for 12000 euros a year.',
      assigneeId: Number(MANAGER),
    });
    await untilReady('task/502');
    const question = { question: 'Which vendor did we choose for the fraud scoring licence?' };

    const [manager, developer] = [await ask(MANAGER, question), await ask(DEVELOPER, question)];

    expect(manager.body).toMatchObject({ outcome: 'answered', citations: [{ sourceId: '502' }] });
    expect(developer.body.outcome).not.toBe('answered');
    expect(JSON.stringify(developer.body)).not.toContain('Hawkeye');
  });

  test('is no longer answered from a record that was deleted', async () => {
    const question = { question: 'What does the new elevator cable cost?' };
    await write('PUT /v1/tasks/503', {
      title: 'Replace the elevator cable',
      description: 'The cable costs 7300 euros.',
    });
    await untilReady('task/503');
    const before = await ask(MANAGER, question);

    await write('DELETE /v1/tasks/503');
    await until('the elevator has gone', async () => (await stateOf('task/503')) === 'deleted');
    const after = await ask(MANAGER, question);

    expect(before.body).toMatchObject({ outcome: 'answered', citations: [{ sourceId: '503' }] });
    expect(JSON.stringify([after.body.answer, after.body.citations])).not.toMatch(/7300|503/);
  });

  test('leaves a row in the log, whatever came of it', async () => {
    const replies = [
      await ask(MANAGER, PUMP_QUESTION),
      await ask(MANAGER, { question: 'Who repaired the roof of the coffee machine factory in Turin?' }),
      await ask(MANAGER, { question: 'zyx wvu' }),
    ];

    const rows = await running.rows<Record<string, unknown>>(
      `SELECT call_id, employee_id, question, outcome, answer, model, retrieved, cited FROM rag_log ORDER BY log_id DESC
       FETCH FIRST 3 ROWS ONLY`,
    );
    expect(replies.map(({ body }) => body.outcome)).toEqual(['answered', 'not_found', 'off_topic']);
    for (const [i, row] of rows.reverse().entries()) {
      const { callId, outcome, answer, model, citations } = replies[i]?.body ?? {};
      expect(row).toMatchObject({ call_id: callId, employee_id: 1, outcome, answer, model });
      expect(row.cited).toHaveLength((citations as []).length);
      expect((row.retrieved as []).length).toBeGreaterThan(0);
    }
  });

  test('does not wait for others: twenty at once are all answered', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask(MANAGER, PUMP_QUESTION)));

    expect(new Set(replies.map(({ status, body }) => `${status} ${body.outcome} ${body.answer}`)).size).toBe(1);
    expect(new Set(replies.map(({ body }) => body.callId)).size).toBe(20);
  });
});

describe('openapi.json', () => {
  test('describes every route to anybody', async () => {
    const response = await fetch(`${running.url}/openapi.json`);

    const document = (await response.json()) as { openapi: string; paths: Record<string, Record<string, object>> };
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path.replace('*}', '}')}`).sort());
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map((operation) => (operation as { operationId: string }).operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('a process that is killed', { timeout: 60_000 }, () => {
  const kill = (pid: number | undefined, signal: NodeJS.Signals = 'SIGKILL') => {
    if (pid === undefined) throw new Error('there is no such process');
    process.kill(pid, signal);
    return pid;
  };

  test('between two calls is started again by the next', async () => {
    await ask(MANAGER, PUMP_QUESTION);
    const pid = kill(running.stack.host.pidOf('ask'));
    await until('its end is known', () => running.stack.host.pidOf('ask') !== pid);

    const next = await ask(MANAGER, PUMP_QUESTION);

    expect(next).toMatchObject({ status: 200, body: { outcome: 'answered' } });
  });

  test('during a call costs that call alone', async () => {
    await ask(MANAGER, PUMP_QUESTION);
    const pid = kill(running.stack.host.pidOf('ask'), 'SIGSTOP');
    const pending = ask(MANAGER, PUMP_QUESTION);
    await new Promise((later) => setTimeout(later, 200));

    kill(pid);
    const broken = await pending;
    const next = await ask(MANAGER, PUMP_QUESTION);

    expect(broken).toMatchObject({ status: 502, body: { code: 'bad_gateway', status: 502 } });
    expect(next).toMatchObject({ status: 200, body: { outcome: 'answered' } });
  });

  test.each(['encoder-process', 'database-process'] as const)(
    'is started again: %s, with nothing lost',
    async (name) => {
      const pid = kill(running.pidOf(name));

      await until('it is another process', () => ![undefined, pid].includes(running.pidOf(name)));
      const { body } = await until('it answers', async () => {
        const reply = await ask(MANAGER, PUMP_QUESTION);
        if (reply.status === 200) return reply;
        expect(reply.body).toMatchObject({ code: 'unavailable' });
        return null;
      });

      expect(body.outcome).toBe('answered');
    },
  );

  test('while it drains leaves its claims to the schedule, which finishes all of them', async () => {
    const encoder = running.pidOf('encoder-process');
    kill(encoder, 'SIGSTOP');
    const lines = Array.from({ length: 60 }, (_, i) => ({
      type: 'task',
      id: 700 + i,
      data: { title: `Paint door ${i}` },
    }));
    await write('POST /v1/records', lines.map((line) => JSON.stringify(line)).join('\n'));
    const claimed = () => running.rows('SELECT 1 FROM rag_dirty WHERE claimed_until > CURRENT_TIMESTAMP');
    await until('the drain holds claims', async () => (await claimed()).length > 0);

    kill(running.stack.host.pidOf('drain'));
    kill(encoder, 'SIGCONT');
    running.stack.control.startSchedule();

    await until('the queue is empty', async () => (await running.rows('SELECT 1 FROM rag_dirty')).length === 0);
    const painted = await running.rows(
      `SELECT s.state, s.chunk_count, s.last_error FROM rag_source s JOIN rag_chunk c ON c.source_id = s.source_id
       WHERE s.source_type = 'task' AND c.title LIKE 'Paint door %'`,
    );
    expect(painted).toHaveLength(60);
    expect(new Set(painted.map((row) => JSON.stringify(row)))).toEqual(
      new Set(['{"state":"ready","chunk_count":1,"last_error":null}']),
    );
  });
});
