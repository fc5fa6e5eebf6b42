import type { SourceContent, SourceRef, SourceType } from '../core/kinds/kind.ts';
import type { Audience, Caller } from '../core/scope.ts';
import type { Binds, Database, Transaction } from '../ports/database.ts';
import type { EmbeddingModel, VectorBind } from '../ports/embedder.ts';
import { refBinds } from './queue.ts';
import { chunkScope } from './scope.ts';

/** A chunk that must be written with its vector. */
interface NewChunk {
  chunkNo: number;
  section: number | null;
  content: string;
  contentHash: string;
  /** What the embedder made for it. */
  vector: VectorBind;
}

/** What changes in the chunks of one source. */
export interface ChunkChange {
  ref: SourceRef;
  /** Null: the source has gone or has nothing to index. */
  content: SourceContent | null;
  /** Chunks whose text is the same: their rights, metadata and sections are written again, their vectors stay. */
  kept: { chunkNo: number; section: number | null }[];
  /** Chunks that go, before the new ones come. */
  removedNos: number[];
  added: NewChunk[];
}

/** Writes the changes of many sources with at most three statements, whatever their number. */
export function writeChunks(tx: Transaction, model: EmbeddingModel, changes: ChunkChange[]): void {
  defer(
    tx,
    `UPDATE rag_chunk SET owner_employee_id = :owner_employee_id, audience = :audience, project_id = :project_id,
       sprint_id = :sprint_id, title = :title, metadata = :metadata, section = :section, updated_at = CURRENT_TIMESTAMP
     WHERE source_type = :source_type AND source_id = :source_id AND chunk_no = :chunk_no`,
    changes.flatMap((change) =>
      change.kept.map(({ chunkNo, section }) => ({
        ...refBinds(change.ref),
        ...contentBinds(change.content),
        chunk_no: chunkNo,
        section,
      })),
    ),
  );
  defer(
    tx,
    'DELETE FROM rag_chunk WHERE source_type = :source_type AND source_id = :source_id AND chunk_no = :chunk_no',
    changes.flatMap((change) => change.removedNos.map((chunk_no) => ({ ...refBinds(change.ref), chunk_no }))),
  );
  const { dialect } = tx;
  defer(
    tx,
    `INSERT INTO rag_chunk (source_type, source_id, chunk_no, section, owner_employee_id, audience, project_id,
       sprint_id, title, content, content_hash, metadata, ${dialect.vectorColumn(model)}, embedding_model)
     VALUES (:source_type, :source_id, :chunk_no, :section, :owner_employee_id, :audience, :project_id,
       :sprint_id, :title, :content, :content_hash, :metadata, ${dialect.passageVector(model, 'vector')}, :model)`,
    changes.flatMap((change) =>
      change.added.map((chunk) => ({
        ...refBinds(change.ref),
        ...contentBinds(change.content),
        chunk_no: chunk.chunkNo,
        section: chunk.section,
        content: chunk.content,
        content_hash: chunk.contentHash,
        vector: chunk.vector,
        model: model.model,
      })),
    ),
  );
}

function defer(tx: Transaction, sql: string, many: Binds[]): void {
  if (many.length > 0) tx.defer(sql, many);
}

function contentBinds(content: SourceContent | null): Binds {
  if (content === null) throw new Error('a source without content has no chunks to write');
  return {
    title: content.title,
    metadata: JSON.stringify(content.metadata),
    owner_employee_id: content.scope.ownerEmployeeId,
    audience: content.scope.audience,
    project_id: content.scope.projectId,
    sprint_id: content.scope.sprintId,
  };
}

/** A passage that was found, with the passages beside it in its section. */
export interface Hit {
  chunkId: number;
  sourceType: SourceType;
  sourceId: string;
  title: string;
  content: string;
  distance: number;
  ownerEmployeeId: number | null;
  audience: Audience;
  /** The passages before and after it, where it was cut from a longer text. */
  before: string | null;
  after: string | null;
}

/**
 * The `topK` nearest passages that the caller may see, one of each section, nearest first; ties by CHUNK_ID. One
 * statement, exact: equal to a scan of the permitted rows. `question` is what the embedder made of the question.
 */
export async function searchChunks(
  db: Database,
  caller: Caller,
  { question, model, topK }: { question: VectorBind; model: EmbeddingModel; topK: number },
): Promise<Hit[]> {
  const scope = chunkScope(caller, 'c');
  const distance = db.dialect.distanceTo(model, `c.${db.dialect.vectorColumn(model)}`, 'question');
  const rows = await db.rows<{
    chunk_id: number;
    source_type: SourceType;
    source_id: string;
    chunk_no: number;
    title: string;
    content: string;
    distance: number;
    owner_employee_id: number | null;
    audience: Audience;
    near_no: number | null;
    near_content: string | null;
  }>(
    caller,
    `SELECT h.chunk_id, h.source_type, h.source_id, h.chunk_no, h.title, h.content, h.distance, h.owner_employee_id,
            h.audience, n.chunk_no AS near_no, n.content AS near_content
     FROM (
       SELECT p.* FROM (
         SELECT d.*, ROW_NUMBER() OVER (
           PARTITION BY d.source_type, d.source_id, d.section ORDER BY d.distance, d.chunk_id) AS place
         FROM (
           SELECT c.chunk_id, c.source_type, c.source_id, c.chunk_no, c.section, c.title, c.content,
                  c.owner_employee_id, c.audience, ${distance} AS distance
           FROM rag_chunk c
           WHERE c.embedding_model = :model AND ${scope.sql}
         ) d
       ) p
       WHERE p.place = 1
       ORDER BY p.distance, p.chunk_id
       ${db.dialect.exactFirst('top_k')}
     ) h
     LEFT JOIN rag_chunk n ON n.source_type = h.source_type AND n.source_id = h.source_id AND n.section = h.section
       AND n.chunk_no BETWEEN h.chunk_no - 1 AND h.chunk_no + 1 AND n.chunk_no <> h.chunk_no
       AND ${chunkScope(caller, 'n').sql}
     ORDER BY h.distance, h.chunk_id, n.chunk_no`,
    { question, model: model.model, top_k: topK, ...scope.binds },
  );
  const hits = new Map<number, Hit>();
  for (const row of rows) {
    const hit: Hit = hits.get(row.chunk_id) ?? {
      chunkId: row.chunk_id,
      sourceType: row.source_type,
      sourceId: row.source_id,
      title: row.title,
      content: row.content,
      distance: row.distance,
      ownerEmployeeId: row.owner_employee_id,
      audience: row.audience,
      before: null,
      after: null,
    };
    hits.set(row.chunk_id, hit);
    if (row.near_no !== null) hit[row.near_no < row.chunk_no ? 'before' : 'after'] = row.near_content;
  }
  return [...hits.values()];
}

/** How many chunks the caller may see. */
export async function countChunks(db: Database, caller: Caller): Promise<number> {
  const scope = chunkScope(caller, 'c');
  const [row] = await db.rows<{ n: number }>(
    caller,
    `SELECT COUNT(*) AS n FROM rag_chunk c WHERE ${scope.sql}`,
    scope.binds,
  );
  return row?.n ?? 0;
}

/** The embedding models of the stored chunks. */
export async function storedModels(db: Database): Promise<string[]> {
  const rows = await db.rows<{ embedding_model: string }>(
    'system',
    'SELECT DISTINCT embedding_model FROM rag_chunk ORDER BY embedding_model',
  );
  return rows.map((row) => row.embedding_model);
}
