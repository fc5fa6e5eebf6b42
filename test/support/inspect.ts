import type { Caller, Role } from '../../functions/core/scope.ts';
import type { Database } from '../../functions/ports/database.ts';

export const callerOf = (employeeId: number, role: Role = 'developer'): Caller => ({ employeeId, role });

/** A chunk as stored. */
export interface StoredChunk {
  chunk_id: number;
  source: string;
  chunk_no: number;
  section: number | null;
  owner_employee_id: number | null;
  audience: string;
  title: string;
  content: string;
  embedding_model: string;
}

/** Every chunk, or those of one source ("task/1"), read by one statement. */
export function readChunks(database: Database, source?: string): Promise<StoredChunk[]> {
  return database.rows<StoredChunk>(
    'system',
    `SELECT * FROM (
       SELECT chunk_id, source_type || '/' || source_id AS source, chunk_no, section, owner_employee_id, audience,
              title, content, embedding_model
       FROM rag_chunk) c
     ${source === undefined ? '' : 'WHERE source = :source'} ORDER BY source, chunk_no`,
    source === undefined ? {} : { source },
  );
}

/** The models that have chunks, of all sources or of one. */
export async function storedModelsOf(database: Database, source?: string): Promise<string[]> {
  return [...new Set((await readChunks(database, source)).map((chunk) => chunk.embedding_model))].sort();
}

/** The text that passages were cut from: each but the first repeats the first line. */
function joinPassages(passages: string[]): string {
  return passages.map((passage, i) => (i === 0 ? passage : passage.slice(passage.indexOf('\n') + 1))).join('');
}

/** The text that is indexed of a source; '' where nothing is. */
export async function indexedText(database: Database, source: string): Promise<string> {
  return joinPassages((await readChunks(database, source)).map((chunk) => chunk.content));
}

/** A queue row as stored. */
interface QueueRow {
  dirty_id: number;
  source: string;
  action: string;
  attempts: number;
  last_error: string | null;
  claimed: boolean;
  due: boolean;
}

export async function readQueueRows(database: Database): Promise<QueueRow[]> {
  // As numbers: not every database has conditions for values.
  const rows = await database.rows<Omit<QueueRow, 'claimed' | 'due'> & { claimed: number; due: number }>(
    'system',
    `SELECT dirty_id, source_type || '/' || source_id AS source, action, attempts, last_error,
            CASE WHEN claimed_until IS NOT NULL THEN 1 ELSE 0 END AS claimed,
            CASE WHEN next_attempt_at <= CURRENT_TIMESTAMP THEN 1 ELSE 0 END AS due
     FROM rag_dirty ORDER BY dirty_id`,
  );
  return rows.map((row) => ({ ...row, claimed: row.claimed === 1, due: row.due === 1 }));
}

/** The sources that wait, each once, in order of their names. */
export async function waitingSources(database: Database): Promise<string[]> {
  return [...new Set((await readQueueRows(database)).map((row) => row.source))].sort();
}

/** Lets the time of every wait pass: of back-offs, or of the leases of drains that died. */
export async function letPass(database: Database, what: 'back-off' | 'lease'): Promise<void> {
  const column = what === 'lease' ? 'claimed_until' : 'next_attempt_at';
  await database.transaction('system', (tx) =>
    tx.execute(
      `UPDATE rag_dirty SET ${column} = CURRENT_TIMESTAMP - INTERVAL '1' SECOND WHERE ${column} > CURRENT_TIMESTAMP`,
    ),
  );
}
