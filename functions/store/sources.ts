import type { SourceRef } from '../core/kinds/kind.ts';
import type { Binds, Database, Transaction } from '../ports/database.ts';
import { inList, isoUtc } from './lists.ts';
import { refBinds } from './queue.ts';

export type StoredState = 'ready' | 'empty' | 'failed' | 'deleted';

/** What is indexed of a source now: its generation and its chunks' hashes; null where it was never indexed. */
export interface IndexedSource {
  generation: number;
  chunks: { chunkNo: number; contentHash: string; model: string }[];
}

/** The indexed state of many sources, by "type/id", in one statement. */
export async function loadIndexed(tx: Transaction, refs: SourceRef[]): Promise<Map<string, IndexedSource>> {
  const types = inList('type', [...new Set(refs.map((ref) => ref.type))]);
  const ids = inList('id', [...new Set(refs.map((ref) => ref.id))]);
  const rows = await tx.rows<{
    source_type: string;
    source_id: string;
    generation: number;
    chunk_no: number | null;
    content_hash: string;
    embedding_model: string;
  }>(
    `SELECT s.source_type, s.source_id, s.generation, c.chunk_no, c.content_hash, c.embedding_model
     FROM rag_source s
     LEFT JOIN rag_chunk c ON c.source_type = s.source_type AND c.source_id = s.source_id
     WHERE s.source_type IN ${types.sql} AND s.source_id IN ${ids.sql}`,
    { ...types.binds, ...ids.binds },
  );
  const indexed = new Map<string, IndexedSource>();
  for (const row of rows) {
    const key = `${row.source_type}/${row.source_id}`;
    const source = indexed.get(key) ?? { generation: row.generation, chunks: [] };
    indexed.set(key, source);
    if (row.chunk_no !== null) {
      source.chunks.push({ chunkNo: row.chunk_no, contentHash: row.content_hash, model: row.embedding_model });
    }
  }
  return indexed;
}

/** A source's new state, and the generation it was found in (null: it was in none). */
export interface SourceSwitch {
  ref: SourceRef;
  foundGeneration: number | null;
  generation: number;
  state: StoredState;
  /** Why there is nothing to index, where something can be said about it; kept where failures are told. */
  reason: string | null;
  chunkCount: number;
}

/**
 * Moves sources to their new generations, each only from the generation it was found in. False where another drain has
 * moved one of them meanwhile: then the transaction must not be kept.
 */
export async function switchGenerations(tx: Transaction, switches: SourceSwitch[]): Promise<boolean> {
  const known = switches.filter((s) => s.foundGeneration !== null);
  const fresh = switches.filter((s) => s.foundGeneration === null);
  const moved = await tx.executeMany(
    `UPDATE rag_source SET generation = :generation, state = :state, chunk_count = :chunk_count,
       indexed_at = CURRENT_TIMESTAMP, last_error = :reason
     WHERE source_type = :source_type AND source_id = :source_id AND generation = :found`,
    known.map((s) => ({ ...switchBinds(s), found: s.foundGeneration })),
  );
  if (fresh.length > 0) {
    tx.defer(
      `INSERT INTO rag_source (source_type, source_id, generation, state, chunk_count, indexed_at, last_error)
       VALUES (:source_type, :source_id, :generation, :state, :chunk_count, CURRENT_TIMESTAMP, :reason)`,
      fresh.map(switchBinds),
    );
  }
  return moved === known.length;
}

const switchBinds = (s: SourceSwitch): Binds => ({
  ...refBinds(s.ref),
  generation: s.generation,
  state: s.state,
  reason: s.reason,
  chunk_count: s.chunkCount,
});

/**
 * Locks a source's row, or makes it where there is none: of a source that was never indexed, in generation 0. Returns
 * the generation.
 */
export async function lockSource(tx: Transaction, ref: SourceRef): Promise<number> {
  const [row] = await tx.rows<{ generation: number }>(
    'SELECT generation FROM rag_source WHERE source_type = :source_type AND source_id = :source_id FOR UPDATE',
    refBinds(ref),
  );
  if (row !== undefined) return row.generation;
  await tx.execute(
    `INSERT INTO rag_source (source_type, source_id, generation, state, chunk_count)
     VALUES (:source_type, :source_id, 0, 'failed', 0)`,
    refBinds(ref),
  );
  return 0;
}

/** Notes a failed attempt on a source; its chunks and generation stay. */
export async function recordSourceError(
  tx: Transaction,
  ref: SourceRef,
  error: string,
  parked: boolean,
): Promise<void> {
  const state = parked ? ", state = 'failed'" : '';
  await tx.execute(
    `UPDATE rag_source SET last_error = :error${state} WHERE source_type = :source_type AND source_id = :source_id`,
    { ...refBinds(ref), error },
  );
}

export interface SourceRecord {
  generation: number;
  state: StoredState;
  chunkCount: number;
  indexedAt: string | null;
  /** Why the last attempt failed, or why there is nothing to index. */
  lastError: string | null;
}

/** A source's row; null where it was never indexed. Whether a person may see it is not known here. */
export async function readSource(db: Database, ref: SourceRef): Promise<SourceRecord | null> {
  const [row] = await db.rows<{
    generation: number;
    state: StoredState;
    chunk_count: number;
    indexed_at: string | null;
    last_error: string | null;
  }>(
    'system',
    `SELECT generation, state, chunk_count, ${isoUtc('indexed_at')} AS indexed_at, last_error
     FROM rag_source WHERE source_type = :source_type AND source_id = :source_id`,
    refBinds(ref),
  );
  if (row === undefined) return null;
  return {
    generation: row.generation,
    state: row.state,
    chunkCount: row.chunk_count,
    indexedAt: row.indexed_at,
    lastError: row.last_error,
  };
}
