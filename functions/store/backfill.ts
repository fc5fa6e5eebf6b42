import type { Transaction } from '../ports/database.ts';
import { KINDS } from './kinds.ts';

/**
 * Enqueues every record that has no chunk of the given model, unless it is already waiting or has nothing to index.
 * Returns how many.
 */
export async function enqueueMissing(tx: Transaction, model: string): Promise<number> {
  let enqueued = 0;
  for (const [type, { table, key }] of Object.entries(KINDS)) {
    const id = `CAST(r.${key} AS VARCHAR(64))`;
    const noneIn = (other: string, condition = '') =>
      `NOT EXISTS (SELECT 1 FROM ${other} o WHERE o.source_type = '${type}' AND o.source_id = ${id}${condition})`;
    enqueued += await tx.execute(
      `INSERT INTO rag_dirty (source_type, source_id, action)
       SELECT '${type}', ${id}, 'UPSERT' FROM ${table} r
       WHERE ${noneIn('rag_chunk', ' AND o.embedding_model = :model')}
       AND ${noneIn('rag_dirty')}
       AND ${noneIn('rag_source', " AND o.state = 'empty'")}`,
      { model },
    );
  }
  return enqueued;
}
