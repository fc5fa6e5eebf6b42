import { NotFound } from '../core/errors.ts';
import type { SourceRef } from '../core/kinds/kind.ts';
import { type CommentInput, type TaskInput, type TaskView, taskContent } from '../core/kinds/task.ts';
import type { Transaction } from '../ports/database.ts';
import { inList, isoDate } from './lists.ts';
import { enqueue } from './queue.ts';
import { deleteRecord, lockRecord, lockReferences, toDate, upsert } from './rows.ts';

const refOf = (id: number): SourceRef => ({ type: 'task', id: String(id) });

export async function putTask(tx: Transaction, id: number, input: TaskInput): Promise<void> {
  await lockReferences(tx, [
    { field: 'assigneeId', table: 'employee', id: input.assigneeId },
    { field: 'projectId', table: 'project', id: input.projectId },
    { field: 'sprintId', table: 'sprint', id: input.sprintId },
  ]);
  await upsert(
    tx,
    'task',
    id,
    [
      { name: 'project_id' },
      { name: 'sprint_id' },
      { name: 'assignee_id' },
      { name: 'title' },
      { name: 'status' },
      { name: 'priority' },
      { name: 'story_points' },
      { name: 'estimated_hours' },
      { name: 'due_date', value: toDate },
      { name: 'description' },
    ],
    {
      project_id: input.projectId,
      sprint_id: input.sprintId,
      assignee_id: input.assigneeId,
      title: input.title,
      status: input.status,
      priority: input.priority,
      story_points: input.storyPoints,
      estimated_hours: input.estimatedHours,
      due_date: input.dueDate,
      description: input.description,
    },
  );
  enqueue(tx, [refOf(id)], 'UPSERT');
}

/** Removes a task with its comments. False where there is none. */
export async function removeTask(tx: Transaction, id: number): Promise<boolean> {
  if (!(await lockRecord(tx, 'task', id))) return false;
  await tx.execute('DELETE FROM task_comment WHERE task_id = :id', { id });
  await deleteRecord(tx, 'task', id);
  enqueue(tx, [refOf(id)], 'DELETE');
  return true;
}

export async function putComment(
  tx: Transaction,
  taskId: number,
  commentId: number,
  input: CommentInput,
): Promise<void> {
  if (!(await lockRecord(tx, 'task', taskId))) throw new NotFound(`There is no task ${taskId}`);
  const binds = { task_id: taskId, comment_id: commentId, content: input.text };
  const updated = await tx.execute(
    'UPDATE task_comment SET content = :content WHERE task_id = :task_id AND comment_id = :comment_id',
    binds,
  );
  if (updated === 0) {
    await tx.execute(
      'INSERT INTO task_comment (task_id, comment_id, content) VALUES (:task_id, :comment_id, :content)',
      binds,
    );
  }
  enqueue(tx, [refOf(taskId)], 'UPSERT');
}

/** False where there is no such comment. */
export async function removeComment(tx: Transaction, taskId: number, commentId: number): Promise<boolean> {
  if (!(await lockRecord(tx, 'task', taskId))) return false;
  const deleted = await tx.execute('DELETE FROM task_comment WHERE task_id = :task_id AND comment_id = :comment_id', {
    task_id: taskId,
    comment_id: commentId,
  });
  if (deleted > 0) enqueue(tx, [refOf(taskId)], 'UPSERT');
  return deleted > 0;
}

interface TaskRow {
  task_id: number;
  project_id: number | null;
  project_name: string | null;
  sprint_id: number | null;
  sprint_name: string | null;
  assignee_id: number | null;
  first_name: string | null;
  last_name: string | null;
  title: string;
  status: TaskInput['status'];
  priority: TaskInput['priority'];
  story_points: number | null;
  estimated_hours: number | null;
  due_date: string | null;
  description: string | null;
  comment_text: string | null;
}

/**
 * One statement: a row for each comment of a task, or one row without. The first alone carries the description, which may
 * be long.
 */
async function loadTasks(tx: Transaction, ids: number[]): Promise<TaskView[]> {
  const list = inList('id', ids);
  const rows = await tx.rows<TaskRow>(
    `SELECT t.task_id, t.project_id, p.name AS project_name, t.sprint_id, s.name AS sprint_name,
            t.assignee_id, e.first_name, e.last_name, t.title, t.status, t.priority, t.story_points,
            t.estimated_hours, ${isoDate('t.due_date')} AS due_date, c.content AS comment_text,
            CASE WHEN ROW_NUMBER() OVER (PARTITION BY t.task_id ORDER BY c.comment_id) = 1 THEN t.description END
              AS description
     FROM task t
     LEFT JOIN project p ON p.project_id = t.project_id
     LEFT JOIN sprint s ON s.sprint_id = t.sprint_id
     LEFT JOIN employee e ON e.employee_id = t.assignee_id
     LEFT JOIN task_comment c ON c.task_id = t.task_id
     WHERE t.task_id IN ${list.sql}
     ORDER BY t.task_id, c.comment_id`,
    list.binds,
  );
  const tasks = new Map<number, TaskView>();
  for (const row of rows) {
    const task = tasks.get(row.task_id) ?? toView(row);
    tasks.set(row.task_id, task);
    if (row.comment_text !== null) task.comments.push(row.comment_text);
  }
  return [...tasks.values()];
}

function toView(row: TaskRow): TaskView {
  return {
    id: row.task_id,
    projectId: row.project_id,
    projectName: row.project_name,
    sprintId: row.sprint_id,
    sprintName: row.sprint_name,
    assigneeId: row.assignee_id,
    assigneeName: row.first_name === null ? null : `${row.first_name} ${row.last_name}`,
    title: row.title,
    status: row.status,
    priority: row.priority,
    storyPoints: row.story_points,
    estimatedHours: row.estimated_hours,
    dueDate: row.due_date,
    description: row.description,
    comments: [],
  };
}

export const tasks = {
  table: 'task',
  key: 'task_id',
  load: loadTasks,
  content: taskContent,
} as const;
