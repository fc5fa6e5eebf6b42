import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_BODY_BYTES } from '../../functions/routes.ts';
import { expectProblem, FunctionBench } from '../support/functions.ts';
import { put } from '../support/records.ts';

describe('the body of a call', () => {
  let bench: FunctionBench;
  let manager: string;
  beforeAll(async () => {
    bench = await FunctionBench.open();
    await bench.write(put.employee(1, { role: 'manager' }));
    manager = await bench.token('1', 'rag.write');
  });
  afterAll(() => bench?.close());

  const writeHeaders = (id: number) => ({
    'Fn-Call-Id': 'split',
    'Fn-Deadline': new Date(Date.now() + 30_000).toISOString(),
    'Fn-Http-Method': 'PUT',
    'Fn-Http-Request-Url': `/v1/tasks/${id}`,
    'Fn-Http-H-Authorization': `Bearer ${manager}`,
  });

  test.each([1, 2, 3])(
    'a character split after its byte %i between two reads of the socket arrives whole',
    async (n) => {
      await bench.functions.call('GET /v1/tasks/1', { served: 'ingest' });
      const body = Buffer.from('{"title":"Zażółć 🐟 gęślą"}');
      const cut = body.indexOf(Buffer.from('🐟')) + n;

      const reply = await bench.functions.callSocket('ingest', writeHeaders(n), [
        body.subarray(0, cut),
        body.subarray(cut),
      ]);

      expect(reply.status).toBe(202);
      const read = await bench.functions.call(`GET /v1/tasks/${n}`, { token: manager });
      expect(read.body.title).toBe('Zażółć 🐟 gęślą');
    },
  );

  const fish = '"question":"Where are the fish?"';
  test.each([
    ['bytes that are no UTF-8', Buffer.from([...Buffer.from('{"question":"'), 0xc3, 0x28, 0x22, 0x7d]), 400, /UTF-8/],
    ['UTF-8 cut off inside a character', Buffer.from('{"question":"é').subarray(0, -1), 400, /UTF-8/],
    ['nothing', '', 400, /empty/],
    ['blanks', ' \r\n\t', 400, /empty/],
    ['a missing colon', '{"question" "x"}', 400, /at character 12/],
    ['a comma too many', '{"question":"x",}', 400, /at character 16/],
    ['a bare word', '{"question": cat}', 400, /at character 13|"question": cat/],
    ['a text cut off', '{"question":', 400, /(at character 12|Unexpected end)/],
    ['an array', '[]', 422, /^body: .*object/],
    ['null', 'null', 422, /^body: .*object/],
    ['a number', '42', 422, /^body: .*object/],
    ['text in JSON', '"Where are the fish?"', 422, /^body: .*object/],
    ['no field', '{}', 422, /^question: /],
    ['a field of another type', '{"question":{"text":"x"}}', 422, /^question: .*string/],
    ['an unknown field', `{${fish},"language":"en"}`, 422, /^language: is not a field here$/],
    ['a blank question', '{"question":"   "}', 422, /^question: must not be blank/],
    [
      'a question too long',
      `{"question":"${'x'.repeat(4001)}"}`,
      422,
      /^question: is at most 4000 characters, got 4001$/,
    ],
    ['a NUL character', '{"question":"a\\u0000b"}', 422, /^question: .*NUL/],
    ['half a surrogate pair', '{"question":"a\\ud83d"}', 422, /^question: .*surrogate/],
    ['a limit exceeded', `{${fish},"topK":51}`, 422, /^topK: must be a whole number from 1 to 50$/],
    ['half a number', `{${fish},"topK":1.5}`, 422, /^topK: must be a whole number from 1 to 50$/],
  ])('is refused and told why: %s', async (_, body, status, detail) => {
    const reply = await bench.functions.call('POST /v1/ask', { token: manager, body });

    expectProblem(reply, status, status === 400 ? 'malformed_request' : 'invalid_input');
    expect(reply.body.detail).toMatch(detail);
  });

  test('every fault is listed with its field', async () => {
    const body = { title: ' ', status: 'finished', storyPoints: -1, colour: 'red' };

    const reply = await bench.functions.call('PUT /v1/tasks/1', { token: manager, body });

    expectProblem(reply, 422, 'invalid_input');
    const fields = (reply.body.errors as { field: string }[]).map((fault) => fault.field);
    expect(fields.sort()).toEqual(['colour', 'status', 'storyPoints', 'title']);
    expect(reply.body.detail).toMatch(/\(and 3 more\)$/);
  });

  test.each(['ask', 'ingest'] as const)('one byte beyond the limit is too much for %s', async (name) => {
    const route = name === 'ask' ? 'POST /v1/ask' : 'POST /v1/records';

    const reply = await bench.functions.call(route, { token: manager, body: Buffer.alloc(MAX_BODY_BYTES + 1, 0x20) });

    expectProblem(reply, 413, 'too_large');
    expect(reply.body.detail).toBe('The body is at most 6291456 bytes, got 6291457');
  });

  test('a bulk of exactly the limit is read to its last line', async () => {
    const lineOf = (id: number) => JSON.stringify(put.task(id, { description: 'é'.repeat(49_000) }));
    const lines = Array.from({ length: 60 }, (_, i) => lineOf(1000 + i));
    const start = Buffer.from(`${lines.join('\n')}\n`);
    const last = JSON.stringify(put.task(1999, { title: 'The last line' }));
    const padding = Buffer.alloc(MAX_BODY_BYTES - start.length - last.length, 0x20);

    const reply = await bench.functions.call('POST /v1/records', {
      token: manager,
      body: Buffer.concat([start, padding, Buffer.from(last)]),
    });

    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ accepted: 61, failed: 0 });
    const read = await bench.functions.call('GET /v1/tasks/1999', { token: manager });
    expect(read.body.title).toBe('The last line');
  });

  test('a bulk of exactly the limit in one line fails as that line', async () => {
    const reply = await bench.functions.call('POST /v1/records', {
      token: manager,
      body: Buffer.alloc(MAX_BODY_BYTES, 'x'),
    });

    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      accepted: 0,
      failed: 1,
      results: [{ line: 1, status: 400, error: { code: 'malformed_request' } }],
    });
  });

  test.each([
    ['GET /v1/tasks/%ff', 400, 'malformed_request'],
    ['GET /v1/tasks/%00', 404, 'not_found'],
    ['GET /v1/tasks/01', 404, 'not_found'],
    ['GET /v1/tasks/9007199254740992', 404, 'not_found'],
    ['GET /v1/sources/employee/1', 404, 'not_found'],
    ['DELETE /v1/tasks/0', 422, 'invalid_input'],
    ['DELETE /v1/tasks/1/comments/-1', 422, 'invalid_input'],
    ['GET /v1/tasks/', 404, 'not_found'],
    ['GET /v1/nothing', 404, 'not_found'],
    ['PATCH /v1/tasks/1', 405, 'method_not_allowed'],
  ])('a path that names nothing is a problem: %s', async (route, status, code) => {
    const reply = await bench.functions.call(route, { token: manager });

    expectProblem(reply, status, code);
  });

  test('a function refuses the routes of another', async () => {
    const reply = await bench.functions.call('POST /v1/ask', { token: manager, served: 'ingest', body: `{${fish}}` });

    expectProblem(reply, 404, 'not_found');
    expect(reply.body.detail).toMatch(/function ask$/);
  });
});
