import { type ProjectInput, type ProjectView, projectContent } from '../core/kinds/project.ts';
import type { Transaction } from '../ports/database.ts';
import { inList, isoDate } from './lists.ts';
import { enqueue } from './queue.ts';
import { deleteRecord, detach, lockRecord, lockReferring, toDate, upsert } from './rows.ts';

/** Writes a project; a new name is shown by its sprints and tasks, so they are re-indexed. */
export async function putProject(tx: Transaction, id: number, input: ProjectInput): Promise<void> {
  const before = await lockRecord<{ name: string }>(tx, 'project', id, 'name');
  await upsert(
    tx,
    'project',
    id,
    [
      { name: 'name' },
      { name: 'status' },
      { name: 'start_date', value: toDate },
      { name: 'end_date', value: toDate },
      { name: 'description' },
    ],
    {
      name: input.name,
      status: input.status,
      start_date: input.startDate,
      end_date: input.endDate,
      description: input.description,
    },
  );
  enqueue(tx, [{ type: 'project', id: String(id) }], 'UPSERT');
  if (before && before.name !== input.name) {
    enqueue(tx, await lockReferring(tx, 'sprint', 'project_id', id), 'UPSERT');
    enqueue(tx, await lockReferring(tx, 'task', 'project_id', id), 'UPSERT');
  }
}

/** Removes a project; its sprints, tasks and files stay, without one. False where there is none. */
export async function removeProject(tx: Transaction, id: number): Promise<boolean> {
  if (!(await lockRecord(tx, 'project', id))) return false;
  await detach(tx, 'sprint', 'project_id', id);
  await detach(tx, 'task', 'project_id', id);
  await detach(tx, 'document', 'project_id', id);
  await detach(tx, 'diagnostic', 'project_id', id);
  await deleteRecord(tx, 'project', id);
  enqueue(tx, [{ type: 'project', id: String(id) }], 'DELETE');
  return true;
}

interface ProjectRow {
  project_id: number;
  name: string;
  status: ProjectInput['status'];
  start_date: string | null;
  end_date: string | null;
  description: string | null;
}

async function loadProjects(tx: Transaction, ids: number[]): Promise<ProjectView[]> {
  const list = inList('id', ids);
  const rows = await tx.rows<ProjectRow>(
    `SELECT project_id, name, status, ${isoDate('start_date')} AS start_date, ${isoDate('end_date')} AS end_date,
            description
     FROM project WHERE project_id IN ${list.sql}`,
    list.binds,
  );
  return rows.map((row) => ({
    id: row.project_id,
    name: row.name,
    status: row.status,
    startDate: row.start_date,
    endDate: row.end_date,
    description: row.description,
  }));
}

export const projects = {
  table: 'project',
  key: 'project_id',
  load: loadProjects,
  content: projectContent,
} as const;
