import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { Api, ApiError } from '../../scripts/rag/api.ts';
import type { Item } from '../../scripts/rag/import/items.ts';
import type { Patience } from '../../scripts/rag/import/retry.ts';
import { sendBatch } from '../../scripts/rag/import/send.ts';

type Answer = { status: number; headers?: Record<string, string>; body: object };

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server that answers the n-th call as told; `bodies` are the lines of each. */
async function serve(answers: Answer[]): Promise<{ api: Api; bodies: string[][] }> {
  const bodies: string[][] = [];
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    bodies.push(Buffer.concat(parts).toString().trimEnd().split('\n'));
    const { status, headers = {}, body } = answers[bodies.length - 1] ?? { status: 500, body: {} };
    response.writeHead(status, headers).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { api: new Api(async () => `http://127.0.0.1:${port}`, 'token'), bodies };
}

const waits: number[] = [];
const patience: Patience = { limitMs: 1000, onWait: (_, waitMs) => waits.push(waitMs) };
const items = (...records: object[]): Item[] =>
  records.map((record, i) => ({ line: 10 + i, bytes: Buffer.from(JSON.stringify(record)) }));
const results = (...statuses: number[]): Answer => ({
  status: 200,
  body: {
    results: statuses.map((status, i) => ({
      line: i + 1,
      status,
      ...(status === 202 ? {} : { error: { code: `c${status}`, detail: `d${status}` } }),
    })),
  },
});

describe('sending a batch', () => {
  test('a refused record is reported by the line it has in the file', async () => {
    const { api } = await serve([results(202, 422)]);

    const failures = await sendBatch(api, patience, items({ id: 1 }, { id: 2 }), false);

    expect(failures).toEqual([{ line: 11, status: 422, code: 'c422', detail: 'd422' }]);
  });

  test('what the server had no time for is sent again, with all behind it and in order', async () => {
    const { api, bodies } = await serve([results(202, 504, 202), results(202, 202)]);

    expect(await sendBatch(api, patience, items({ id: 1 }, { id: 2 }, { id: 3 }), false)).toEqual([]);
    expect(bodies).toEqual([
      ['{"id":1}', '{"id":2}', '{"id":3}'],
      ['{"id":2}', '{"id":3}'],
    ]);
  });

  test('a server that is away is asked again, after the time it names', async () => {
    waits.length = 0;
    const away = { status: 503, headers: { 'Retry-After': '0.6' }, body: { detail: 'away', code: 'unavailable' } };
    const { api, bodies } = await serve([away, results(202)]);

    expect(await sendBatch(api, patience, items({ id: 1 }), false)).toEqual([]);
    expect([waits, bodies.length]).toEqual([[600], 2]);
  });

  test('after its limit the server is given up, in its own words', async () => {
    const away = {
      status: 429,
      headers: { 'Retry-After': '3600' },
      body: { detail: 'slow down', code: 'rate_limited' },
    };
    const { api } = await serve([away]);

    const sending = sendBatch(api, patience, items({ id: 1 }), false);

    await expect(sending).rejects.toThrow(ApiError);
    await expect(sending).rejects.toThrow('slow down');
  });

  test('a refusal of the whole call is not tried again', async () => {
    const { api, bodies } = await serve([
      { status: 403, body: { detail: 'Writing needs a token', code: 'forbidden' } },
    ]);

    await expect(sendBatch(api, patience, items({ id: 1 }), false)).rejects.toThrow('Writing needs a token');
    expect(bodies).toHaveLength(1);
  });

  test('a delete that was sent before and finds nothing is done; a first one is not', async () => {
    const batch = items({ op: 'delete', type: 'task', id: 1 });
    const { api } = await serve([results(404), results(404)]);

    expect(await sendBatch(api, patience, batch, true)).toEqual([]);
    expect(await sendBatch(api, patience, batch, false)).toMatchObject([{ line: 10, status: 404 }]);
  });

  test('a record too large for any body is refused alone', async () => {
    const { api } = await serve([{ status: 413, body: { detail: 'at most 6 MB', code: 'too_large' } }]);

    expect(await sendBatch(api, patience, items({ id: 1 }), false)).toEqual([
      { line: 10, status: 413, code: 'too_large', detail: 'at most 6 MB' },
    ]);
  });
});
