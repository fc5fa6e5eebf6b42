import * as z from 'zod';
import { exactName, line } from '../fields.ts';
import { ROLES } from '../scope.ts';

/**
 * People are not a kind of knowledge (nothing of theirs is embedded): they are whom rights are given to, and whose
 * names tasks show. `subject` is the value of the token's claim that names the person; left out, it is the id.
 */
export const employeeInput = z.strictObject({
  firstName: line(200),
  lastName: line(200),
  role: z.enum(ROLES),
  subject: exactName(255).optional(),
});

export type EmployeeInput = z.output<typeof employeeInput>;
