import type { Caller } from '../core/scope.ts';
import type { Binds, Database } from '../ports/database.ts';
import type { EmbeddingModel, VectorBind } from '../ports/embedder.ts';
import { BESIDE } from './lists.ts';
import { chunkScope } from './scope.ts';

/** A statement's vector, and the chunks that it cites. */
export interface ComparedStatement {
  vector: VectorBind;
  chunkIds: number[];
}

/**
 * For each statement the cosine distance to the nearest of its chunks and of those beside them, which the answer may rest on
 * as well; null where the caller sees none of them. One statement for all.
 */
export async function statementDistances(
  db: Database,
  caller: Caller,
  model: EmbeddingModel,
  statements: ComparedStatement[],
): Promise<(number | null)[]> {
  const { dialect } = db;
  const scope = chunkScope(caller, 'c');
  const binds: Binds = { model: model.model, ...scope.binds };
  const branches = statements.map(({ vector, chunkIds }, i) => {
    binds[`vector${i}`] = vector;
    const name = `cited_${String.fromCharCode(97 + i)}`;
    const names = chunkIds.map((id, j) => {
      binds[`${name}${j}`] = id;
      return `:${name}${j}`;
    });
    return `SELECT ${i} AS statement_no, MIN(${dialect.distanceTo(model, `c.${dialect.vectorColumn(model)}`, `vector${i}`)}) AS distance
      FROM rag_chunk h
      JOIN rag_chunk c ON c.source_type = h.source_type AND c.source_id = h.source_id
        AND (c.chunk_id = h.chunk_id OR (c.section = h.section AND c.chunk_no BETWEEN h.chunk_no - ${BESIDE} AND h.chunk_no + ${BESIDE}))
      WHERE h.chunk_id IN (${names.join(', ')}) AND h.embedding_model = :model AND ${chunkScope(caller, 'h').sql}
        AND c.embedding_model = :model AND ${scope.sql}`;
  });
  const rows = await db.rows<{ statement_no: number; distance: number | null }>(
    caller,
    branches.join('\n UNION ALL '),
    binds,
  );
  const distances = new Map(rows.map((row) => [row.statement_no, row.distance]));
  return statements.map((_, i) => distances.get(i) ?? null);
}
