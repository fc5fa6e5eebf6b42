import { toClaimedRow } from '../../core/queue.ts';
import type { Dialect } from '../../ports/database.ts';
import type { EmbeddingModel } from '../../ports/embedder.ts';
import { catalogName, requireName } from './names.ts';
import { OracleTransaction } from './transaction.ts';

/** The dimension that RAG_CHUNK.EMBEDDING is declared with; a dimension cannot be changed, so others have columns of their own. */
const DIMENSION = 384;

/** How near an approximate search comes to an exact one, in percent. */
const TARGET_ACCURACY = 90;

/** The column that holds the vectors of a dimension. */
export const vectorColumnOf = (dimension: number) => (dimension === DIMENSION ? 'embedding' : `embedding_${dimension}`);

/** Oracle Database 23.6 or newer, with the model in the owner's schema. */
export function oracleDialect(owner: string): Dialect {
  const embedding = ({ model }: EmbeddingModel, bind: string) =>
    `VECTOR_EMBEDDING(${requireName(owner)}.${catalogName(model)} USING :${bind} AS DATA)`;
  return {
    name: 'oracle',
    vectorColumn: ({ dimension }) => vectorColumnOf(dimension),
    passageVector: (model, bind) => (model.inDatabase ? embedding(model, bind) : `:${bind}`),
    // As a subquery it is embedded once; beside the column it can be embedded for each row.
    distanceTo: (model, column, bind) =>
      `VECTOR_DISTANCE(${column}, ${model.inDatabase ? `(SELECT ${embedding(model, bind)} FROM dual)` : `:${bind}`}, COSINE)`,
    exactFirst: (bind) => `FETCH EXACT FIRST :${bind} ROWS ONLY`,
    approximateFirst: (bind) => `FETCH APPROX FIRST :${bind} ROWS ONLY WITH TARGET ACCURACY ${TARGET_ACCURACY}`,
    // In braces a word is itself, also where it is one of the query language's own.
    textQuery: (terms) => terms.map((term) => `{${term}}`).join(' ACCUM '),
    textSearch: (column, bind) => ({
      where: `CONTAINS(${column}, :${bind}, 1) > 0`,
      score: 'SCORE(1)',
      order: 'SCORE(1) DESC',
    }),

    async claim(tx, { limit, maxAttempts, leaseSeconds, lost }) {
      if (!(tx instanceof OracleTransaction)) throw new Error('a claim needs a transaction of this database');
      const due = lost
        ? 'claimed_until < CURRENT_TIMESTAMP'
        : 'claimed_until IS NULL AND attempts < :max_attempts AND next_attempt_at <= CURRENT_TIMESTAMP';
      // A row is locked when it is fetched. Any limit within the statement would count before locked rows are passed
      // over, and the second of two drains would get none.
      const rows = await tx.firstRows<Record<string, string | number>>(
        `SELECT dirty_id, source_type, source_id, action, attempts FROM rag_dirty
         WHERE ${due}
         ORDER BY enqueued_at, dirty_id
         FOR UPDATE SKIP LOCKED`,
        lost ? {} : { max_attempts: maxAttempts },
        limit,
      );
      tx.defer(
        `UPDATE rag_dirty
         SET claimed_until = CURRENT_TIMESTAMP + CAST(:lease AS INTEGER) * INTERVAL '1' SECOND, attempts = attempts + 1
         WHERE dirty_id = :dirty_id`,
        rows.map((row) => ({ lease: leaseSeconds, dirty_id: Number(row.dirty_id) })),
      );
      return rows.map((row) => toClaimedRow(row, Number(row.attempts) + 1));
    },
  };
}
