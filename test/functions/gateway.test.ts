import { request } from 'node:http';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { LineLog } from '../../functions/adapters/local/line-log.ts';
import { Unauthenticated } from '../../functions/core/errors.ts';
import { MAX_BODY_BYTES } from '../../functions/routes.ts';
import {
  type FunctionHost,
  type Invocation,
  InvocationError,
  type InvocationResult,
} from '../../scripts/dev/function-host.ts';
import { type Backend, Gateway } from '../../scripts/dev/gateway.ts';

/** A gateway alone: what it passes on is noted, and what it gets back is told by the test. */
class Bench {
  readonly calls: { name: string; invocation: Invocation }[] = [];
  log = '';
  result: () => InvocationResult = () => ({ status: 200, headers: {}, body: Buffer.from('{"fine":true}') });
  readonly #gateway: Gateway;
  #url = '';

  constructor(requestsPerSecond = 1000) {
    const sink = new Writable({
      write: (chunk, _, done) => {
        this.log += String(chunk);
        done();
      },
    });
    this.#gateway = new Gateway({ requestsPerSecond, log: (callId) => new LineLog(callId, sink) });
  }

  async listen({ serving = true } = {}): Promise<this> {
    this.#url = `http://127.0.0.1:${await this.#gateway.listen(0)}`;
    const host = {
      invoke: async (name: string, invocation: Invocation) => {
        this.calls.push({ name, invocation });
        return this.result();
      },
    } as unknown as FunctionHost;
    const verifier: Backend['verifier'] = {
      verify: async (token) => {
        if (token !== 'good') throw new Unauthenticated('The token is not valid here');
        return { subject: '1', scopes: [] };
      },
    };
    if (serving) this.#gateway.serve({ host, verifier });
    return this;
  }

  fetch(route: string, { token = 'good', headers = {}, body }: FetchOptions = {}): Promise<Response> {
    const [method = 'GET', path = '/'] = route.split(' ');
    const authorization: Record<string, string> = token === '' ? {} : { Authorization: `Bearer ${token}` };
    return fetch(`${this.#url}${path}`, { method, headers: { ...authorization, ...headers }, body: body ?? null });
  }

  get url(): string {
    return this.#url;
  }

  close(): Promise<void> {
    return this.#gateway.close();
  }
}

