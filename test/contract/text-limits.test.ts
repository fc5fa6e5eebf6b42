import { describe, expect, test } from 'vitest';
import { readSourceState } from '../../functions/ask/read.ts';
import { callerOf, indexedText, readChunks } from '../support/inspect.ts';
import { askAs, findSources } from '../support/questions.ts';
import { put } from '../support/records.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const ADMIN = callerOf(1, 'admin');
const MAX_ID = Number.MAX_SAFE_INTEGER;

/** Texts that storage, SQL, JSON or Unicode could break; `stored` where it is written in another form. */
const TEXTS: { what: string; text: string; stored?: string }[] = [
  { what: 'emoji and other characters of two units', text: 'Ship it 🚀👩‍👩‍👧‍👦 𝔘𝔫𝔦 🇲🇽' },
  { what: 'line ends of two kinds', text: 'one\r\ntwo\rthree\nfour', stored: 'one\ntwo\nthree\nfour' },
  { what: 'quotes', text: `it's "quoted" ''twice'' and \`back\` „low“ «guillemets»` },
  { what: 'a fragment of SQL', text: `'; DROP TABLE task; --` },
  { what: 'names that look like binds', text: ':id, :text and $1 at 12:30, a::text' },
  { what: 'backslashes', text: String.raw`C:\new\table \' \\ \u0000 \x00 %s %d` },
  { what: 'JSON', text: '{"role":"system","content":"[\\"x\\"]"}' },
  { what: 'writing from right to left', text: 'مرحبا بالعالم שלום עולם \u200f' },
  { what: 'accents that combine', text: 'cafe\u0301 n\u0303', stored: 'café ñ' },
  { what: 'control characters', text: 'tab\there\u0001\u001b[31m\u007f' },
  { what: 'separators of lines that are not line ends', text: 'a\u2028b\u2029c\u0085d\u00a0e' },
  { what: 'lines that pose as fields and first lines', text: '[TASK #2] Other\nAssignee: Eve\nComments:\n- x' },
];

const textOf = async (bench: Bench, type: string, id: number) =>
  (await readSourceState(bench.database, { caller: ADMIN, mayWrite: false, maxAttempts: 5 }, type, String(id))).text;

forEachDatabase('a text', (bench) => {
  describe('comes back to the letter, from the record and from the index', () => {
    test.each(TEXTS)('with $what', async ({ text, stored = text }) => {
      await bench.write(put.task(1, { title: 'A title', description: text }), put.comment(1, 1, text));
      await bench.drain();

      const expected = `[TASK #1] A title
Status: todo | Priority: medium | Sprint: none
Project: none
Assignee: unassigned
Due: -
Description: ${stored}
Comments:
- ${stored}`;
      expect(await textOf(bench, 'task', 1)).toBe(expected);
      expect(await indexedText(bench.database, 'task/1')).toBe(expected);
    });

    test.each(TEXTS)('in names, on one line, with $what', async ({ text, stored = text }) => {
      const folded = stored.replace(/[\s\u0085]+/gu, ' ').trim();
      await bench.write(
        put.employee(1, { firstName: text, lastName: text }),
        put.project(1, { name: text }),
        put.sprint(1, { name: text }),
        put.task(1, { title: text, assigneeId: 1, projectId: 1, sprintId: 1 }),
      );
      await bench.drain();

      expect(await textOf(bench, 'task', 1)).toBe(`[TASK #1] ${folded}
Status: todo | Priority: medium | Sprint: ${folded}
Project: ${folded}
Assignee: ${folded} ${folded}
Due: -
Description: -`);
    });

    test('in many records at once whose rights change while their text does not', async () => {
      const twins = { firstName: 'Ana', lastName: 'Ruiz' };
      const reassign = (assigneeId: number) =>
        bench.write(...TEXTS.map(({ text }, i) => put.task(i + 1, { title: text, assigneeId })));
      await bench.write(put.employee(1, twins), put.employee(2, twins));
      await reassign(1);
      await bench.drain();
      const before = await readChunks(bench.database);
      await reassign(2);
      const report = await bench.drain();

      expect(report).toMatchObject({ unchanged: TEXTS.length, embedded: 0 });
      expect(await readChunks(bench.database)).toEqual(before.map((chunk) => ({ ...chunk, owner_employee_id: 2 })));
    });

    test.each([
      { of: 'words', text: 'a word and another. '.repeat(5000).trim() },
      { of: 'one line without blanks', text: 'x'.repeat(100_000) },
      { of: 'emoji', text: '👩‍🚀🚀'.repeat(14_285) },
    ])('at the limit of 100,000 characters, of $of', async ({ text }) => {
      await bench.write(put.task(1, { description: text }));
      await bench.drain();

      // Compared as booleans: nobody reads a difference of this length.
      const fromRecord = await textOf(bench, 'task', 1);
      expect(fromRecord?.endsWith(`\nDescription: ${text}`)).toBe(true);
      expect((await indexedText(bench.database, 'task/1')) === fromRecord).toBe(true);
    });

    test.each([1, MAX_ID])('under the id %d', async (id) => {
      await bench.write(
        put.employee(id),
        put.project(id),
        put.sprint(id, { projectId: id }),
        put.task(id, { assigneeId: id, projectId: id, sprintId: id }),
        put.comment(id, id, 'A comment'),
      );
      await bench.drain();

      expect(await textOf(bench, 'task', id)).toContain(`[TASK #${id}] Task ${id}\n`);
      expect(await textOf(bench, 'task', id)).toContain(`Assignee: First Last${id}\n`);
      expect(await findSources(bench, { caller: callerOf(id) }, 'task')).toEqual(
        expect.arrayContaining([`task/${id}`, `sprint/${id}`, `project/${id}`]),
      );
    });
  });

  test.each([
    { field: 'a title', write: put.task(1, { title: 'x'.repeat(500) }) },
    { field: 'a project’s name', write: put.project(1, { name: '\u00f1'.repeat(300) }) },
    { field: 'a sprint’s name', write: put.sprint(1, { name: '漢'.repeat(300) }) },
    { field: 'a sprint’s goal', write: put.sprint(1, { goal: '漢'.repeat(20_000) }) },
    {
      field: 'a person’s names and subject',
      write: put.employee(1, { firstName: '漢'.repeat(200), lastName: '漢'.repeat(200), subject: '漢'.repeat(255) }),
    },
  ])('$field of the greatest length is stored and indexed', async ({ write }) => {
    await bench.write(write);

    expect(await bench.drain()).toMatchObject({ failed: 0, parked: 0 });
  });

  test.each([...TEXTS, { what: 'the greatest length', text: '漢'.repeat(4000) }])(
    'is asked and searched for with $what',
    async ({ text }) => {
      await bench.write(put.project(1, { name: 'Payments' }), put.task(1, { title: 'Ledger' }));
      await bench.drain();

      const answer = await askAs(bench, { caller: ADMIN }, text);
      const [logged] = await bench.database.transaction('system', (tx) =>
        tx.rows<{ question: string; outcome: string }>(
          'SELECT question, outcome FROM rag_log ORDER BY log_id DESC FETCH FIRST 1 ROW ONLY',
        ),
      );

      expect(logged).toEqual({ question: text, outcome: answer.outcome });
      expect((await findSources(bench, { caller: ADMIN }, text)).sort()).toEqual(['project/1', 'task/1']);
    },
  );
});
