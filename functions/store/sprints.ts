import { type SprintInput, type SprintView, sprintContent } from '../core/kinds/sprint.ts';
import type { Transaction } from '../ports/database.ts';
import { inList, isoDate } from './lists.ts';
import { enqueue } from './queue.ts';
import { deleteRecord, detach, lockRecord, lockReferences, lockReferring, toDate, upsert } from './rows.ts';

/** Writes a sprint; a new name is shown by its tasks, so they are re-indexed. */
export async function putSprint(tx: Transaction, id: number, input: SprintInput): Promise<void> {
  await lockReferences(tx, [{ field: 'projectId', table: 'project', id: input.projectId }]);
  const before = await lockRecord<{ name: string }>(tx, 'sprint', id, 'name');
  await upsert(
    tx,
    'sprint',
    id,
    [
      { name: 'project_id' },
      { name: 'name' },
      { name: 'status' },
      { name: 'start_date', value: toDate },
      { name: 'end_date', value: toDate },
      { name: 'goal' },
    ],
    {
      project_id: input.projectId,
      name: input.name,
      status: input.status,
      start_date: input.startDate,
      end_date: input.endDate,
      goal: input.goal,
    },
  );
  enqueue(tx, [{ type: 'sprint', id: String(id) }], 'UPSERT');
  if (before && before.name !== input.name) {
    enqueue(tx, await lockReferring(tx, 'task', 'sprint_id', id), 'UPSERT');
  }
}

/** Removes a sprint; its tasks stay, without one. False where there is none. */
export async function removeSprint(tx: Transaction, id: number): Promise<boolean> {
  if (!(await lockRecord(tx, 'sprint', id))) return false;
  await detach(tx, 'task', 'sprint_id', id);
  await deleteRecord(tx, 'sprint', id);
  enqueue(tx, [{ type: 'sprint', id: String(id) }], 'DELETE');
  return true;
}

interface SprintRow {
  sprint_id: number;
  project_id: number | null;
  project_name: string | null;
  name: string;
  status: SprintInput['status'];
  start_date: string | null;
  end_date: string | null;
  goal: string | null;
}

async function loadSprints(tx: Transaction, ids: number[]): Promise<SprintView[]> {
  const list = inList('id', ids);
  const rows = await tx.rows<SprintRow>(
    `SELECT s.sprint_id, s.project_id, p.name AS project_name, s.name, s.status,
            ${isoDate('s.start_date')} AS start_date, ${isoDate('s.end_date')} AS end_date, s.goal
     FROM sprint s LEFT JOIN project p ON p.project_id = s.project_id
     WHERE s.sprint_id IN ${list.sql}`,
    list.binds,
  );
  return rows.map((row) => ({
    id: row.sprint_id,
    projectId: row.project_id,
    projectName: row.project_name,
    name: row.name,
    status: row.status,
    startDate: row.start_date,
    endDate: row.end_date,
    goal: row.goal,
  }));
}

export const sprints = {
  table: 'sprint',
  key: 'sprint_id',
  load: loadSprints,
  content: sprintContent,
} as const;
