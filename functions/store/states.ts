import { type SourceRef, sourceKey } from '../core/kinds/kind.ts';
import type { Database } from '../ports/database.ts';
import { inList, isoUtc } from './lists.ts';
import type { StoredState } from './sources.ts';

/** How far a source has come: as RAG_SOURCE has it, unless a change of it waits or was given up. */
export interface FileState {
  state: StoredState | 'queued';
  chunkCount: number;
  indexedAt: string | null;
  /** Why there is nothing to index, or why the last attempt failed. */
  reason: string | null;
}

/** The states of many sources, by {@link sourceKey}. Whether a person may see the sources is not known here. */
export async function readStates(
  db: Database,
  maxAttempts: number,
  refs: SourceRef[],
): Promise<Map<string, FileState>> {
  if (refs.length === 0) return new Map();
  const types = inList('type', [...new Set(refs.map((ref) => ref.type))]);
  const ids = inList(
    'id',
    refs.map((ref) => ref.id),
  );
  const rows = await db.rows<{
    source_type: SourceRef['type'];
    source_id: string;
    state: StoredState | null;
    chunk_count: number | null;
    indexed_at: string | null;
    last_error: string | null;
    waiting: number;
    parked: number;
  }>(
    'system',
    `SELECT k.source_type, k.source_id, MAX(k.state) AS state, MAX(k.chunk_count) AS chunk_count,
            MAX(k.indexed_at) AS indexed_at, MAX(k.last_error) AS last_error,
            SUM(k.waiting) AS waiting, SUM(k.parked) AS parked
     FROM (
       SELECT s.source_type, s.source_id, s.state, s.chunk_count, ${isoUtc('s.indexed_at')} AS indexed_at, s.last_error,
              0 AS waiting, 0 AS parked
       FROM rag_source s WHERE s.source_type IN ${types.sql} AND s.source_id IN ${ids.sql}
       UNION ALL
       SELECT d.source_type, d.source_id, NULL, NULL, NULL, NULL,
              CASE WHEN d.attempts >= :max_attempts AND d.claimed_until IS NULL THEN 0 ELSE 1 END,
              CASE WHEN d.attempts >= :max_attempts AND d.claimed_until IS NULL THEN 1 ELSE 0 END
       FROM rag_dirty d WHERE d.source_type IN ${types.sql} AND d.source_id IN ${ids.sql}
     ) k
     GROUP BY k.source_type, k.source_id`,
    { ...types.binds, ...ids.binds, max_attempts: maxAttempts },
  );
  return new Map(
    rows.map((row) => [
      sourceKey({ type: row.source_type, id: row.source_id }),
      {
        state: row.waiting > 0 ? 'queued' : row.parked > 0 ? 'failed' : (row.state ?? 'queued'),
        chunkCount: row.chunk_count ?? 0,
        indexedAt: row.indexed_at,
        reason: row.last_error,
      },
    ]),
  );
}
