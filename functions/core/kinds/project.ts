import * as z from 'zod';
import { datesInOrder, line, optionalDate, optionalText } from '../fields.ts';
import { RECORD_CONTENT, type SourceContent } from './kind.ts';

export const projectInput = z
  .strictObject({
    name: line(300),
    status: z.enum(['planning', 'active', 'completed', 'on_hold']).default('planning'),
    startDate: optionalDate,
    endDate: optionalDate,
    description: optionalText(100_000),
  })
  .refine(datesInOrder.check, datesInOrder.params);

export type ProjectInput = z.output<typeof projectInput>;

/** A project as stored, with what its chunk shows. */
export interface ProjectView extends ProjectInput {
  id: number;
}

/** Projects are seen by the whole organisation. */
export function projectContent(project: ProjectView): SourceContent {
  const lines = [
    `[PROJECT #${project.id}] ${project.name} (${project.status})`,
    `Dates: ${project.startDate ?? '-'} -> ${project.endDate ?? '-'}`,
  ];
  if (project.description !== null) lines.push(`Description: ${project.description}`);
  return {
    ...RECORD_CONTENT,
    title: project.name,
    text: lines.join('\n'),
    scope: { ownerEmployeeId: null, audience: 'organization', projectId: project.id, sprintId: null },
    metadata: { status: project.status },
  };
}
