import * as z from 'zod';
import { type Fact, MAX_FACT_LENGTH } from '../facts.ts';
import { line } from '../fields.ts';
import { MAX_ID, parseId } from '../ids.ts';
import type { FileAudience } from '../scope.ts';

/** More labels or readers than these are refused. */
const MAX_LABELS = 20;
const MAX_READERS = 500;

/** Who reads a file besides managers and admins; `readers` are employees' ids, none unless the audience is `people`. */
export interface FileReaders {
  audience: FileAudience;
  readers: number[];
}

const AUDIENCE_FORM = 'must be organization, managers, or the ids of employees with commas between them: 2,17';

/**
 * The listed readers of a file as facts of what is indexed of it: whoever becomes a reader sees the text that was written for
 * them, and never the one before.
 */
export const readerFacts = (readers: number[]): Fact[] => readers.map((id) => ({ name: 'reader', value: String(id) }));

/** The parameter `audience` of a file: organization, managers, or employees' ids with commas between them. */
export const audience = z
  .string()
  .default('organization')
  .transform((value, context): FileReaders => {
    if (value === 'organization' || value === 'managers') return { audience: value, readers: [] };
    const ids = value.split(',').map((part) => parseId(part.trim()));
    if (ids.some((id) => id === null)) context.addIssue({ code: 'custom', message: AUDIENCE_FORM });
    if (ids.length > MAX_READERS) {
      context.addIssue({ code: 'custom', message: `names at most ${MAX_READERS} employees, got ${ids.length}` });
    }
    return { audience: 'people', readers: [...new Set(ids.flatMap((id) => id ?? []))] };
  })
  .describe(
    'Who sees it besides managers: `organization` (everybody, the default), `managers` (nobody else), or ids of employees: `2,17`',
  );

/** A list within one parameter: values with commas between them, each once; blank ones count for nothing. */
export const listOf = (value: z.ZodType<string, string>, max: number, what: string) =>
  z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(
      z.array(value).max(max, {
        error: (issue) => `is at most ${max} ${what}, got ${(issue.input as unknown[]).length}`,
      }),
    )
    .transform((values) => [...new Set(values)]);

/** The parameter `labels`. */
export const labels = listOf(line(MAX_FACT_LENGTH), MAX_LABELS, 'labels').describe(
  'Free words that questions can be filtered by, with commas between them: `hr,leave`',
);

/** The parameter `projectId`. */
export const projectId = z
  .string()
  .optional()
  .transform((value, context) => {
    if (value === undefined || value === '') return null;
    const id = parseId(value);
    if (id === null) context.addIssue({ code: 'custom', message: `must be a whole number from 1 to ${MAX_ID}` });
    return id;
  })
  .describe('The project that it belongs to');
