import { sha256Hex } from '../../functions/core/hash.ts';
import { taskContent } from '../../functions/core/kinds/task.ts';
import type { Database, Transaction } from '../../functions/ports/database.ts';
import type { Embedder } from '../../functions/ports/embedder.ts';
import { BARE_TASK } from '../support/records.ts';

/**
 * The plain way to drain, as a reference: row by row, in a transaction each, one select (the queue row with its record),
 * one hash check, one embedding, one merge, one delete. It keeps fewer promises than the product: no generations, no
 * state of a source, no comments, one chunk a task. Returns how many rows it drained.
 */
export async function drainRowAtATime(database: Database, embedder: Embedder): Promise<number> {
  for (let drained = 0; ; drained++) {
    if (!(await database.transaction('system', (tx) => drainRow(tx, embedder)))) return drained;
  }
}

async function drainRow(tx: Transaction, embedder: Embedder): Promise<boolean> {
  const [row] = await tx.rows<{ dirty_id: number; task_id: number; title: string; description: string }>(
    `SELECT d.dirty_id, t.task_id, t.title, t.description
     FROM rag_dirty d JOIN task t ON t.task_id = CAST(d.source_id AS BIGINT)
     ORDER BY d.enqueued_at, d.dirty_id FETCH FIRST 1 ROWS ONLY FOR UPDATE OF d SKIP LOCKED`,
  );
  if (row === undefined) return false;
  const { title, text, scope, metadata } = taskContent({
    ...BARE_TASK,
    id: row.task_id,
    title: row.title,
    description: row.description,
  });
  const hash = sha256Hex(text);
  const id = String(row.task_id);
  const [stored] = await tx.rows<{ content_hash: string }>(
    `SELECT content_hash FROM rag_chunk WHERE source_type = 'task' AND source_id = :id AND chunk_no = 0`,
    { id },
  );
  if (stored?.content_hash !== hash) {
    const [vector = ''] = await embedder.encode([text], 'passage');
    await tx.execute(
      `MERGE INTO rag_chunk c
       USING (SELECT CAST(:id AS VARCHAR(512)) AS source_id FROM dual) s
       ON (c.source_type = 'task' AND c.source_id = s.source_id AND c.chunk_no = 0)
       WHEN MATCHED THEN UPDATE SET title = :title, content = :content, content_hash = :hash,
         metadata = CAST(:metadata AS JSON), embedding = CAST(:vector AS vector), updated_at = CURRENT_TIMESTAMP
       WHEN NOT MATCHED THEN INSERT (source_type, source_id, chunk_no, audience, title, content, content_hash, metadata,
         embedding, embedding_model)
       VALUES ('task', s.source_id, 0, :audience, :title, :content, :hash, CAST(:metadata AS JSON),
         CAST(:vector AS vector), :model)`,
      {
        id,
        title,
        content: text,
        hash,
        metadata: JSON.stringify(metadata),
        vector,
        audience: scope.audience,
        model: embedder.model,
      },
    );
  }
  await tx.execute('DELETE FROM rag_dirty WHERE dirty_id = :dirty_id', { dirty_id: row.dirty_id });
  return true;
}
