import { SOURCE_TYPES, type SourceRef } from '../core/kinds/kind.ts';
import type { Binds, Database } from '../ports/database.ts';
import { KINDS } from './kinds.ts';
import { inList } from './lists.ts';
import { enqueue } from './queue.ts';

/**
 * Enqueues every record that has no chunk of the given model, unless it is already waiting or has nothing to index.
 * Returns how many.
 */
export function enqueueMissing(db: Database, model: string): Promise<number> {
  return enqueueWhere(db, (hasChunk) => `NOT ${hasChunk('o.embedding_model = :model')}`, { model });
}

/**
 * Enqueues every record with chunks from before texts had a language, or told what of them is repeated, unless it is already
 * waiting. Returns how many.
 */
export function enqueueIncomplete(db: Database): Promise<number> {
  return enqueueWhere(db, (hasChunk) => hasChunk('(o.language IS NULL OR o.repeated IS NULL)'), {});
}

/**
 * Enqueues every record that has chunks of other models than these, which its drain removes, unless it is already
 * waiting. Returns how many.
 */
export function enqueueOutdated(db: Database, models: string[]): Promise<number> {
  const wanted = inList('model', models);
  return enqueueWhere(db, (hasChunk) => hasChunk(`o.embedding_model NOT IN ${wanted.sql}`), wanted.binds);
}

/**
 * Enqueues what is not waiting, has something to index, and meets a condition on its chunks. A transaction for each
 * kind: it locks the records as their writers do, and never two kinds at once.
 */
async function enqueueWhere(
  db: Database,
  condition: (hasChunk: (of: string) => string) => string,
  binds: Binds,
): Promise<number> {
  let enqueued = 0;
  for (const type of SOURCE_TYPES) {
    const { table, key } = KINDS[type];
    const isIn = (other: string, condition = '') =>
      `EXISTS (SELECT 1 FROM ${other} o
         WHERE o.source_type = '${type}' AND o.source_id = CAST(r.${key} AS VARCHAR(512))${condition})`;
    enqueued += await db.transaction('system', async (tx) => {
      const rows = await tx.rows<{ id: number | string }>(
        `SELECT r.${key} AS id FROM ${table} r
         WHERE ${condition((of) => isIn('rag_chunk', ` AND ${of}`))}
         AND NOT ${isIn('rag_dirty')}
         AND NOT ${isIn('rag_source', " AND o.state = 'empty'")}
         ORDER BY r.${key} FOR UPDATE`,
        binds,
      );
      const refs = rows.map((row): SourceRef => ({ type, id: String(row.id) }));
      enqueue(tx, refs, 'UPSERT');
      return refs.length;
    });
  }
  return enqueued;
}
