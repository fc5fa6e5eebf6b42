import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem, FunctionBench } from '../support/functions.ts';
import { put } from '../support/records.ts';

let bench: FunctionBench;
let importer: string;
let manager: string;
beforeAll(async () => {
  bench = await FunctionBench.open();
  await bench.write(put.employee(1, { role: 'manager' }));
  importer = await bench.token('importer', 'rag.write');
  manager = await bench.token('1');
});
afterAll(() => bench?.close());

interface LineResult {
  line: number;
  status: number;
  state?: string;
  error?: { code: string; detail: string; errors?: { field: string; fault: string }[] };
}

async function send(...lines: (string | object | Buffer)[]): Promise<{ status: number; results: LineResult[] }> {
  const bytes = lines.map((line) =>
    Buffer.isBuffer(line) ? line : Buffer.from(typeof line === 'string' ? line : JSON.stringify(line)),
  );
  const body = Buffer.concat(bytes.flatMap((line, i) => (i === 0 ? [line] : [Buffer.from('\n'), line])));
  const reply = await bench.functions.call('POST /v1/records', { token: importer, body });
  const { accepted, failed, results } = reply.body as { accepted: number; failed: number; results: LineResult[] };
  expect([accepted, failed]).toEqual([
    results.filter((result) => result.status === 202).length,
    results.filter((result) => result.status !== 202).length,
  ]);
  return { status: reply.status, results };
}

const title = async (id: number) => {
  const { status, body } = await bench.functions.call(`GET /v1/tasks/${id}`, { token: manager });
  return status === 200 ? body.title : null;
};

