import * as z from 'zod';

/** The longest question, in characters. */
const MAX_QUESTION = 4000;
const MAX_TOP_K = 50;

export const question = z.strictObject({
  question: z
    .string()
    .max(MAX_QUESTION, {
      error: (issue) => `is at most ${MAX_QUESTION} characters, got ${String(issue.input).length}`,
    })
    .refine((text) => text.isWellFormed() && !text.includes('\0'), {
      error: 'must not contain a NUL character or half of a surrogate pair (text that is not valid Unicode)',
    })
    .refine((text) => text.trim() !== '', { error: 'must not be blank' })
    .describe(`In any language; at most ${MAX_QUESTION} characters`),
  topK: z
    .int({ error: `must be a whole number from 1 to ${MAX_TOP_K}` })
    .min(1, { error: `must be a whole number from 1 to ${MAX_TOP_K}` })
    .max(MAX_TOP_K, { error: `must be a whole number from 1 to ${MAX_TOP_K}` })
    .optional()
    .describe('How many sources to look at'),
});
export type Question = z.output<typeof question>;
