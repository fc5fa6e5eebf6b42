import pg from 'pg';
import { describe, expect, test } from 'vitest';
import type { Actor, Database } from '../../functions/ports/database.ts';
import { callerOf } from '../support/inspect.ts';
import { put } from '../support/records.ts';
import { type Bench, forEachDatabase } from './databases.ts';

/** What names the rows of each protected table. */
const TABLES = {
  rag_chunk: "source_type || '/' || source_id",
  project: 'project_id',
  task: 'task_id',
  task_comment: 'task_id',
  employee: 'employee_id',
} as const;

const seen = async (database: Database, actor: Actor, table: keyof typeof TABLES): Promise<string[]> => {
  const rows = await database.rows<{ name: string | number }>(actor, `SELECT ${TABLES[table]} AS name FROM ${table}`);
  return rows.map((row) => String(row.name)).sort();
};

/** Tasks of two developers and of nobody, each with a comment, and a project; indexed. */
async function fill(bench: Bench): Promise<void> {
  await bench.write(put.employee(1), put.employee(2), put.employee(3, { role: 'manager' }), put.project(1));
  for (const [id, assigneeId] of [
    [11, 1],
    [12, 2],
    [13, null],
  ] as const) {
    await bench.write(put.task(id, { assigneeId }), put.comment(id, 1, 'A comment'));
  }
  await bench.drain();
}

/**
 * Who a session acts for outside our transactions. The embedded database has one session for all its clients, so that
 * there this is the session of everybody.
 */
async function sessionOf(bench: Bench): Promise<{ user: string; employee: string | null; role: string | null }> {
  const client = new pg.Client({ connectionString: bench.connectionString });
  await client.connect();
  const { rows } = await client.query(
    `SELECT current_user AS user, current_setting('rag.employee_id', true) AS employee,
            current_setting('rag.role', true) AS role`,
  );
  await client.end();
  return rows[0];
}

forEachDatabase('the database itself', (bench) => {
  describe('row security, for a statement without any filter', () => {
    test.each([
      { who: callerOf(1), chunks: ['project/1', 'task/11'], tasks: ['11'], employees: ['1'] },
      { who: callerOf(2), chunks: ['project/1', 'task/12'], tasks: ['12'], employees: ['2'] },
      { who: callerOf(99), chunks: ['project/1'], tasks: [], employees: [] },
      ...(['manager', 'admin'] as const).map((role) => ({
        who: callerOf(3, role),
        chunks: ['project/1', 'task/11', 'task/12', 'task/13'],
        tasks: ['11', '12', '13'],
        employees: ['1', '2', '3'],
      })),
    ])('leaves $who.role $who.employeeId what that person may see', async ({ who, chunks, tasks, employees }) => {
      await fill(bench);

      expect(await seen(bench.database, who, 'rag_chunk')).toEqual(chunks);
      expect(await seen(bench.database, who, 'task')).toEqual(tasks);
      expect(await seen(bench.database, who, 'task_comment')).toEqual(tasks);
      expect(await seen(bench.database, who, 'employee')).toEqual(employees);
    });

    test('leaves nothing where no employee is set', async () => {
      await fill(bench);

      const left = await bench.database.transaction('system', async (tx) => {
        if (tx.dialect.name === 'oracle') await tx.execute('BEGIN rag_security.leave; END;');
        else await tx.rows("SELECT set_config('role', 'rag_reader', true) FROM dual");
        const counts = [];
        for (const table of Object.keys(TABLES)) counts.push(...(await tx.rows(`SELECT COUNT(*) AS n FROM ${table}`)));
        return counts;
      });

      expect(left).toEqual(Object.keys(TABLES).map(() => ({ n: 0 })));
    });

    test.each([
      ['reads the queue', 'SELECT * FROM rag_dirty'],
      ['reads the states of sources', 'SELECT * FROM rag_source'],
      ['reads the counts of model calls', 'SELECT * FROM rag_usage'],
      ['changes a task', "UPDATE task SET title = 'Mine'"],
      ['deletes chunks', 'DELETE FROM rag_chunk'],
      ['changes a role', "UPDATE employee SET role = 'admin'"],
    ])('refuses a person, even an admin, who %s', async (_, sql) => {
      await fill(bench);
      await bench.write(put.project(2));
      const isQuery = sql.startsWith('SELECT');
      const statement = bench.database[isQuery ? 'rows' : 'execute'](callerOf(3, 'admin'), sql);

      if (bench.inPostgres) await expect(statement).rejects.toThrow(/permission denied/);
      // Oracle's policies refuse no statement: they leave it no row.
      else expect(await statement).toEqual(isQuery ? [] : 0);
    });

    test('refuses a question logged under another person’s name', async () => {
      const log = (employeeId: number) =>
        bench.database.transaction(callerOf(1), (tx) =>
          tx.execute(
            `INSERT INTO rag_log (call_id, employee_id, question, outcome, retrieved, cited, timings)
           VALUES ('test', :employee_id, 'Why?', 'off_topic', '[]', '[]', '{}')`,
            { employee_id: employeeId },
          ),
        );

      expect(await log(1)).toBe(1);
      await expect(log(2)).rejects.toThrow(/row-level security|ORA-28115/);
    });
  });

  describe('who a transaction acts for', () => {
    test.runIf(bench.inPostgres)('is forgotten with it, whether it was kept or rolled back', async () => {
      await fill(bench);
      const start = await sessionOf(bench);

      await bench.database.transaction(callerOf(3, 'admin'), (tx) => tx.rows('SELECT 1 FROM task'));
      const afterCommit = await sessionOf(bench);
      await bench.database
        .transaction(callerOf(3, 'admin'), async (tx) => {
          await tx.rows('SELECT 1 FROM task');
          throw new Error('rolled back');
        })
        .catch(() => {});
      await bench.database.rows(callerOf(3, 'admin'), 'SELECT no_such_column FROM task').catch(() => {});
      const afterRollback = await sessionOf(bench);

      expect(start.employee ?? '').toBe('');
      expect({ ...afterCommit, employee: afterCommit.employee ?? '', role: afterCommit.role ?? '' }).toEqual({
        user: start.user,
        employee: '',
        role: '',
      });
      expect(afterRollback).toEqual(afterCommit);
      expect(await seen(bench.database, callerOf(1), 'task')).toEqual(['11']);
    });

    test('never mixes with who others act for at the same time', async () => {
      await fill(bench);
      const pools = [bench.database, bench.anotherPool()];
      const expected: Record<number, string[]> = { 1: ['11'], 2: ['12'], 3: ['11', '12', '13'], 99: [] };
      const callers = [callerOf(1), callerOf(2), callerOf(3, 'manager'), callerOf(99)];

      const views = await Promise.all(
        Array.from({ length: 120 }, async (_, i) => {
          const [database, caller] = [pools[i % 2] as Database, callers[i % 4] as (typeof callers)[number]];
          if (i % 5 === 0) await database.rows(caller, 'SELECT no_such_column FROM task').catch(() => {});
          if (i % 3 > 0) return { caller, tasks: await seen(database, caller, 'task') };
          return database.transaction(caller, async (tx) => {
            await tx.rows('SELECT 1 FROM dual');
            const rows = await tx.rows<{ task_id: number }>('SELECT task_id FROM task ORDER BY task_id');
            return { caller, tasks: rows.map((row) => String(row.task_id)) };
          });
        }),
      );

      expect(views.filter(({ caller, tasks }) => tasks.join() !== expected[caller.employeeId]?.join())).toEqual([]);
    });
  });
});
