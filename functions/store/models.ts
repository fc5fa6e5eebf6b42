import type { Database } from '../ports/database.ts';
import { isSwitchedTo } from './staged.ts';

/** The embedding models of the stored chunks; those that are staged do not count. */
export async function storedModels(db: Database): Promise<string[]> {
  const rows = await db.rows<{ embedding_model: string }>(
    'system',
    `SELECT DISTINCT c.embedding_model FROM rag_chunk c WHERE ${isSwitchedTo('c')} ORDER BY c.embedding_model`,
  );
  return rows.map((row) => row.embedding_model);
}

/** Of the sources that have chunks: how many have those of a model, and how many have not. */
export interface Coverage {
  done: number;
  missing: number;
}

/** A source has every chunk of a model or none, so that one chunk tells. */
export async function readCoverage(db: Database, model: string): Promise<Coverage> {
  const [row] = await db.rows<Coverage>(
    'system',
    `SELECT COUNT(CASE WHEN has_it = 1 THEN 1 END) AS done, COUNT(CASE WHEN has_it = 0 THEN 1 END) AS missing
     FROM (
       SELECT MAX(CASE WHEN c.embedding_model = :model THEN 1 ELSE 0 END) AS has_it
       FROM rag_chunk c WHERE ${isSwitchedTo('c')} GROUP BY c.source_type, c.source_id) s`,
    { model },
  );
  if (row === undefined) throw new Error('an aggregate returned no row');
  return row;
}

/** How many vectors of a model there are. */
export async function countVectors(db: Database, model: string): Promise<number> {
  const [row] = await db.rows<{ n: number }>(
    'system',
    'SELECT COUNT(*) AS n FROM rag_chunk WHERE embedding_model = :model',
    { model },
  );
  return row?.n ?? 0;
}
