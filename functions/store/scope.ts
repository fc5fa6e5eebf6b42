import type { FactName } from '../core/facts.ts';
import type { SourceType } from '../core/kinds/kind.ts';
import { type Caller, seesEverything } from '../core/scope.ts';
import type { Bind, Binds } from '../ports/database.ts';
import { inList } from './lists.ts';

export interface Condition {
  sql: string;
  binds: Binds;
}

/**
 * The predicate that leaves only the chunks the caller may see, for a chunk table under `alias`. Every statement that
 * reads chunks for a person carries it in each branch; the row security of the database says the same once more. A file's
 * chunks are their readers' as they were when it was indexed; the row security leaves those who are its readers still.
 */
export function chunkScope(caller: Caller, alias: string): Condition {
  if (seesEverything(caller)) return { sql: '1 = 1', binds: {} };
  return {
    sql: `(${alias}.audience = 'organization' OR ${alias}.owner_employee_id = :employee_id
      OR (${alias}.audience = 'people' AND (${alias}.source_type, ${alias}.source_id) IN (
        SELECT r.source_type, r.source_id FROM rag_fact r WHERE r.name = 'reader' AND r.value = :reader)))`,
    binds: { employee_id: caller.employeeId, reader: String(caller.employeeId) },
  };
}

/**
 * What a question is to be answered from: of each part that is given, one of the values must hold. Facts are those of the
 * section or of its whole source. What is missing narrows nothing.
 */
export interface Filters {
  sourceTypes?: SourceType[] | undefined;
  projectIds?: number[] | undefined;
  sprintIds?: number[] | undefined;
  facts?: FactFilter[] | undefined;
}

interface FactFilter {
  name: FactName;
  values: string[];
}

export const areEmpty = ({ sourceTypes, projectIds, sprintIds, facts = [] }: Filters): boolean =>
  sourceTypes === undefined && projectIds === undefined && sprintIds === undefined && facts.length === 0;

/** The predicate of filters, for a chunk table under `alias`; a source of a project or sprint is also that itself. */
export function chunkFilters({ sourceTypes, projectIds, sprintIds, facts = [] }: Filters, alias: string): Condition {
  const conditions: Condition[] = facts.map((fact, i) => hasFact(fact, i, alias));
  const isOneOf = (column: string, values: Bind[] | undefined) => {
    if (values === undefined) return;
    const list = inList(`filter_${column}`, values);
    conditions.push({ sql: `${alias}.${column} IN ${list.sql}`, binds: list.binds });
  };
  isOneOf('source_type', sourceTypes);
  isOneOf('project_id', projectIds);
  isOneOf('sprint_id', sprintIds);
  return {
    sql: conditions.length === 0 ? '1 = 1' : conditions.map(({ sql }) => sql).join(' AND '),
    binds: Object.assign({}, ...conditions.map(({ binds }) => binds)),
  };
}

/** Lists of all that has the fact, since a look for each chunk would cost a planner without statistics a scan of it each time. */
function hasFact({ name, values }: FactFilter, i: number, alias: string): Condition {
  const list = inList(`fact${i}_value`, values);
  const isFact = `fact.name = :fact${i} AND fact.value IN ${list.sql}`;
  return {
    sql: `((${alias}.source_type, ${alias}.source_id) IN (
        SELECT fact.source_type, fact.source_id FROM rag_fact fact WHERE ${isFact} AND fact.section = 0)
      OR (${alias}.source_type, ${alias}.source_id, ${alias}.section) IN (
        SELECT fact.source_type, fact.source_id, fact.section FROM rag_fact fact WHERE ${isFact}))`,
    binds: { [`fact${i}`]: name, ...list.binds },
  };
}
