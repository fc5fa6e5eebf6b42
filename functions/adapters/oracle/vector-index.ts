import type { EmbeddingModel } from '../../ports/embedder.ts';
import type { VectorIndex, VectorIndexState } from '../../ports/vector-index.ts';
import type { OracleDatabase } from './database.ts';
import { requireName } from './names.ts';

/** The neighbour partition index of a vector column, made by the owner's package, which may do this alone. */
export class OracleVectorIndex implements VectorIndex {
  readonly #database: OracleDatabase;
  readonly #owner: string;

  constructor(database: OracleDatabase, owner: string) {
    this.#database = database;
    this.#owner = requireName(owner);
  }

  async state(model: EmbeddingModel): Promise<VectorIndexState> {
    const [row] = await this.#database.rows<{ status: string | null; built_rows: number; built_at: string }>(
      'system',
      `SELECT i.status, v.built_rows,
              TO_CHAR(v.built_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS built_at
       FROM rag_vector_index v
       LEFT JOIN all_indexes i ON i.owner = :owner AND i.index_name = v.index_name
       WHERE v.column_name = :column_name`,
      { owner: this.#owner, column_name: this.#columnOf(model) },
    );
    if (row === undefined || row.status === null) return { status: 'absent', builtRows: 0, builtAt: null };
    return {
      status: row.status === 'VALID' ? 'ready' : 'unusable',
      builtRows: row.built_rows,
      builtAt: row.built_at,
    };
  }

  build(model: EmbeddingModel, rows: number): Promise<void> {
    return this.#call('build', model, rows);
  }

  rebuild(model: EmbeddingModel, rows: number): Promise<void> {
    return this.#call('rebuild', model, rows);
  }

  async #call(procedure: 'build' | 'rebuild', model: EmbeddingModel, rows: number): Promise<void> {
    await this.#database.transaction('system', (tx) =>
      tx.execute(`BEGIN ${this.#owner}.rag_index.${procedure}(:column_name, :row_count); END;`, {
        column_name: this.#columnOf(model),
        row_count: rows,
      }),
    );
  }

  #columnOf(model: EmbeddingModel): string {
    return this.#database.dialect.vectorColumn(model).toUpperCase();
  }
}
