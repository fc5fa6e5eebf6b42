import type { Database, Transaction } from '../ports/database.ts';
import { BEFORE_ALL } from './lists.ts';

/**
 * Notes that an object is to be removed unless a row comes to name it. Before an object is written, and when a row lets go of
 * one: so that an object which is neither some row's nor noted is none of ours.
 */
export async function noteObject(tx: Transaction, name: string): Promise<void> {
  const isNoted = await tx.execute('UPDATE object_note SET noted_at = CURRENT_TIMESTAMP WHERE name = :name', { name });
  if (isNoted > 0) return;
  await tx.execute('INSERT INTO object_note (name, noted_at) VALUES (:name, CURRENT_TIMESTAMP)', { name });
}

/** Removes the note of an object that a row has come to name, or that has been removed. */
export async function forgetObject(tx: Transaction, name: string): Promise<void> {
  await tx.execute('DELETE FROM object_note WHERE name = :name', { name });
}

/** For conditions on notes that are at least `:minutes` old. */
const IS_OLD = `noted_at <= CURRENT_TIMESTAMP - CAST(:minutes AS INTEGER) * INTERVAL '1' MINUTE`;

/** Locks the note of an object until the transaction ends; false where there is none so many minutes old. */
export async function lockNote(tx: Transaction, name: string, minutes: number): Promise<boolean> {
  const rows = await tx.rows(`SELECT name FROM object_note WHERE name = :name AND ${IS_OLD} FOR UPDATE`, {
    name,
    minutes,
  });
  return rows.length > 0;
}

/** The noted objects in the order of their names, after one; `isOld`: for at least so many minutes. */
export async function listNotes(
  db: Database,
  { minutes, after, limit }: { minutes: number; after: string; limit: number },
): Promise<{ name: string; isOld: boolean }[]> {
  const rows = await db.rows<{ name: string; is_old: number }>(
    'system',
    `SELECT name, CASE WHEN ${IS_OLD} THEN 1 ELSE 0 END AS is_old FROM object_note
     WHERE name > :after ORDER BY name FETCH FIRST :most ROWS ONLY`,
    { minutes, after: after || BEFORE_ALL, most: limit },
  );
  return rows.map((row) => ({ name: row.name, isOld: row.is_old === 1 }));
}
