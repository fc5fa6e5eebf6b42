import { toClaimedRow } from '../../core/queue.ts';
import type { Dialect } from '../../ports/database.ts';

/** PostgreSQL 17 or newer with pgvector. No index narrows a search here, so that every search is exact. */
export const postgresDialect: Dialect = {
  name: 'postgres',
  vectorColumn: () => 'embedding',
  passageVector: (_, bind) => `CAST(:${bind} AS vector)`,
  distanceTo: (_, column, bind) => `${column} <=> CAST(:${bind} AS vector)`,
  exactFirst: (bind) => `FETCH FIRST :${bind} ROWS ONLY`,
  approximateFirst: () => null,
  textQuery: (words) => words.join(' | '),
  textMatches: (column, bind) => `to_tsvector('simple', ${column}) @@ to_tsquery('simple', :${bind})`,
  textScore: (column, bind) => `ts_rank(to_tsvector('simple', ${column}), to_tsquery('simple', :${bind}))`,

  async claim(tx, { limit, maxAttempts, leaseSeconds, lost }) {
    const due = lost
      ? 'claimed_until < CURRENT_TIMESTAMP'
      : 'claimed_until IS NULL AND attempts < :max_attempts AND next_attempt_at <= CURRENT_TIMESTAMP';
    const rows = await tx.rows<Record<string, string | number>>(
      `UPDATE rag_dirty
       SET claimed_until = CURRENT_TIMESTAMP + CAST(:lease AS INTEGER) * INTERVAL '1' SECOND, attempts = attempts + 1
       WHERE dirty_id = ANY(ARRAY(
         SELECT dirty_id FROM rag_dirty
         WHERE ${due}
         ORDER BY enqueued_at, dirty_id
         FETCH FIRST :limit ROWS ONLY
         FOR UPDATE SKIP LOCKED))
       RETURNING dirty_id, source_type, source_id, action, attempts`,
      { limit, lease: leaseSeconds, ...(lost ? {} : { max_attempts: maxAttempts }) },
    );
    return rows.map((row) => toClaimedRow(row, Number(row.attempts)));
  },
};
