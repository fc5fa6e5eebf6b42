import { toClaimedRow } from '../../core/queue.ts';
import type { Dialect } from '../../ports/database.ts';

/** How PostgreSQL ranks words: by its own full-text search, or by BM25 where the extension pg_textsearch is there. */
export type TextIndex = 'fulltext' | 'bm25';

/** PostgreSQL 17 or newer with pgvector. No index narrows a search here, so that every search is exact. */
export const postgresDialect = (textIndex: TextIndex): Dialect => ({
  ...common,
  ...(textIndex === 'bm25' ? bm25 : fullText),
});

const fullText: Pick<Dialect, 'textQuery' | 'textSearch'> = {
  textQuery: (terms) => terms.join(' | '),
  textSearch(column, bind) {
    const document = `to_tsvector('simple', COALESCE(${column}, ''))`;
    const query = `to_tsquery('simple', :${bind})`;
    // 1: divided by the logarithm of the length.
    const score = `ts_rank(${document}, ${query}, 1)`;
    return { where: `${document} @@ ${query}`, score, order: `${score} DESC` };
  },
};

/** Written so that the index brings the rows in their order; a row without any of the terms scores 0. */
const bm25: Pick<Dialect, 'textQuery' | 'textSearch'> = {
  textQuery: (terms) => terms.join(' '),
  textSearch(column, bind) {
    const distance = `${column} <@> to_bm25query(:${bind}, 'rag_chunk_bm25')`;
    return { where: `${column} IS NOT NULL`, score: `-(${distance})`, order: distance };
  },
};

const common: Omit<Dialect, 'textQuery' | 'textSearch'> = {
  name: 'postgres',
  vectorColumn: () => 'embedding',
  passageVector: (_, bind) => `CAST(:${bind} AS vector)`,
  distanceTo: (_, column, bind) => `${column} <=> CAST(:${bind} AS vector)`,
  exactFirst: (bind) => `FETCH FIRST :${bind} ROWS ONLY`,
  approximateFirst: () => null,

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
