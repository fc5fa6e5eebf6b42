export const ROLES = ['developer', 'manager', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Who asks: resolved from the verified token and the EMPLOYEE table, from nothing else. */
export interface Caller {
  employeeId: number;
  role: Role;
}

/**
 * Who may see a chunk besides managers and admins: `organization` everybody known, `owner` the owner alone.
 */
export type Audience = 'organization' | 'owner';

/** The rights and the place of a source, stored with each of its chunks. */
export interface Scope {
  ownerEmployeeId: number | null;
  audience: Audience;
  projectId: number | null;
  sprintId: number | null;
}

/** Managers and admins see every row; the database's own policies say the same (migrations, row security). */
export function seesEverything(caller: Caller): boolean {
  return caller.role === 'manager' || caller.role === 'admin';
}

/** The rule that SQL and the row policies state, once more in code: the last check on rows already fetched. */
export function maySee(caller: Caller, row: Pick<Scope, 'ownerEmployeeId' | 'audience'>): boolean {
  return seesEverything(caller) || row.audience === 'organization' || row.ownerEmployeeId === caller.employeeId;
}