describe('many records in one body', () => {
  test('puts, deletes and comments are written in their order, each with its own result', async () => {
    const { status, results } = await send(
      { type: 'project', id: 1, data: { name: 'Fish' } },
      { type: 'task', id: 1, data: { title: 'First', projectId: 1 } },
      { op: 'put', type: 'comment', taskId: 1, id: 7, data: { text: 'Twice a day' } },
      { type: 'task', id: 1, data: { title: 'Second', projectId: 1 } },
      { type: 'task', id: 2, data: { title: 'Short-lived' } },
      { op: 'delete', type: 'task', id: 2 },
      { type: 'employee', id: 8, data: { firstName: 'Ana', lastName: 'Ruiz', role: 'developer' } },
    );

    expect(status).toBe(200);
    expect(results).toEqual([
      { line: 1, status: 202, state: '/v1/sources/project/1' },
      { line: 2, status: 202, state: '/v1/sources/task/1' },
      { line: 3, status: 202, state: '/v1/sources/task/1' },
      { line: 4, status: 202, state: '/v1/sources/task/1' },
      { line: 5, status: 202, state: '/v1/sources/task/2' },
      { line: 6, status: 202, state: '/v1/sources/task/2' },
      { line: 7, status: 202, state: '/v1/employees/8' },
    ]);
    expect([await title(1), await title(2)]).toEqual(['Second', null]);
    await bench.functions.invoke('drain');
    const { body } = await bench.functions.call('GET /v1/sources/task/1', { token: manager });
    expect(body.text).toMatch(/^\[TASK #1\] Second\n.*Project: Fish\n.*Comments:\n- Twice a day$/s);
  });

  let nextId = 1000;
  const good = (id: number) => ({ type: 'task', id, data: { title: `Task ${id}` } });
  test.each<[string, string | object | Buffer, number, string, RegExp]>([
    ['not JSON', 'title: x', 400, 'malformed_request', /not valid JSON \(.+\)/],
    ['JSON cut off', '{"type":"task"', 400, 'malformed_request', /not valid JSON \(.+\)/],
    ['two objects', '{"type":"task"}{"type":"task"}', 400, 'malformed_request', /at character 15/],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), 400, 'malformed_request', /UTF-8/],
    ['a list', '[]', 422, 'invalid_input', /^body: .*object/],
    ['null', 'null', 422, 'invalid_input', /^body: .*object/],
    ['no type', { id: 1, data: { title: 'x' } }, 422, 'invalid_input', /^type: must be one of employee, .*comment$/],
    [
      'an unknown type',
      { type: 'invoice', id: 1, data: {} },
      422,
      'invalid_input',
      /^type: must be one of employee, .*comment$/,
    ],
    [
      'an unknown operation',
      { op: 'patch', type: 'task', id: 1, data: {} },
      422,
      'invalid_input',
      /^op: .*put.*delete/,
    ],
    ['no id', { type: 'task', data: { title: 'x' } }, 422, 'invalid_input', /^id: .*from 1 to/],
    ['an id as text', { type: 'task', id: '1', data: { title: 'x' } }, 422, 'invalid_input', /^id: .*from 1 to/],
    ['an id too large', '{"type":"task","id":9007199254740993,"data":{"title":"x"}}', 422, 'invalid_input', /^id: /],
    ['no data', { type: 'task', id: 1 }, 422, 'invalid_input', /^data: must be an object/],
    ['data that is a list', { type: 'task', id: 1, data: [] }, 422, 'invalid_input', /^data: must be an object/],
    ['data for a delete', { op: 'delete', type: 'task', id: 1, data: {} }, 422, 'invalid_input', /^data: .*delete/],
    ['a field missing', { type: 'task', id: 1, data: {} }, 422, 'invalid_input', /^data\.title: /],
    [
      'a bad field',
      { type: 'task', id: 1, data: { title: 'x', status: 'open' } },
      422,
      'invalid_input',
      /^data\.status: .*blocked/,
    ],
    [
      'an unknown field',
      { type: 'task', id: 1, data: { title: 'x', owner: 3 } },
      422,
      'invalid_input',
      /^data\.owner: is not/,
    ],
    ['a field beside data', { type: 'task', id: 1, title: 'x' }, 422, 'invalid_input', /^title: is not a field here/],
    [
      'an unknown person',
      { type: 'task', id: 1, data: { title: 'x', assigneeId: 77 } },
      422,
      'invalid_input',
      /^(data\.)?assigneeId: there is no employee 77/,
    ],
    [
      'an unknown project',
      { type: 'sprint', id: 1, data: { name: 'x', projectId: 77 } },
      422,
      'invalid_input',
      /^(data\.)?projectId: there is no project 77/,
    ],
    [
      'a comment on nothing',
      { type: 'comment', taskId: 777, id: 1, data: { text: 'x' } },
      404,
      'not_found',
      /no task 777/,
    ],
    ['a comment on no task', { type: 'comment', id: 1, data: { text: 'x' } }, 422, 'invalid_input', /^taskId: /],
    ['a delete of nothing', { op: 'delete', type: 'sprint', id: 777 }, 404, 'not_found', /no sprint 777/],
    [
      'another’s subject',
      { type: 'employee', id: 9, data: { firstName: 'A', lastName: 'B', role: 'admin', subject: '1' } },
      409,
      'conflict',
      /^subject: 1 /,
    ],
  ])('a line that is %s fails alone and is told why', async (_, bad, status, code, detail) => {
    const before = nextId;
    nextId += 2;

    const sent = await send(good(before), bad, good(before + 1));

    expect(sent.status).toBe(200);
    expect(sent.results.map((result) => [result.line, result.status])).toEqual([
      [1, 202],
      [2, status],
      [3, 202],
    ]);
    const error = sent.results[1]?.error;
    expect(error?.code).toBe(code);
    expect(error?.detail).toMatch(detail);
    expect([await title(before), await title(before + 1)]).toEqual([`Task ${before}`, `Task ${before + 1}`]);
  });

  test('lines keep their numbers where others are blank, end in CR LF or begin with a byte order mark', async () => {
    const { results } = await send(
      `\ufeff${JSON.stringify(good(50))}\r`,
      '',
      '  \t',
      `${JSON.stringify(good(51))}\r`,
      'x',
      '',
    );

    expect(results.map(({ line, status }) => [line, status])).toEqual([
      [1, 202],
      [4, 202],
      [5, 400],
    ]);
  });

  test('blank lines alone are nothing to write', async () => {
    expect((await send('', ' ', '')).results).toEqual([]);
  });

  test('many refused lines do not hold up another call', async () => {
    const order: string[] = [];
    const flood = bench.functions
      .call('POST /v1/records', { token: importer, body: '1\n'.repeat(40_000) })
      .then(() => order.push('flood'));
    await new Promise((later) => setTimeout(later, 150));
    const single = await bench.functions.call('DELETE /v1/tasks/987654', { token: importer });
    order.push('single');
    await flood;

    expect(single.status).toBe(404);
    expect(order).toEqual(['single', 'flood']);
  });

  test('more lines than an answer has room for are refused together', async () => {
    const reply = await bench.functions.call('POST /v1/records', { token: importer, body: '1\n'.repeat(50_001) });

    expectProblem(reply, 413, 'too_large');
  });

  test('a line with very many faults is told of some, and of their number', async () => {
    const data = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field${i}`.repeat(40), 1]));

    const { results } = await send({ type: 'task', id: 1, data: { title: 'x', ...data } });

    expect(results[0]?.error?.errors).toHaveLength(20);
    expect(results[0]?.error?.detail).toContain('and 499 more');
    expect(JSON.stringify(results).length).toBeLessThan(5000);
  });

  test('no body at all is refused', async () => {
    const reply = await bench.functions.call('POST /v1/records', { token: importer });

    expectProblem(reply, 400, 'malformed_request');
  });

  test('a refused line leaves nothing in the queue', async () => {
    await bench.functions.invoke('drain');

    await send(
      { type: 'task', id: 60, data: { title: 'x', assigneeId: 77 } },
      { type: 'comment', taskId: 777, id: 1, data: { text: 'x' } },
    );

    expect(await bench.rows('SELECT source_id FROM rag_dirty')).toEqual([]);
    expect(await title(60)).toBeNull();
  });
});
