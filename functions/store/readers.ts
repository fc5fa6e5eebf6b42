import { InvalidInput } from '../core/errors.ts';
import type { FileReaders } from '../core/kinds/file.ts';
import { type SourceRef, sourceKey } from '../core/kinds/kind.ts';
import type { Binds, Transaction } from '../ports/database.ts';
import { inList } from './lists.ts';
import { refBinds } from './queue.ts';
import { lockReferences } from './rows.ts';

/** Stands for everybody known, where a reader's id would be. */
const EVERYBODY = 0;

/**
 * Locks what a file refers to, its listed readers and its project: before the file itself, as every writer does. What is not
 * there is the caller's fault (InvalidInput).
 */
export async function lockParents(
  tx: Transaction,
  { readers, projectId }: { readers: FileReaders; projectId: number | null },
): Promise<void> {
  await lockReaders(tx, readers);
  await lockReferences(tx, [{ field: 'projectId', table: 'project', id: projectId }]);
}

/** The employees of a list who are there, locked so that none is removed meanwhile; the others are the caller's fault. */
async function lockReaders(tx: Transaction, { readers }: FileReaders): Promise<void> {
  if (readers.length === 0) return;
  const list = inList('id', readers);
  const rows = await tx.rows<{ employee_id: number }>(
    `SELECT employee_id FROM employee WHERE employee_id IN ${list.sql} ORDER BY employee_id FOR UPDATE`,
    list.binds,
  );
  const known = new Set(rows.map((row) => row.employee_id));
  const unknown = readers.filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  const shown = unknown.slice(0, 10).join(', ');
  const fault = unknown.length === 1 ? `there is no employee ${shown}` : `there are no employees ${shown}`;
  throw InvalidInput.of([{ field: 'audience', fault }]);
}

/** Makes the readers of sources those that are given; they count at once, whatever the index still says. */
export async function putReaders(
  tx: Transaction,
  refs: SourceRef[],
  { audience, readers }: FileReaders,
): Promise<void> {
  await removeReaders(tx, refs);
  const ids = audience === 'organization' ? [EVERYBODY] : readers;
  const rows = refs.flatMap((ref) => ids.map((employee_id): Binds => ({ ...refBinds(ref), employee_id })));
  if (rows.length === 0) return;
  tx.defer(
    'INSERT INTO source_reader (source_type, source_id, employee_id) VALUES (:source_type, :source_id, :employee_id)',
    rows,
  );
}

export async function removeReaders(tx: Transaction, refs: SourceRef[]): Promise<void> {
  await tx.executeMany(
    'DELETE FROM source_reader WHERE source_type = :source_type AND source_id = :source_id',
    refs.map(refBinds),
  );
}

/** What {@link joinReaders} adds to a row; null where a file has no listed readers. */
export interface ReaderRow {
  reader: number | null;
}

/** Joins the listed readers of files, as `r`, one row each: their kind, and the column that names them. */
export const joinReaders = (type: SourceRef['type'], key: string) =>
  `LEFT JOIN source_reader r ON r.source_type = '${type}' AND r.source_id = ${key} AND r.employee_id <> ${EVERYBODY}`;

/** The first row of each file, and its readers; a file's rows stand together, in the order of the readers' ids. */
export function groupReaders<Row extends ReaderRow>(
  rows: Row[],
  keyOf: (row: Row) => string,
): { row: Row; readers: number[] }[] {
  const files = new Map<string, { row: Row; readers: number[] }>();
  for (const row of rows) {
    const file = files.get(keyOf(row)) ?? { row, readers: [] };
    files.set(keyOf(row), file);
    if (row.reader !== null) file.readers.push(row.reader);
  }
  return [...files.values()];
}

/** The employees who are listed as readers of a source, in the order of their ids. */
export async function readReaders(tx: Transaction, ref: SourceRef): Promise<number[]> {
  const rows = await tx.rows<{ employee_id: number }>(
    `SELECT employee_id FROM source_reader
     WHERE source_type = :source_type AND source_id = :source_id AND employee_id <> ${EVERYBODY} ORDER BY employee_id`,
    refBinds(ref),
  );
  return rows.map((row) => row.employee_id);
}

/** Which of these sources an employee is listed as a reader of, by {@link sourceKey}. */
export async function readListed(tx: Transaction, employeeId: number, refs: SourceRef[]): Promise<Set<string>> {
  const types = inList('type', [...new Set(refs.map((ref) => ref.type))]);
  const ids = inList('id', [...new Set(refs.map((ref) => ref.id))]);
  const rows = await tx.rows<{ source_type: SourceRef['type']; source_id: string }>(
    `SELECT source_type, source_id FROM source_reader
     WHERE employee_id = :employee_id AND source_type IN ${types.sql} AND source_id IN ${ids.sql}`,
    { employee_id: employeeId, ...types.binds, ...ids.binds },
  );
  return new Set(rows.map((row) => sourceKey({ type: row.source_type, id: row.source_id })));
}
