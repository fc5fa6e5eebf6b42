import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { routes } from '../../functions/routes.ts';
import { expectProblem, FunctionBench, type Reply } from '../support/functions.ts';
import { callerOf } from '../support/inspect.ts';
import { put } from '../support/records.ts';

/** Every kind of caller, with the token each sends. */
const CALLERS = {
  'nobody, without a token': null,
  'a valid token of no employee': { subject: 'visitor' },
  'a writing token of no employee': { subject: 'importer', scope: 'rag.write' },
  'a developer': { subject: '2' },
  'a developer with a writing token': { subject: '2', scope: 'rag.write' },
  'a manager': { subject: '1' },
  'an admin': { subject: '3' },
} as const;
type CallerName = keyof typeof CALLERS;

/** The statuses by caller, in the order above. */
const PUBLIC = [200, 200, 200, 200, 200, 200, 200];
const PEOPLE = [401, 403, 403, 200, 200, 200, 200];
const WRITERS = [401, 403, 202, 403, 202, 403, 202];
const BULK = [401, 403, 200, 403, 200, 403, 200];
const STATE = [401, 403, 200, 200, 200, 200, 200];
const MANAGERS = [401, 403, 403, 403, 403, 200, 200];
const ADMINS = [401, 403, 403, 403, 403, 403, 202];
/** What a developer may not see is not there for a developer. */
const NOT_FOR_DEVELOPERS = [401, 403, 403, 404, 404, 200, 200];
const STATE_NOT_FOR_DEVELOPERS = [401, 403, 200, 404, 200, 200, 200];

/** The parameters of a diagnostic. */
const OUTPUT = 'environmentId=PROD&erpModule=GL&erpVersion=12.2.9&sourceScript=alert.sh';

/** Each route, called on what exists: task 10, employee 2 and the question of-2 are the developer's own, the others not. */
const TABLE: [route: string, statuses: number[], body?: object | string][] = [
  ['PUT /v1/employees/90', WRITERS, { firstName: 'Ana', lastName: 'Ruiz', role: 'developer' }],
  ['GET /v1/employees/2', PEOPLE],
  ['GET /v1/employees/1', NOT_FOR_DEVELOPERS],
  ['DELETE /v1/employees/90', WRITERS],
  ['PUT /v1/projects/90', WRITERS, { name: 'Fish' }],
  ['GET /v1/projects/90', PEOPLE],
  ['DELETE /v1/projects/90', WRITERS],
  ['PUT /v1/sprints/90', WRITERS, { name: 'Fish 1' }],
  ['GET /v1/sprints/90', PEOPLE],
  ['DELETE /v1/sprints/90', WRITERS],
  ['PUT /v1/tasks/90', WRITERS, { title: 'Feed the fish' }],
  ['GET /v1/tasks/10', PEOPLE],
  ['GET /v1/tasks/20', NOT_FOR_DEVELOPERS],
  ['DELETE /v1/tasks/90', WRITERS],
  ['PUT /v1/tasks/90/comments/1', WRITERS, { text: 'Twice a day' }],
  ['DELETE /v1/tasks/90/comments/1', WRITERS],
  ['POST /v1/records', BULK, JSON.stringify(put.task(90))],
  ['PUT /v1/documents/fish/90.txt', WRITERS, 'Feed the fish'],
  ['GET /v1/documents/fish/90.txt', STATE],
  ['GET /v1/documents/fish/managers.txt', STATE_NOT_FOR_DEVELOPERS],
  ['GET /v1/documents?prefix=fish/', STATE],
  ['DELETE /v1/documents/fish/90.txt', WRITERS],
  [`PUT /v1/diagnostics/fish-90?${OUTPUT}`, WRITERS, 'ORA-00060'],
  ['GET /v1/diagnostics/fish-90', STATE],
  ['GET /v1/diagnostics/fish-managers', STATE_NOT_FOR_DEVELOPERS],
  ['GET /v1/diagnostics', STATE],
  ['PUT /v1/diagnostics/fish-90/resolution', WRITERS, { resolution: 'Feed it' }],
  ['DELETE /v1/diagnostics/fish-90/resolution', WRITERS],
  ['DELETE /v1/diagnostics/fish-90', WRITERS],
  ['POST /v1/reindex', BULK, { type: 'document', prefix: 'fish/' }],
  ['POST /v1/reconcile', BULK],
  ['POST /v1/ask', PEOPLE, { question: 'Who feeds the fish?' }],
  ['POST /v1/search', PEOPLE, { question: 'Who feeds the fish?' }],
  ['GET /v1/sources/task/10', STATE],
  ['GET /v1/sources/task/20', STATE_NOT_FOR_DEVELOPERS],
  ['GET /v1/sources/project/90', STATE],
  ['GET /v1/sources/sprint/90', STATE],
  ['GET /v1/status', PEOPLE],
  ['GET /v1/questions/of-2', PEOPLE],
  ['GET /v1/questions/of-1', NOT_FOR_DEVELOPERS],
  ['GET /v1/gaps', MANAGERS],
  ['POST /v1/queue/requeue', ADMINS],
  ['GET /openapi.json', PUBLIC],
];
const RECORDS_90 = [put.employee(90), put.project(90), put.sprint(90), put.task(90), put.comment(90, 1, 'x')];
/** Routes of files, with the file that each of them is called on. */
const FILES_90: [route: string, body: string][] = [
  ['PUT /v1/documents/fish/90.txt', 'Feed the fish'],
  ['PUT /v1/documents/fish/managers.txt?audience=managers', 'Sell the fish'],
  [`PUT /v1/diagnostics/fish-90?${OUTPUT}&resolution=Feed`, 'ORA-00060'],
  [`PUT /v1/diagnostics/fish-managers?${OUTPUT}&audience=managers`, 'ORA-00060'],
];
const CODES: Record<number, string> = { 401: 'unauthenticated', 403: 'forbidden', 404: 'not_found' };

