import { expect, test } from 'vitest';
import { employeeInput } from '../../functions/core/kinds/employee.ts';
import { projectInput } from '../../functions/core/kinds/project.ts';
import { sprintInput } from '../../functions/core/kinds/sprint.ts';
import { applyChange } from '../../functions/ingest/ingest.ts';
import type { Transaction } from '../../functions/ports/database.ts';
import { putEmployee } from '../../functions/store/employees.ts';
import { putProject } from '../../functions/store/projects.ts';
import { putSprint } from '../../functions/store/sprints.ts';
import { indexedText, readChunks } from '../support/inspect.ts';
import { put } from '../support/records.ts';
import { forEachDatabase } from './databases.ts';

forEachDatabase('writers at the same time', (bench) => {
  test('a task never shows an old name of what is renamed while it is written', async () => {
    await bench.write(put.employee(1, { firstName: 'Name', lastName: '0' }), put.sprint(1, { name: 'Sprint 0' }));
    const other = bench.anotherPool();
    const drainer = bench.anotherPool();
    const stale: string[] = [];
    for (let round = 1; round <= 30; round++) {
      // The task takes the person and the sprint in one round, and lets go of them in the next.
      const refers = round % 2 === 1;
      const task = put.task(1, refers ? { assigneeId: 1, sprintId: 1 } : {});
      await Promise.all([
        bench.write(task),
        applyChange(other, put.employee(1, { firstName: 'Name', lastName: String(round) })),
        applyChange(other, put.sprint(1, { name: `Sprint ${round}` })),
        bench.drain({}, { database: drainer }),
      ]);
      await bench.drain();

      const text = await indexedText(bench.database, 'task/1');
      const assignee = `Assignee: ${refers ? `Name ${round}` : 'unassigned'}\n`;
      const sprint = `Sprint: ${refers ? `Sprint ${round}` : 'none'}\n`;
      if (!text.includes(assignee) || !text.includes(sprint)) stale.push(text);
    }

    expect(stale).toEqual([]);
  });

  test.runIf(bench.concurrent).each([
    {
      of: 'a person',
      rename: (tx: Transaction) =>
        putEmployee(tx, 1, employeeInput.parse({ firstName: 'New', lastName: 'Name', role: 'admin' })),
      task: { assigneeId: 1 },
    },
    {
      of: 'a sprint',
      rename: (tx: Transaction) => putSprint(tx, 1, sprintInput.parse({ name: 'New Name' })),
      task: { sprintId: 1 },
    },
    {
      of: 'a project',
      rename: (tx: Transaction) => putProject(tx, 1, projectInput.parse({ name: 'New Name' })),
      task: { projectId: 1 },
    },
  ])(
    'a task that takes $of whose rename is not committed yet shows the new name in the end',
    async ({ rename, task }) => {
      await bench.write(put.employee(1), put.sprint(1), put.project(1), put.task(1));
      await bench.drain();
      const other = bench.anotherPool();

      let write: Promise<unknown> = Promise.resolve();
      await bench.database.transaction('system', async (tx) => {
        await rename(tx);
        // A write that does not wait for the rename is indexed within this time, with the old name.
        write = applyChange(other, put.task(1, task)).then(() => bench.drain({}, { database: other }));
        await Promise.race([write, new Promise((resolve) => setTimeout(resolve, 300))]);
      });
      await write;
      await bench.drain();

      expect(await indexedText(bench.database, 'task/1')).toContain('New Name');
    },
  );

  test('two writers who make one record at the same moment both succeed', async () => {
    const other = bench.anotherPool();
    for (let id = 1; id <= 20; id++) {
      await Promise.all([
        bench.write(put.project(id, { name: 'One' })),
        applyChange(other, put.project(id, { name: 'Two' })),
      ]);
    }
    await bench.drain({ batchSize: 100 });

    const stored = await bench.database.rows<{ name: string }>(
      'system',
      'SELECT name FROM project ORDER BY project_id',
    );
    const indexed = (await readChunks(bench.database)).sort(
      (a, b) => Number(a.source.split('/')[1]) - Number(b.source.split('/')[1]),
    );
    expect(stored).toHaveLength(20);
    expect(indexed.map((chunk) => chunk.title)).toEqual(stored.map((row) => row.name));
  });
});
