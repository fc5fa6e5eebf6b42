import * as z from 'zod';
import { line, optionalAmount, optionalDate, optionalId, optionalText, text } from '../fields.ts';
import { RECORD_CONTENT, type SourceContent } from './kind.ts';

export const taskInput = z.strictObject({
  title: line(500),
  status: z.enum(['todo', 'in_progress', 'done', 'blocked']).default('todo'),
  priority: z.enum(['low', 'medium', 'high', 'critical']).default('medium'),
  projectId: optionalId,
  sprintId: optionalId,
  assigneeId: optionalId,
  storyPoints: optionalAmount(10_000),
  estimatedHours: optionalAmount(100_000),
  dueDate: optionalDate,
  description: optionalText(100_000),
});

export type TaskInput = z.output<typeof taskInput>;

export const commentInput = z.strictObject({ text: text(20_000) });
export type CommentInput = z.output<typeof commentInput>;

/** A task as stored, with the names and comments its chunk shows; comments in the order of their ids. */
export interface TaskView extends TaskInput {
  id: number;
  projectName: string | null;
  sprintName: string | null;
  assigneeName: string | null;
  comments: string[];
}

/** A task is seen by its assignee; one that nobody has, by managers and admins alone. */
export function taskContent(task: TaskView): SourceContent {
  const lines = [
    `[TASK #${task.id}] ${task.title}`,
    `Status: ${task.status} | Priority: ${task.priority} | Sprint: ${task.sprintName ?? 'none'}`,
    `Project: ${task.projectName ?? 'none'}`,
    `Assignee: ${task.assigneeName ?? 'unassigned'}`,
  ];
  if (task.storyPoints !== null) lines.push(`Story points: ${task.storyPoints}`);
  if (task.estimatedHours !== null) lines.push(`Estimated hours: ${task.estimatedHours}`);
  lines.push(`Due: ${task.dueDate ?? '-'}`, `Description: ${task.description ?? '-'}`);
  if (task.comments.length > 0) lines.push('Comments:', ...task.comments.map((comment) => `- ${comment}`));
  return {
    ...RECORD_CONTENT,
    title: task.title,
    text: lines.join('\n'),
    scope: {
      ownerEmployeeId: task.assigneeId,
      audience: 'owner',
      projectId: task.projectId,
      sprintId: task.sprintId,
    },
    metadata: { status: task.status, priority: task.priority },
  };
}
