import * as z from 'zod';
import { isStorable, NOT_STORABLE } from '../core/text.ts';

/** The longest question, in characters. */
const MAX_QUESTION = 4000;
const MAX_TOP_K = 50;
const TOP_K_RANGE = { error: `must be a whole number from 1 to ${MAX_TOP_K}` };

export const question = z.strictObject({
  question: z
    .string()
    .max(MAX_QUESTION, {
      error: (issue) => `is at most ${MAX_QUESTION} characters, got ${String(issue.input).length}`,
    })
    .refine(isStorable, { error: NOT_STORABLE })
    .refine((text) => text.trim() !== '', { error: 'must not be blank' })
    .describe(`In any language; at most ${MAX_QUESTION} characters`),
  topK: z
    .int(TOP_K_RANGE)
    .min(1, TOP_K_RANGE)
    .max(MAX_TOP_K, TOP_K_RANGE)
    .optional()
    .describe('How many sources to look at'),
});
export type Question = z.output<typeof question>;
