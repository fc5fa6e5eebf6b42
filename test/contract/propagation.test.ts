import { describe, expect, test } from 'vitest';
import { InvalidInput, NotFound } from '../../functions/core/errors.ts';
import { projectInput } from '../../functions/core/kinds/project.ts';
import type { Change } from '../../functions/ingest/ingest.ts';
import { putProject } from '../../functions/store/projects.ts';
import { indexedText, readChunks, readQueueRows, waitingSources } from '../support/inspect.ts';
import { put, remove, removeComment } from '../support/records.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const PERSON = { firstName: 'Ana', lastName: 'Ruiz' };
const PROJECT = { name: 'Payments' };
const SPRINT = { name: 'Alpha', projectId: 1 };
const TASK = { title: 'Ledger', assigneeId: 1, projectId: 1, sprintId: 1 };

/** One of each that refer to each other, and one of each beside them; indexed. */
async function fill(bench: Bench): Promise<void> {
  await bench.write(
    put.employee(1, PERSON),
    put.employee(2),
    put.project(1, PROJECT),
    put.project(2),
    put.sprint(1, SPRINT),
    put.sprint(2, { projectId: 2 }),
    put.task(1, TASK),
    put.task(2, { assigneeId: 2, projectId: 2, sprintId: 2 }),
    put.task(3),
    put.task(4, { assigneeId: 1 }),
  );
  await bench.drain();
}

/** In a transaction, since rows by themselves come without long texts. */
const tableOf = (bench: Bench, table: string) =>
  bench.database.transaction('system', (tx) => tx.rows(`SELECT * FROM ${table} ORDER BY 1`));