let bench: FunctionBench;
beforeAll(async () => {
  bench = await FunctionBench.open();
  await bench.write(
    put.employee(1, { role: 'manager' }),
    put.employee(2),
    put.employee(3, { role: 'admin' }),
    put.task(10, { title: 'Repair the coffee machine', assigneeId: 2 }),
    put.task(20, { title: 'Raise the salary of Ada', assigneeId: 1 }),
    put.task(21, { title: 'Sell the building' }),
  );
  await bench.functions.invoke('drain');
  for (const employeeId of [1, 2]) {
    await bench.database.execute(
      callerOf(employeeId),
      `INSERT INTO rag_log (call_id, employee_id, outcome, retrieved, cited, timings)
       VALUES (:call_id, :employee_id, 'failed', '[]', '[]', '{}')`,
      { call_id: `of-${employeeId}`, employee_id: employeeId },
    );
  }
});
afterAll(() => bench?.close());

async function callAs(caller: CallerName, route: string, body: object | string = ''): Promise<Reply> {
  const who: { subject: string; scope?: string } | null = CALLERS[caller];
  const token = who === null ? {} : { token: await bench.token(who.subject, who.scope) };
  return bench.functions.call(route, { ...token, body });
}

async function writeFiles(): Promise<void> {
  for (const [route, body] of FILES_90) await callAs('a developer with a writing token', route, body);
}

describe('who may call what', () => {
  test('the table below has every route', () => {
    const pattern = (path: string) =>
      new RegExp(`^${path.replace(/\{\w+\*\}/g, '.+').replace(/\{\w+\}/g, '[^/?]+')}(\\?|$)`);

    const missing = routes.filter(
      ({ method, path }) => !TABLE.some(([route]) => pattern(`${method} ${path}`).test(route)),
    );

    expect(missing).toEqual([]);
  });

  describe.each(TABLE)('%s', (route, statuses, body) => {
    test.each(Object.keys(CALLERS).map((caller, i) => [statuses[i] ?? 0, caller as CallerName] as const))(
      'is %i for %s',
      async (status, caller) => {
        if (/\/v1\/(documents|diagnostics)/.test(route)) await writeFiles();
        else if (route.includes('90')) await bench.write(...RECORDS_90);

        const reply = await callAs(caller, route, body);

        const code = CODES[status];
        if (code === undefined) expect(reply.status).toBe(status);
        else expectProblem(reply, status, code);
      },
    );
  });
});

