import type { SourceType } from '../core/kinds/kind.ts';
import { type Caller, seesEverything } from '../core/scope.ts';
import type { Binds } from '../ports/database.ts';
import { inList } from './lists.ts';

export interface Condition {
  sql: string;
  binds: Binds;
}

/**
 * The predicate that leaves only the chunks the caller may see, for a chunk table under `alias`. Every statement that
 * reads chunks for a person carries it in each branch; the row security of the database says the same once more.
 */
export function chunkScope(caller: Caller, alias: string): Condition {
  if (seesEverything(caller)) return { sql: '1 = 1', binds: {} };
  return {
    sql: `(${alias}.audience = 'organization' OR ${alias}.owner_employee_id = :employee_id)`,
    binds: { employee_id: caller.employeeId },
  };
}

/** What a question is to be answered from; what is missing narrows nothing. */
export interface Filter {
  sourceTypes?: SourceType[] | undefined;
  projectId?: number | undefined;
  sprintId?: number | undefined;
}

export const isEmptyFilter = ({ sourceTypes, projectId, sprintId }: Filter): boolean =>
  sourceTypes === undefined && projectId === undefined && sprintId === undefined;

/** The predicate of a filter, for a chunk table under `alias`; a source of a project or sprint is also that itself. */
export function chunkFilter({ sourceTypes, projectId, sprintId }: Filter, alias: string): Condition {
  const conditions: string[] = [];
  const binds: Binds = {};
  if (sourceTypes !== undefined) {
    const list = inList('filter_type', sourceTypes);
    conditions.push(`${alias}.source_type IN ${list.sql}`);
    Object.assign(binds, list.binds);
  }
  if (projectId !== undefined) {
    conditions.push(`${alias}.project_id = :filter_project`);
    binds.filter_project = projectId;
  }
  if (sprintId !== undefined) {
    conditions.push(`${alias}.sprint_id = :filter_sprint`);
    binds.filter_sprint = sprintId;
  }
  return { sql: conditions.length === 0 ? '1 = 1' : conditions.join(' AND '), binds };
}