forEachDatabase('what changes a chunk', (bench) => {
  describe('a new name', () => {
    test.each([
      {
        of: 'a person',
        change: put.employee(1, { ...PERSON, lastName: 'Soto' }),
        waiting: ['task/1', 'task/4'],
        gone: 'Ruiz',
        shown: 'Assignee: Ana Soto',
      },
      {
        of: 'a sprint',
        change: put.sprint(1, { ...SPRINT, name: 'Omega' }),
        waiting: ['sprint/1', 'task/1'],
        gone: 'Alpha',
        shown: 'Omega',
      },
      {
        of: 'a project',
        change: put.project(1, { name: 'Invoices' }),
        waiting: ['project/1', 'sprint/1', 'task/1'],
        gone: 'Payments',
        shown: 'Invoices',
      },
    ])('of $of re-indexes all that shows it, and nothing else', async ({ change, waiting, gone, shown }) => {
      await fill(bench);
      await bench.write(change);
      const queued = await waitingSources(bench.database);
      await bench.drain();

      expect(queued).toEqual(waiting);
      const chunks = await readChunks(bench.database);
      expect(chunks.filter((chunk) => chunk.content.includes(gone))).toEqual([]);
      expect(chunks.filter((chunk) => chunk.content.includes(shown)).map((chunk) => chunk.source)).toEqual(waiting);
    });

    test.each<{ of: string; change: Change; waiting: string[] }>([
      { of: 'person', change: put.employee(1, { ...PERSON, role: 'admin', subject: 'ana' }), waiting: [] },
      { of: 'sprint', change: put.sprint(1, { ...SPRINT, goal: 'Ship', status: 'active' }), waiting: ['sprint/1'] },
      { of: 'project', change: put.project(1, { ...PROJECT, description: 'Money' }), waiting: ['project/1'] },
    ])('that is the old one re-indexes nothing that refers to the $of', async ({ change, waiting }) => {
      await fill(bench);
      await bench.write(change);

      expect(await waitingSources(bench.database)).toEqual(waiting);
    });
  });

  describe('a deletion', () => {
    test.each([
      {
        of: 'a person',
        change: remove('employee', 1),
        waiting: ['task/1', 'task/4'],
        texts: { 'task/1': 'Assignee: unassigned', 'task/4': 'Assignee: unassigned' },
        gone: null,
      },
      {
        of: 'a sprint',
        change: remove('sprint', 1),
        waiting: ['sprint/1', 'task/1'],
        texts: { 'task/1': '| Sprint: none' },
        gone: 'sprint/1',
      },
      {
        of: 'a project',
        change: remove('project', 1),
        waiting: ['project/1', 'sprint/1', 'task/1'],
        texts: { 'task/1': 'Project: none', 'sprint/1': 'Project: none' },
        gone: 'project/1',
      },
    ])('of $of lets go of what refers to it, and re-indexes that', async ({ change, waiting, texts, gone }) => {
      await fill(bench);
      await bench.write(change);
      const queued = await waitingSources(bench.database);
      await bench.drain();

      expect(queued).toEqual(waiting);
      for (const [source, text] of Object.entries(texts))
        expect(await indexedText(bench.database, source)).toContain(text);
      if (gone !== null) expect(await readChunks(bench.database, gone)).toEqual([]);
    });

    test('of a person takes away that person’s right to the tasks', async () => {
      await fill(bench);
      await bench.write(remove('employee', 1));
      await bench.drain();

      expect(await readChunks(bench.database, 'task/1')).toMatchObject([
        { owner_employee_id: null, audience: 'owner' },
      ]);
    });

    test('of a task takes its comments along', async () => {
      await bench.write(put.task(1), put.comment(1, 1, 'A comment'));
      await bench.drain();
      await bench.write(remove('task', 1));
      await bench.drain();

      expect(await readChunks(bench.database)).toEqual([]);
      expect(await tableOf(bench, 'task_comment')).toEqual([]);
    });

    test.each(['employee', 'project', 'sprint', 'task'] as const)(
      'of no %s is refused, and leaves no trace',
      async (type) => {
        await expect(bench.write(remove(type, 1))).rejects.toThrow(NotFound);
        expect(await readQueueRows(bench.database)).toEqual([]);
      },
    );
  });

  describe('a comment', () => {
    test('re-indexes its task when it is written, changed and deleted; comments stand in the order of their ids', async () => {
      const texts: string[] = [];
      await bench.write(put.task(1, { title: 'Ledger' }));
      for (const change of [
        put.comment(1, 20, 'Second'),
        put.comment(1, 3, 'First'),
        put.comment(1, 20, 'Changed'),
        removeComment(1, 3),
        removeComment(1, 20),
      ]) {
        await bench.write(change);
        await bench.drain();
        const text = await indexedText(bench.database, 'task/1');
        texts.push(text.slice(text.indexOf('Description: -')));
      }

      expect(texts).toEqual([
        'Description: -\nComments:\n- Second',
        'Description: -\nComments:\n- First\n- Second',
        'Description: -\nComments:\n- First\n- Changed',
        'Description: -\nComments:\n- Changed',
        'Description: -',
      ]);
    });

    test.each([
      { on: 'no task', change: put.comment(9, 1, 'Lost') },
      { on: 'no task', change: removeComment(9, 1) },
      { on: 'a task without it', change: removeComment(1, 1) },
    ])('on $on is refused ($change.op), and leaves no trace', async ({ change }) => {
      await bench.write(put.task(1));
      await bench.drain();

      await expect(bench.write(change)).rejects.toThrow(NotFound);
      expect(await readQueueRows(bench.database)).toEqual([]);
      expect(await tableOf(bench, 'task_comment')).toEqual([]);
    });
  });

  describe('a write that is rolled back', () => {
    test.each([
      { of: 'task', change: put.task(1, { title: 'New', assigneeId: 7 }), field: 'assigneeId', what: 'employee' },
      { of: 'task', change: put.task(1, { title: 'New', projectId: 7 }), field: 'projectId', what: 'project' },
      { of: 'task', change: put.task(1, { title: 'New', sprintId: 7 }), field: 'sprintId', what: 'sprint' },
      { of: 'sprint', change: put.sprint(1, { name: 'New', projectId: 7 }), field: 'projectId', what: 'project' },
    ])('since a $of names no stored $what: neither record nor queue row', async ({ of, change, field, what }) => {
      const refused = await bench.write(change).catch((error: unknown) => error);
      const whenNew = [await tableOf(bench, of), await readQueueRows(bench.database)];
      await fill(bench);
      const before = await tableOf(bench, of);
      await expect(bench.write(change)).rejects.toThrow(InvalidInput);

      expect(refused).toBeInstanceOf(InvalidInput);
      expect(refused).toMatchObject({ faults: [{ field, fault: `there is no ${what} 7` }] });
      expect(whenNew).toEqual([[], []]);
      expect(await tableOf(bench, of)).toEqual(before);
      expect(await readQueueRows(bench.database)).toEqual([]);
    });

    test('after the record and all that shows it were enqueued: nothing of it is left', async () => {
      await fill(bench);
      const before = await tableOf(bench, 'project');
      const write = bench.database.transaction('system', async (tx) => {
        await putProject(tx, 1, projectInput.parse({ name: 'Invoices' }));
        throw new Error('the connection broke');
      });

      await expect(write).rejects.toThrow('the connection broke');
      expect(await tableOf(bench, 'project')).toEqual(before);
      expect(await readQueueRows(bench.database)).toEqual([]);
    });
  });

  test('two people cannot have one subject: the second is refused, and the first stays', async () => {
    await bench.write(put.employee(1, { subject: 'ana' }));
    const before = await tableOf(bench, 'employee');

    await expect(bench.write(put.employee(2, { subject: 'ana' }))).rejects.toThrow(
      'subject: ana already names another employee',
    );
    expect(await tableOf(bench, 'employee')).toEqual(before);
  });
});
