import { Conflict, InvalidInput, NotFound } from '../core/errors.ts';
import { parseId } from '../core/ids.ts';
import type { EmployeeInput } from '../core/kinds/employee.ts';
import type { ProjectInput } from '../core/kinds/project.ts';
import type { SprintInput } from '../core/kinds/sprint.ts';
import type { CommentInput, TaskInput } from '../core/kinds/task.ts';
import { type Database, DuplicateKey, type Transaction } from '../ports/database.ts';
import type { RecordType } from '../route.ts';
import type { Accepted } from '../shapes.ts';
import { putEmployee, removeEmployee } from '../store/employees.ts';
import { putProject, removeProject } from '../store/projects.ts';
import { putSprint, removeSprint } from '../store/sprints.ts';
import { putComment, putTask, removeComment, removeTask } from '../store/tasks.ts';

/** One change of one record, validated. */
export type Change =
  | { op: 'put'; type: 'employee'; id: number; data: EmployeeInput }
  | { op: 'put'; type: 'project'; id: number; data: ProjectInput }
  | { op: 'put'; type: 'sprint'; id: number; data: SprintInput }
  | { op: 'put'; type: 'task'; id: number; data: TaskInput }
  | { op: 'put'; type: 'comment'; taskId: number; id: number; data: CommentInput }
  | { op: 'delete'; type: RecordType; id: number }
  | { op: 'delete'; type: 'comment'; taskId: number; id: number };

/** Carries out one change and enqueues what it touches, in one transaction: both are kept, or neither. */
export async function applyChange(database: Database, change: Change): Promise<Accepted> {
  try {
    await database.transaction('system', (tx) => write(tx, change));
  } catch (error) {
    if (!(error instanceof DuplicateKey)) throw error;
    // Another writer made the record at the same moment: now it is there, and the write is an update.
    await database
      .transaction('system', (tx) => write(tx, change))
      .catch((again) => {
        throw again instanceof DuplicateKey ? duplicate(change, again) : again;
      });
  }
  return { status: 'accepted', links: { state: stateLink(change) } };
}

async function write(tx: Transaction, change: Change): Promise<void> {
  if (change.op === 'delete') {
    if (!(await remove(tx, change))) throw new NotFound(`There is no ${change.type} ${change.id}`);
    return;
  }
  switch (change.type) {
    case 'employee':
      return putEmployee(tx, change.id, change.data);
    case 'project':
      return putProject(tx, change.id, change.data);
    case 'sprint':
      return putSprint(tx, change.id, change.data);
    case 'task':
      return putTask(tx, change.id, change.data);
    case 'comment':
      return putComment(tx, change.taskId, change.id, change.data);
  }
}

function remove(tx: Transaction, change: Change & { op: 'delete' }): Promise<boolean> {
  switch (change.type) {
    case 'employee':
      return removeEmployee(tx, change.id);
    case 'project':
      return removeProject(tx, change.id);
    case 'sprint':
      return removeSprint(tx, change.id);
    case 'task':
      return removeTask(tx, change.id);
    case 'comment':
      return removeComment(tx, change.taskId, change.id);
  }
}

/** The one key that two records can contend for is the subject of an employee. */
function duplicate(change: Change, cause: DuplicateKey): Error {
  if (change.op === 'put' && change.type === 'employee') {
    const subject = change.data.subject ?? String(change.id);
    return new Conflict(`subject: ${subject} already names another employee`, { cause });
  }
  return new Conflict(`${change.type} ${change.id} is being written by somebody else`, { cause });
}

/** Where a change can be followed: the state of the source it touches, or the record where it is no source. */
function stateLink(change: Change): string {
  if (change.type === 'employee') return `/v1/employees/${change.id}`;
  if (change.type === 'comment') return `/v1/sources/task/${change.taskId}`;
  return `/v1/sources/${change.type}/${change.id}`;
}

/** An id from a path, or a fault that names it. */
export function requireId(field: string, value: string): number {
  const id = parseId(value);
  if (id !== null) return id;
  throw InvalidInput.of([
    { field, fault: `must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}, without leading zeros` },
  ]);
}
