import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem, FunctionBench } from '../support/functions.ts';
import { put } from '../support/records.ts';

const SECRET = 'hunter2-and-the-rest';
const QUESTION = { question: 'Where are the fish?' };

let bench: FunctionBench;
let manager: string;
beforeAll(async () => {
  bench = await FunctionBench.open();
  await bench.write(put.employee(1, { role: 'manager' }), put.project(1, { name: 'Fish' }));
  manager = await bench.token('1', 'rag.write');
});
afterEach(() => {
  bench.encoder.reply = null;
  bench.encoder.hold = Promise.resolve();
});
afterAll(() => bench?.close());

describe('when a part is away or misbehaves', () => {
  test('an encoder that is down makes a question unavailable for now', async () => {
    const functions = bench.withSettings({ RAG_EMBEDDING_URL: 'unix:/nowhere/encoder' });

    const reply = await functions.call('POST /v1/ask', { token: manager, body: QUESTION });

    expectProblem(reply, 503, 'unavailable');
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('an encoder that is down costs a source no attempt, and the next drain indexes it', async () => {
    await bench.write(put.task(1, { title: 'Feed the fish' }));
    const functions = bench.withSettings({ RAG_EMBEDDING_URL: 'unix:/nowhere/encoder' });

    const broken = await functions.invoke('drain');

    expect(broken.status).toBe(502);
    const waiting = await bench.rows("SELECT attempts, claimed_until FROM rag_dirty WHERE source_type = 'task'");
    expect(waiting).toEqual([{ attempts: 0, claimed_until: null }]);
    const drained = await bench.functions.invoke('drain');
    expect(drained.body).toMatchObject({ failed: 0, stoppedBy: 'empty' });
    expect(await bench.rows('SELECT 1 FROM rag_dirty')).toEqual([]);
  });

  const ORACLE = {
    RAG_DATABASE:
      'oracle:(description=(retry_count=0)(address=(protocol=tcp)(host=127.0.0.1)(port=1))(connect_data=(service_name=orders)))',
    RAG_DATABASE_PASSWORD: SECRET,
    RAG_DATABASE_OWNER_PASSWORD: SECRET,
    RAG_EMBEDDING_URL: 'database',
    RAG_EMBEDDING_MODEL: 'ALL_MINILM_L12_V2',
  };

  test('an Oracle database that is down is told likewise, and the log says what it may be', async () => {
    const functions = bench.withSettings(ORACLE);

    const reply = await functions.call('POST /v1/ask', { token: manager, body: QUESTION });
    const booted = await functions.invoke('bootstrap');
    const drained = await functions.invoke('drain');

    expectProblem(reply, 503, 'unavailable');
    expect([booted.status, drained.status]).toEqual([502, 502]);
    expect(JSON.stringify([reply, booted, drained])).not.toMatch(/hunter2|127\.0\.0\.1|orders|NJS/);
    expect(functions.log()).toMatch(/NJS-\d+: .*(?:stopped|listens|access list)/);
    expect(functions.log()).not.toContain(SECRET);
  });

  test('a secret that no Vault gives out stops its function with a name, not with a value', async () => {
    const secretId = 'ocid1.vaultsecret.oc1..missing';
    const functions = bench.withSettings({ ...ORACLE, RAG_DATABASE_PASSWORD: `vault:${secretId}` });

    const reply = await functions.call('POST /v1/ask', { token: manager, body: QUESTION });

    expect(reply.status).toBe(500);
    expect(JSON.stringify(reply)).not.toContain('ocid1');
    expect(functions.log()).toMatch(/OCI_RESOURCE_PRINCIPAL/);
  });

  test.each([
    ['POST /v1/ask', QUESTION],
    ['GET /v1/tasks/1', undefined],
    ['PUT /v1/tasks/1', { title: 'x' }],
    ['POST /v1/records', '{"type":"task","id":1,"data":{"title":"x"}}'],
  ])('a database that is down makes %s unavailable, and says nothing of its address', async (route, body = '') => {
    const functions = bench.withSettings({ RAG_DATABASE: `postgresql://rag:${SECRET}@127.0.0.1:1/orders` });

    const reply = await functions.call(route, { token: manager, body });

    if (route === 'POST /v1/records') {
      expect(reply.body).toMatchObject({
        accepted: 0,
        results: [{ line: 1, status: 503, error: { code: 'unavailable' } }],
      });
    } else {
      expectProblem(reply, 503, 'unavailable');
      expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(JSON.stringify(reply)).not.toMatch(/hunter2|127\.0\.0\.1|orders|ECONN/);
    expect(functions.log()).not.toContain(SECRET);
  });

  test.each([
    ['nobody listens', `postgresql://rag:${SECRET}@127.0.0.1:1/orders`],
    ['the port is none', `postgresql://rag:${SECRET}@127.0.0.1:99999/orders`],
    ['the address is no URL', `postgresql://rag:${SECRET}@[/orders`],
    ['the password is badly escaped', `postgresql://rag:${SECRET}%ZZ@127.0.0.1:1/orders`],
  ])('the password of a database address reaches neither answers nor log: %s', async (_, url) => {
    const functions = bench.withSettings({ RAG_DATABASE: url });

    const answers = [
      await functions.call('GET /v1/status', { token: manager }).catch(String),
      await functions.invoke('drain').catch(String),
      await functions.invoke('bootstrap').catch(String),
    ];

    expect(JSON.stringify(answers)).not.toContain(SECRET);
    expect(functions.log()).not.toContain(SECRET);
  });

  const garbage: [string, { status: number; body: string }][] = [
    ['text', { status: 200, body: `Error: ${SECRET}` }],
    ['an error page', { status: 500, body: `<h1>${SECRET}</h1>` }],
    ['a refusal', { status: 400, body: JSON.stringify({ error: SECRET }) }],
    ['null', { status: 200, body: 'null' }],
    ['too few vectors', { status: 200, body: JSON.stringify({ vectors: [], note: SECRET }) }],
    ['words for vectors', { status: 200, body: JSON.stringify({ vectors: [[SECRET]] }) }],
    ['null for a vector', { status: 200, body: JSON.stringify({ vectors: [null], note: SECRET }) }],
  ];
  test.each(garbage)('what an encoder answers that is no vector stays inside: %s', async (_, answer) => {
    await bench.rows("DELETE FROM rag_dirty WHERE source_type = 'task'");
    await bench.write(put.task(2, { title: 'Clean the tank' }), put.task(2, { title: 'Clean the tank well' }));
    bench.encoder.reply = answer;

    const asked = await bench.functions.call('POST /v1/ask', { token: manager, body: QUESTION });
    const drained = await bench.functions.invoke('drain');

    expect(asked.status).toBeGreaterThanOrEqual(500);
    expectProblem(asked, asked.status, asked.status === 503 ? 'unavailable' : 'internal_error');
    const state = await bench.functions.call('GET /v1/sources/task/2', { token: manager });
    const stored = [
      await bench.rows('SELECT last_error FROM rag_dirty'),
      await bench.rows('SELECT last_error FROM rag_source'),
    ];
    expect(JSON.stringify([asked, drained, state, stored])).not.toContain('hunter2');
    expect(state.body.state).toBe('queued');
  });

  test('a failed source tells which call the log has the cause under', async () => {
    await bench.write(put.task(3, { title: 'Change the water' }));
    bench.encoder.reply = { status: 400, body: SECRET };

    await bench.functions.invoke('drain');

    const { body } = await bench.functions.call('GET /v1/sources/task/3', { token: manager });
    const callId = /call (\S+)$/.exec(String(body.lastError))?.[1] ?? 'none';
    expect(bench.functions.log()).toContain(callId);
  });
});

describe('a deadline', () => {
  let silent: Server;
  beforeAll(async () => {
    // Takes connections and never says a word.
    silent = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => silent.close());

  const askBefore = (msFromNow: number) => ({
    'Fn-Call-Id': 'hurried',
    'Fn-Deadline': new Date(Date.now() + msFromNow).toISOString(),
    'Fn-Http-Method': 'POST',
    'Fn-Http-Request-Url': '/v1/ask',
    'Fn-Http-H-Authorization': `Bearer ${manager}`,
  });
  const body = [Buffer.from(JSON.stringify(QUESTION))];

  test.each([-1000, 100, 700])('ends a call %i ms ahead of it with a problem, and the process lives on', async (ms) => {
    await bench.functions.call('GET /v1/status', { token: manager });
    const pid = bench.functions.host.pidOf('ask');
    let release = () => {};
    bench.encoder.hold = new Promise((resolve) => {
      release = resolve;
    });

    const reply = await bench.functions.callSocket('ask', askBefore(ms), body);
    release();

    expectProblem(reply, 504, 'deadline_exceeded');
    const next = await bench.functions.call('POST /v1/ask', { token: manager, body: QUESTION });
    expect(next.status).toBe(200);
    expect(bench.functions.host.pidOf('ask')).toBe(pid);
  });

  test('holds while the database is silent too', async () => {
    const { port } = silent.address() as AddressInfo;
    const functions = bench.withSettings({ RAG_DATABASE: `postgresql://rag@127.0.0.1:${port}/rag` });
    await functions.call('GET /openapi.json');

    const reply = await functions.callSocket('ask', askBefore(1000), body);

    expectProblem(reply, 504, 'deadline_exceeded');
  });

  test('that is no date counts as none', async () => {
    await bench.functions.call('GET /openapi.json');

    const reply = await bench.functions.callSocket('ask', { ...askBefore(0), 'Fn-Deadline': 'soon' }, body);

    expect(reply.status).toBe(200);
  });

  test('that is near refuses the lines of a bulk one by one', async () => {
    await bench.functions.call('GET /v1/status', { served: 'ingest' });
    const headers = { ...askBefore(2900), 'Fn-Http-Request-Url': '/v1/records' };

    const lines = Buffer.from([1, 2].map((id) => JSON.stringify(put.project(id))).join('\n'));
    const reply = await bench.functions.callSocket('ingest', headers, [lines]);

    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      accepted: 0,
      failed: 2,
      results: [1, 2].map((line) => ({ line, status: 504, error: { code: 'deadline_exceeded' } })),
    });
  });
});

describe('a configuration with faults', () => {
  const SETTINGS = { RAG_DATABASE: `mysql://rag:${SECRET}@db/orders`, RAG_WORKER_BATCH_SIZE: '0', RAG_SPEED: 'high' };

  test.each(['ask', 'ingest', 'drain', 'bootstrap'] as const)(
    'ends %s at once and names each fault once',
    async (name) => {
      const functions = bench.withSettings({ ...SETTINGS, RAG_EMBEDDING_MODEL: '' });

      await expect(functions.host.invoke(name, { callId: 'x', body: Buffer.alloc(0) })).rejects.toThrow(
        /ended with code 1/,
      );

      const log = functions.log();
      for (const setting of ['RAG_DATABASE', 'RAG_EMBEDDING_MODEL', 'RAG_WORKER_BATCH_SIZE', 'RAG_SPEED']) {
        expect(log.split('\n').filter((line) => line.includes(`${setting} `))).toHaveLength(1);
      }
      expect(log).toContain('4 faults');
      expect(log).not.toContain(SECRET);
    },
  );
});
