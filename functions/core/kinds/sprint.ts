import * as z from 'zod';
import { datesInOrder, line, optionalDate, optionalId, optionalText } from '../fields.ts';
import { RECORD_CONTENT, type SourceContent } from './kind.ts';

export const sprintInput = z
  .strictObject({
    name: line(300),
    status: z.enum(['planned', 'active', 'completed']).default('planned'),
    projectId: optionalId,
    startDate: optionalDate,
    endDate: optionalDate,
    goal: optionalText(20_000),
  })
  .refine(datesInOrder.check, datesInOrder.params);

export type SprintInput = z.output<typeof sprintInput>;

/** A sprint as stored, with the names its chunk shows. */
export interface SprintView extends SprintInput {
  id: number;
  projectName: string | null;
}

/** Sprints are seen by the whole organisation. */
export function sprintContent(sprint: SprintView): SourceContent {
  return {
    ...RECORD_CONTENT,
    title: sprint.name,
    text: [
      `[SPRINT #${sprint.id}] ${sprint.name} (${sprint.status})`,
      `Project: ${sprint.projectName ?? 'none'}`,
      `Dates: ${sprint.startDate ?? '-'} -> ${sprint.endDate ?? '-'}`,
      `Goal: ${sprint.goal ?? '-'}`,
    ].join('\n'),
    scope: { ownerEmployeeId: null, audience: 'organization', projectId: sprint.projectId, sprintId: sprint.id },
    metadata: { status: sprint.status },
  };
}
