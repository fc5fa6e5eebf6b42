import type { SourceRef, SourceType } from '../core/kinds/kind.ts';
import type { Database } from '../ports/database.ts';
import { KINDS } from './kinds.ts';
import { enqueue } from './queue.ts';

/**
 * Enqueues every record that has no chunk of the given model, unless it is already waiting or has nothing to index.
 * Returns how many. A transaction for each kind: it locks the records as their writers do, and never two kinds at once.
 */
export async function enqueueMissing(db: Database, model: string): Promise<number> {
  let enqueued = 0;
  for (const [type, { table, key }] of Object.entries(KINDS) as [SourceType, (typeof KINDS)[SourceType]][]) {
    const noneIn = (other: string, condition = '') =>
      `NOT EXISTS (SELECT 1 FROM ${other} o
         WHERE o.source_type = '${type}' AND o.source_id = CAST(r.${key} AS VARCHAR(64))${condition})`;
    enqueued += await db.transaction('system', async (tx) => {
      const rows = await tx.rows<{ id: number }>(
        `SELECT r.${key} AS id FROM ${table} r
         WHERE ${noneIn('rag_chunk', ' AND o.embedding_model = :model')}
         AND ${noneIn('rag_dirty')}
         AND ${noneIn('rag_source', " AND o.state = 'empty'")}
         ORDER BY r.${key} FOR UPDATE`,
        { model },
      );
      const refs = rows.map((row): SourceRef => ({ type, id: String(row.id) }));
      enqueue(tx, refs, 'UPSERT');
      return refs.length;
    });
  }
  return enqueued;
}
