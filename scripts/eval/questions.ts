import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { SOURCE_TYPES } from '../../functions/core/kinds/kind.ts';
import { UserError } from '../user-error.ts';

const KINDS = ['answerable', 'unanswered', 'off_topic'] as const;

const labelled = z.strictObject({
  question: z.string().trim().min(1, { error: 'must not be blank' }).max(4000, { error: 'is at most 4000 characters' }),
  /** Whether the records answer it, are on its subject without answering it, or have nothing to do with it. */
  kind: z.enum(KINDS, { error: `must be ${KINDS.join(', ')}` }),
  language: z.string().optional(),
  /** The id of the employee who asks. */
  asker: z.int().min(1).optional(),
  /** The sources that answer it, any of them, as type/id. */
  sources: z
    .array(
      z
        .string()
        .regex(new RegExp(`^(${SOURCE_TYPES.join('|')})/\\S.*$`), { error: 'must be a kind and an id: task/12' }),
    )
    .optional(),
  /** What the answer says, word for word. */
  mustContain: z.array(z.string()).optional(),
  /** Whether the records that answer it are in another language. */
  across: z.boolean().optional(),
});

/** A question of which it is known what should come of it. */
export type LabelledQuestion = z.output<typeof labelled>;

/** The labelled questions on the sample records. */
export const SAMPLE_QUESTIONS = new URL('./sample-questions.json', import.meta.url).pathname;

/** Reads a JSON array of labelled questions; what is wrong is told with its place. */
export function readQuestions(path: string): LabelledQuestion[] {
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UserError(`The questions ${path} cannot be read: ${(error as Error).message}`);
  }
  const { data, error } = z.array(labelled).safeParse(read);
  if (data !== undefined) return data;
  const [fault] = error.issues;
  const [at, ...field] = fault?.path ?? [];
  const place = typeof at === 'number' ? `question ${at + 1}${field.length > 0 ? `, ${field.join('.')}` : ''}: ` : '';
  throw new UserError(`The questions ${path} cannot be used: ${place}${fault?.message}`);
}
