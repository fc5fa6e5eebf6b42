import { InvalidInput } from '../core/errors.ts';
import type { RecordSourceType, SourceRef } from '../core/kinds/kind.ts';
import type { Binds, Transaction } from '../ports/database.ts';
import { inList } from './lists.ts';
import { enqueue } from './queue.ts';

/** The tables of what is written, in the order in which writers lock them: parents first, so that two writers never deadlock. */
const KEYS = {
  employee: 'employee_id',
  project: 'project_id',
  sprint: 'sprint_id',
  task: 'task_id',
  document: 'path',
  diagnostic: 'diagnostic_id',
  resolution: 'diagnostic_id',
} as const;
export type RecordTable = keyof typeof KEYS;

/** What can refer to a record; each is a kind of source by its table's name. */
type ReferringType = RecordSourceType | 'document' | 'diagnostic';

/**
 * Locks a record until the transaction ends and returns the wanted columns; undefined where there is no such record.
 * What shows a parent's name locks the parent too, so that a rename and a write to what shows it never miss each other.
 */
export async function lockRecord<T = object>(
  tx: Transaction,
  table: RecordTable,
  id: number | string,
  columns: string = KEYS[table],
): Promise<T | undefined> {
  const rows = await tx.rows<T>(`SELECT ${columns} FROM ${table} WHERE ${KEYS[table]} = :id FOR UPDATE`, { id });
  return rows[0];
}

/** Locks the records that another refers to; a reference to nothing is the caller's fault, named by its field. */
export async function lockReferences(
  tx: Transaction,
  references: { field: string; table: RecordTable; id: number | null }[],
): Promise<void> {
  const faults = [];
  for (const { field, table, id } of references) {
    if (id !== null && !(await lockRecord(tx, table, id))) faults.push({ field, fault: `there is no ${table} ${id}` });
  }
  if (faults.length > 0) throw InvalidInput.of(faults);
}

/** The sources of one kind that refer to a record, locked in the order of their ids. */
export async function lockReferring(
  tx: Transaction,
  type: ReferringType,
  column: 'assignee_id' | 'project_id' | 'sprint_id',
  id: number,
): Promise<SourceRef[]> {
  const key = KEYS[type];
  const rows = await tx.rows<{ id: number | string }>(
    `SELECT ${key} AS id FROM ${type} WHERE ${column} = :id ORDER BY ${key} FOR UPDATE`,
    { id },
  );
  return rows.map((row) => ({ type, id: String(row.id) }));
}

/** Lets everything of one kind that refers to a record let go of it, and enqueues it, since its chunks say so. */
export async function detach(
  tx: Transaction,
  type: ReferringType,
  column: 'assignee_id' | 'project_id' | 'sprint_id',
  id: number,
): Promise<void> {
  const refs = await lockReferring(tx, type, column, id);
  if (refs.length === 0) return;
  await tx.execute(`UPDATE ${type} SET ${column} = NULL WHERE ${column} = :id`, { id });
  enqueue(tx, refs, 'UPSERT');
  // The resolution of a diagnostic is where that is.
  if (type === 'diagnostic') enqueue(tx, await resolutionsOf(tx, refs), 'UPSERT');
}

/** The resolutions that some diagnostics have; who asks has locked these. */
async function resolutionsOf(tx: Transaction, diagnostics: SourceRef[]): Promise<SourceRef[]> {
  const ids = inList(
    'id',
    diagnostics.map(({ id }) => id),
  );
  const rows = await tx.rows<{ diagnostic_id: string }>(
    `SELECT diagnostic_id FROM resolution WHERE diagnostic_id IN ${ids.sql}`,
    ids.binds,
  );
  return rows.map((row) => ({ type: 'resolution', id: row.diagnostic_id }));
}

/** A column's value: a bind, or an expression around one. */
type Column = { name: string; value?: (bind: string) => string };

/** Columns that are set to the binds of their names, in the order of these. Oracle wants long texts behind short ones (ORA-24816). */
export const columnsOf = (binds: Binds): Column[] => Object.keys(binds).map((name) => ({ name }));

const expressionOf = ({ name, value }: Column) => (value ? value(`:${name}`) : `:${name}`);

/** Updates some columns of a record; the number of records, 0 or 1. */
export async function update(
  tx: Transaction,
  table: RecordTable,
  id: number | string,
  columns: Column[],
  binds: Binds,
): Promise<number> {
  return tx.execute(
    `UPDATE ${table} SET ${columns.map((c) => `${c.name} = ${expressionOf(c)}`).join(', ')} WHERE ${KEYS[table]} = :id`,
    { ...binds, id },
  );
}

/** Updates a record, or inserts it where there is none. */
export async function upsert(
  tx: Transaction,
  table: RecordTable,
  id: number | string,
  columns: Column[],
  binds: Binds,
): Promise<void> {
  const key = KEYS[table];
  if ((await update(tx, table, id, columns, binds)) > 0) return;
  await tx.execute(
    `INSERT INTO ${table} (${key}, ${columns.map((c) => c.name).join(', ')})
     VALUES (:id, ${columns.map(expressionOf).join(', ')})`,
    { ...binds, id },
  );
}

/** When a record was written. */
export const WRITTEN_NOW: Column = { name: 'written_at', value: () => 'CURRENT_TIMESTAMP' };

/** For date columns, whose binds are YYYY-MM-DD text. */
export const toDate = (bind: string) => `TO_DATE(${bind}, 'YYYY-MM-DD')`;

export async function deleteRecord(tx: Transaction, table: RecordTable, id: number | string): Promise<void> {
  await tx.execute(`DELETE FROM ${table} WHERE ${KEYS[table]} = :id`, { id });
}