describe('what may not be seen', () => {
  /** The reply with everything taken out that names the call or the id. */
  const anonymous = ({ status, headers, body }: Reply, id: string) => ({
    status,
    headers,
    body: JSON.parse(JSON.stringify({ ...body, callId: '' }).replaceAll(id, 'ID')),
  });

  test.each([
    ['GET /v1/tasks/', '20', '987'],
    ['GET /v1/tasks/', '21', '987'],
    ['GET /v1/sources/task/', '20', '987'],
    ['GET /v1/sources/task/', '21', '987'],
    ['GET /v1/employees/', '1', '987'],
    ['GET /v1/questions/', 'of-1', 'of-9'],
    ['GET /v1/documents/', 'fish/managers.txt', 'fish/nobody.txt'],
    ['GET /v1/diagnostics/', 'fish-managers', 'fish-nobody'],
    ['GET /v1/sources/diagnostic/', 'fish-managers', 'fish-nobody'],
  ])('looks like what does not exist: %s%s', async (route, hidden, absent) => {
    const [forbidden, missing] = [
      await callAs('a developer', `${route}${hidden}`),
      await callAs('a developer', `${route}${absent}`),
    ];

    expectProblem(forbidden, 404, 'not_found');
    expect(anonymous(forbidden, hidden)).toEqual(anonymous(missing, absent));
  });

  test('looks like what does not exist after it was deleted too', async () => {
    await bench.write(put.task(22, { assigneeId: 1 }));
    await bench.functions.invoke('drain');
    await bench.write({ op: 'delete', type: 'task', id: 22 });
    await bench.functions.invoke('drain');

    const asDeveloper = await callAs('a developer', 'GET /v1/sources/task/22');
    const asManager = await callAs('a manager', 'GET /v1/sources/task/22');

    expectProblem(asDeveloper, 404, 'not_found');
    expect(asManager.body).toMatchObject({ state: 'deleted', chunkCount: 0, text: null });
  });

  test('is counted out of what a developer is told of the index', async () => {
    const [developer, manager] = [
      await callAs('a developer', 'GET /v1/status'),
      await callAs('a manager', 'GET /v1/status'),
    ];

    expect(Number(developer.body.chunks)).toBeLessThan(Number(manager.body.chunks));
  });
});

describe('a writing token of no employee', () => {
  const caller = 'a writing token of no employee';
  beforeEach(() => bench.write(put.task(30, { title: 'Paint the fence', description: 'In green.' })));

  test('sees how far a source is, without its text', async () => {
    await bench.functions.invoke('drain');

    const reply = await callAs(caller, 'GET /v1/sources/task/30');

    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ state: 'ready', chunkCount: 1, waiting: 0, text: null });
    expect(JSON.stringify(reply.body)).not.toMatch(/fence|green/);
  });

  test('is told where to follow what it wrote', async () => {
    const written = await callAs(caller, 'PUT /v1/tasks/31', { title: 'Paint the door' });

    expect(written.status).toBe(202);
    expect(written.headers.location).toBe('/v1/sources/task/31');
    expect(written.body).toEqual({ status: 'accepted', links: { state: '/v1/sources/task/31' } });
    const followed = await callAs(caller, `GET ${written.headers.location}`);
    expect(followed.body).toMatchObject({ state: 'queued', generation: 0, text: null });
  });

  test('may not read records, nor ask', async () => {
    const replies = [
      await callAs(caller, 'GET /v1/tasks/30'),
      await callAs(caller, 'POST /v1/ask', { question: 'Which colour has the fence?' }),
      await callAs(caller, 'POST /v1/search', { question: 'Which colour has the fence?' }),
    ];

    for (const reply of replies) expectProblem(reply, 403, 'forbidden');
  });
});
