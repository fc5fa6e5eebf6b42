import * as z from 'zod';
import { MAX_HISTORY } from '../core/prompt.ts';
import { isStorable, NOT_STORABLE } from '../core/text.ts';
import { filters, sort } from './filters.ts';

/** The longest question, in characters. */
const MAX_QUESTION = 4000;
/** The longest answer that is taken back as history. */
const MAX_ANSWER = 20_000;
const MAX_TOP_K = 50;
const TOP_K_RANGE = { error: `must be a whole number from 1 to ${MAX_TOP_K}` };

const text = (limit: number) =>
  z
    .string()
    .max(limit, {
      error: (issue) => `is at most ${limit} characters, got ${String(issue.input).length}`,
    })
    .refine(isStorable, { error: NOT_STORABLE });

const questionText = text(MAX_QUESTION)
  .refine((value) => value.trim() !== '', { error: 'must not be blank' })
  .describe(`In any language; at most ${MAX_QUESTION} characters`);

const base = {
  question: questionText,
  topK: z
    .int(TOP_K_RANGE)
    .min(1, TOP_K_RANGE)
    .max(MAX_TOP_K, TOP_K_RANGE)
    .optional()
    .describe('How many sources to look at'),
  filters: filters.optional(),
  sort: sort.optional(),
  history: z
    .array(z.strictObject({ question: questionText, answer: text(MAX_ANSWER) }))
    .max(MAX_HISTORY, {
      error: (issue) => `is at most ${MAX_HISTORY} turns, got ${(issue.input as unknown[]).length}`,
    })
    .optional()
    .describe('The conversation so far, oldest turn first: a follow-up is understood by it'),
};

export const question = z.strictObject(base);
export type Question = z.output<typeof question>;

export const searchQuestion = z.strictObject({
  ...base,
  format: z
    .enum(['sources', 'prompt'], { error: 'must be sources or prompt' })
    .optional()
    .describe('`prompt` also returns the sources, numbered and fenced, as a prompt for a model of your own'),
});
export type SearchQuestion = z.output<typeof searchQuestion>;