interface FetchOptions {
  token?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

let bench: Bench;
afterEach(() => bench.close());

async function expectProblem(response: Response, status: number, code: string): Promise<Record<string, unknown>> {
  const body = (await response.json()) as Record<string, unknown>;
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const callId = response.headers.get('x-call-id');
  expect(callId).toMatch(/^[0-9a-f-]{36}$/);
  expect(body).toMatchObject({
    type: 'about:blank',
    title: expect.any(String),
    status,
    detail: expect.any(String),
    code,
    callId,
  });
  return body;
}

/** Sends bytes as they are and returns everything that comes back. */
async function exchange(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(bytes, 'latin1');
  let reply = '';
  for await (const part of socket) reply += String(part);
  return reply;
}

describe('the gateway refuses without waking a function', () => {
  test.each<[string, FetchOptions, number, string]>([
    ['GET /', {}, 404, 'not_found'],
    ['GET /v1/nothing', {}, 404, 'not_found'],
    ['GET /v1/status/', {}, 404, 'not_found'],
    ['GET /V1/STATUS', {}, 404, 'not_found'],
    ['GET /v1//tasks/1', {}, 404, 'not_found'],
    ['POST /v1/drain', {}, 404, 'not_found'],
    ['POST /v1/bootstrap', {}, 404, 'not_found'],
    ['GET /v1/ask', {}, 405, 'method_not_allowed'],
    ['POST /v1/tasks/1', {}, 405, 'method_not_allowed'],
    ['PATCH /v1/tasks/1', {}, 405, 'method_not_allowed'],
    ['OPTIONS /v1/ask', {}, 405, 'method_not_allowed'],
    ['GET /v1/status', { token: '' }, 401, 'unauthenticated'],
    ['GET /v1/status', { token: 'bad' }, 401, 'unauthenticated'],
    ['POST /v1/ask', { body: new Uint8Array(MAX_BODY_BYTES + 1) }, 413, 'too_large'],
  ])('%s', async (route, options, status, code) => {
    bench = await new Bench().listen();

    const response = await bench.fetch(route, options);

    await expectProblem(response, status, code);
    if (status === 401) expect(response.headers.get('www-authenticate')).toBe('Bearer');
    if (status === 405) expect(response.headers.get('allow')).toMatch(/^[A-Z]+(, [A-Z]+)*$/);
    expect(bench.calls).toEqual([]);
  });

  test.each<[string, string, number, RegExp]>([
    [
      'headers of 20 kB',
      `GET /v1/status HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      /16384 bytes/,
    ],
    ['a length that is no number', 'POST /v1/ask HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n', 400, /HTTP/],
    ['bytes that are no HTTP', '\x16\x03\x01', 400, /HTTP/],
  ])('%s', async (_, bytes, status, detail) => {
    bench = await new Bench().listen();

    const reply = await exchange(bench.url, bytes);

    const [head = '', body = ''] = reply.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\r\nContent-Type: application/problem\\+json\r\n`));
    const problem = JSON.parse(body);
    expect(problem).toMatchObject({ status, detail: expect.stringMatching(detail) });
    expect(head).toContain(`X-Call-Id: ${problem.callId}`);
    expect(bench.calls).toEqual([]);
  });

  test('more requests than its limit, and says when to come again', async () => {
    bench = await new Bench(3).listen();

    const responses = await Promise.all(Array.from({ length: 40 }, () => bench.fetch('GET /v1/status')));

    const refused = responses.filter((response) => response.status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(responses.some((response) => response.status === 200)).toBe(true);
    for (const response of refused) {
      expect(response.headers.get('retry-after')).toBe('1');
      await expectProblem(response, 429, 'rate_limited');
    }
    expect(bench.calls).toHaveLength(responses.length - refused.length);
  });

  test('everything while it starts, and says when to come again', async () => {
    bench = await new Bench().listen({ serving: false });

    const response = await bench.fetch('GET /v1/status');

    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    await expectProblem(response, 503, 'unavailable');
  });
});

describe('the gateway passes on', () => {
  test('exactly the limit of a body, and every byte of it', async () => {
    bench = await new Bench().listen();
    const body = new Uint8Array(MAX_BODY_BYTES).map((_, i) => i % 251);

    const response = await bench.fetch('POST /v1/records', { body });

    expect(response.status).toBe(200);
    expect(bench.calls[0]?.name).toBe('ingest');
    expect(bench.calls[0]?.invocation.body.equals(body)).toBe(true);
  });

  test('the path and query as they were sent, and the headers under a name of their own', async () => {
    bench = await new Bench().listen();

    await bench.fetch('GET /v1/tasks/a%2Fb%20c?x=1', {
      headers: { 'Fn-Http-Method': 'DELETE', 'Fn-Call-Id': 'mine', 'X-Role': 'admin' },
    });

    const [call] = bench.calls;
    expect(call?.invocation.headers).toMatchObject({
      'Fn-Http-Method': 'GET',
      'Fn-Http-Request-Url': '/v1/tasks/a%2Fb%20c?x=1',
      'Fn-Http-H-authorization': 'Bearer good',
      'Fn-Http-H-x-role': 'admin',
    });
    expect(call?.invocation.callId).not.toBe('mine');
    expect(Object.keys(call?.invocation.headers ?? {})).not.toContain('fn-http-method');
  });

  test('the function’s status, headers and body', async () => {
    bench = await new Bench().listen();
    bench.result = () => ({
      status: 200,
      headers: {
        'fn-http-status': '202',
        'fn-http-h-location': '/v1/sources/task/1',
        'content-type': 'application/json',
        'fn-fdk-version': 'x',
      },
      body: Buffer.from('{"status":"accepted"}'),
    });

    const response = await bench.fetch('PUT /v1/tasks/1', { body: '{"title":"x"}' });

    expect(response.status).toBe(202);
    expect(response.headers.get('location')).toBe('/v1/sources/task/1');
    expect(response.headers.get('fn-fdk-version')).toBeNull();
    expect(await response.json()).toEqual({ status: 'accepted' });
  });
});

describe('when a function fails behind the gateway', () => {
  test.each<[string, () => InvocationResult, number, string]>([
    ['overruns its time', () => fail(new InvocationError('it overran: secret', true)), 504, 'deadline_exceeded'],
    ['breaks off', () => fail(new InvocationError('socket hang up: secret', false)), 502, 'bad_gateway'],
    ['cannot be called at all', () => fail(new Error('secret')), 500, 'internal_error'],
    ['throws', () => ({ status: 502, headers: {}, body: Buffer.from('{"detail":"secret"}') }), 502, 'bad_gateway'],
  ])('and %s, the caller is told that and no more, and the log all of it', async (_, result, status, code) => {
    bench = await new Bench().listen();
    bench.result = result;

    const response = await bench.fetch('GET /v1/status');

    expect(JSON.stringify(await expectProblem(response, status, code))).not.toContain('secret');
    expect(bench.log).toContain('secret');
    expect(bench.log).toContain(response.headers.get('x-call-id'));
  });

  test('a caller who goes away in the middle of a body harms nobody', async () => {
    bench = await new Bench().listen();
    const headers = { Authorization: 'Bearer good', 'Content-Length': 1000 };
    await new Promise<void>((gone) => {
      const sent = request(`${bench.url}/v1/ask`, { method: 'POST', headers });
      sent.on('error', () => gone());
      sent.write('{"question":', () => sent.destroy(new Error('gone')));
    });

    const response = await bench.fetch('GET /v1/status');

    expect(response.status).toBe(200);
    expect(bench.calls).toHaveLength(1);
    expect(bench.log).toBe('');
  });
});

function fail(error: Error): never {
  throw error;
}
