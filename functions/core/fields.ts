import * as z from 'zod';
import { normalizeErrorCode } from './diagnostics/error-codes.ts';
import { MAX_ID } from './ids.ts';
import { blankToNull, isStorable, NOT_STORABLE, normalizeText, toSingleLine } from './text.ts';

const raw = (max: number) =>
  z
    .string()
    .max(max, { error: (issue) => `is at most ${max} characters, got ${String(issue.input).length}` })
    .refine(isStorable, { error: NOT_STORABLE });

/** A required single line (a name, a title): white space is folded, blank is refused. */
export const line = (max: number) =>
  raw(max)
    .transform(toSingleLine)
    .refine((text) => text !== '', { error: 'must not be blank' })
    // A few characters are longer in composed form, which is what is stored.
    .refine((text) => text.length <= max, {
      error: (issue) => `is at most ${max} characters, got ${String(issue.input).length} in composed form (NFC)`,
    });

/** An error code of Oracle, as codes are kept: `ora-1652` is ORA-01652. */
export const errorCode = line(60).transform((value, context) => {
  const code = normalizeErrorCode(value);
  if (code === null) context.addIssue({ code: 'custom', message: 'must be a code such as ORA-01652 or APP-FND-01564' });
  return code ?? '';
});

/** A required name that is compared letter by letter, and so is kept as it is. */
export const exactName = (max: number) => raw(max).refine((text) => text.trim() !== '', { error: 'must not be blank' });

/** A required text of any number of lines. */
export const text = (max: number) =>
  raw(max)
    .transform(normalizeText)
    .refine((value) => value.trim() !== '', { error: 'must not be blank' });

/** An optional text; left out, null and blank all mean none. */
export const optionalText = (max: number) =>
  raw(max)
    .nullish()
    .transform((value) => blankToNull(value === null || value === undefined ? null : normalizeText(value)));

const range = (what: string, min: number, max: number) => `must be ${what} from ${min} to ${max}`;

/** An id: a whole number from 1 to 2^53 - 1. */
export const id = z
  .number({ error: range('a whole number', 1, MAX_ID) })
  .refine((n) => Number.isSafeInteger(n) && n >= 1, { error: range('a whole number', 1, MAX_ID) })
  .meta({ type: 'integer', minimum: 1, maximum: MAX_ID });

export const optionalId = id.nullish().transform((value) => value ?? null);

/** An optional amount with at most two decimals. */
export const optionalAmount = (max: number) =>
  z
    .number()
    .min(0, { error: range('a number', 0, max) })
    .max(max, { error: range('a number', 0, max) })
    .refine((n) => Number.isInteger(Math.round(n * 1e6) / 1e4), { error: 'has at most two decimals' })
    .nullish()
    .transform((value) => value ?? null);

/** An optional calendar date, YYYY-MM-DD. */
export const optionalDate = z.iso
  .date({ error: 'must be a date of the calendar, written YYYY-MM-DD' })
  .refine((value) => value >= '0001-01-01', { error: 'must be a date from 0001-01-01 to 9999-12-31' })
  .nullish()
  .transform((value) => value ?? null);

/** Start and end in order, for kinds with dates. */
export const datesInOrder = {
  check: (value: { startDate: string | null; endDate: string | null }) =>
    value.startDate === null || value.endDate === null || value.startDate <= value.endDate,
  params: { path: ['endDate'], error: 'must not be before startDate' },
};
