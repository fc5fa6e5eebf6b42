import { type Caller, seesEverything } from '../core/scope.ts';
import type { Binds } from '../ports/database.ts';

/**
 * The predicate that leaves only the chunks the caller may see, for a chunk table under `alias`. Every statement that
 * reads chunks for a person carries it in each branch; the row security of the database says the same once more.
 */
export function chunkScope(caller: Caller, alias: string): { sql: string; binds: Binds } {
  if (seesEverything(caller)) return { sql: '1 = 1', binds: {} };
  return {
    sql: `(${alias}.audience = 'organization' OR ${alias}.owner_employee_id = :employee_id)`,
    binds: { employee_id: caller.employeeId },
  };
}
