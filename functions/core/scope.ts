export const ROLES = ['developer', 'manager', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Who asks: resolved from the verified token and the EMPLOYEE table, from nothing else. */
export interface Caller {
  employeeId: number;
  role: Role;
}

/** Who may see a file besides managers and admins: everybody known, nobody, or the people listed as its readers. */
export const FILE_AUDIENCES = ['organization', 'managers', 'people'] as const;
export type FileAudience = (typeof FILE_AUDIENCES)[number];

/** Who may see a chunk besides managers and admins: as for files, or `owner`, the owner alone. */
export type Audience = FileAudience | 'owner';

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

/** What a row says of who may see it; `isReader`: whether the caller is listed as a reader of its source. */
export interface Visibility extends Pick<Scope, 'ownerEmployeeId' | 'audience'> {
  isReader: boolean;
}

/** The rule that SQL and the row policies state, once more in code: the last check on rows already fetched. */
export function maySee(caller: Caller, row: Visibility): boolean {
  return (
    seesEverything(caller) ||
    row.audience === 'organization' ||
    (row.audience === 'people' && row.isReader) ||
    row.ownerEmployeeId === caller.employeeId
  );
}
