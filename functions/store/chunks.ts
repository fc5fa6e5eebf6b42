import type { SourceContent, SourceRef } from '../core/kinds/kind.ts';
import type { Language } from '../core/language.ts';
import type { Caller } from '../core/scope.ts';
import { blankToNull } from '../core/text.ts';
import type { Binds, Database, Transaction } from '../ports/database.ts';
import type { EmbeddingModel, VectorBind } from '../ports/embedder.ts';
import { refBinds } from './queue.ts';
import { chunkScope } from './scope.ts';

interface KeptChunk {
  chunkNo: number;
  section: number | null;
  /** What the text index holds of it. */
  terms: string;
}

/** A chunk that must be written with its vector. */
interface NewChunk extends KeptChunk {
  content: string;
  contentHash: string;
  /** What the embedder made for it. */
  vector: VectorBind;
}

/** What is written of one source by one model. */
interface ModelChange {
  model: EmbeddingModel;
  /** Chunks whose text is the same: all else is written again, their vectors stay. */
  kept: KeptChunk[];
  added: NewChunk[];
}

/** What changes in the chunks of one source. */
export interface ChunkChange {
  ref: SourceRef;
  /** Null: the source has gone or has nothing to index. */
  content: SourceContent | null;
  language: Language;
  /** Chunks that go, before the new ones come. */
  removed: { model: string; chunkNo: number }[];
  written: ModelChange[];
}

/** Writes the changes of many sources with at most two statements and one a model, whatever the number of sources. */
export function writeChunks(tx: Transaction, changes: ChunkChange[]): void {
  const written = changes.flatMap(({ written, ...source }) => written.map((part) => ({ ...source, ...part })));
  defer(
    tx,
    `UPDATE rag_chunk SET owner_employee_id = :owner_employee_id, audience = :audience, project_id = :project_id,
       sprint_id = :sprint_id, title = :title, metadata = :metadata, section = :section, language = :language,
       terms = :terms, updated_at = CURRENT_TIMESTAMP
     WHERE source_type = :source_type AND source_id = :source_id AND embedding_model = :model AND chunk_no = :chunk_no`,
    written.flatMap(({ model, kept, ...source }) =>
      kept.map((chunk) => ({ ...chunkBinds(source, chunk), model: model.model })),
    ),
  );
  defer(
    tx,
    `DELETE FROM rag_chunk
     WHERE source_type = :source_type AND source_id = :source_id AND embedding_model = :model AND chunk_no = :chunk_no`,
    changes.flatMap(({ ref, removed }) =>
      removed.map(({ model, chunkNo }) => ({ ...refBinds(ref), model, chunk_no: chunkNo })),
    ),
  );
  const { dialect } = tx;
  for (const model of new Map(written.map((part) => [part.model.model, part.model])).values()) {
    defer(
      tx,
      `INSERT INTO rag_chunk (source_type, source_id, chunk_no, section, owner_employee_id, audience, project_id,
         sprint_id, title, content, content_hash, ${dialect.vectorColumn(model)}, embedding_model, metadata,
         language, terms)
       VALUES (:source_type, :source_id, :chunk_no, :section, :owner_employee_id, :audience, :project_id,
         :sprint_id, :title, :content, :content_hash, ${dialect.passageVector(model, 'vector')}, :model, :metadata, :language, :terms)`,
      written
        .filter((part) => part.model.model === model.model)
        .flatMap(({ added, ...source }) =>
          added.map((chunk) => ({
            ...chunkBinds(source, chunk),
            content: chunk.content,
            content_hash: chunk.contentHash,
            vector: chunk.vector,
            model: model.model,
          })),
        ),
    );
  }
}

function defer(tx: Transaction, sql: string, many: Binds[]): void {
  if (many.length > 0) tx.defer(sql, many);
}

function chunkBinds({ ref, content, language }: Omit<ChunkChange, 'removed' | 'written'>, chunk: KeptChunk): Binds {
  if (content === null) throw new Error('a source without content has no chunks to write');
  return {
    ...refBinds(ref),
    title: content.title,
    metadata: JSON.stringify(content.metadata),
    owner_employee_id: content.scope.ownerEmployeeId,
    audience: content.scope.audience,
    project_id: content.scope.projectId,
    sprint_id: content.scope.sprintId,
    language,
    chunk_no: chunk.chunkNo,
    section: chunk.section,
    terms: blankToNull(chunk.terms),
  };
}

/** How many chunks of a model the caller may see. */
export async function countChunks(db: Database, caller: Caller, model: string): Promise<number> {
  const scope = chunkScope(caller, 'c');
  const [row] = await db.rows<{ n: number }>(
    caller,
    `SELECT COUNT(*) AS n FROM rag_chunk c WHERE c.embedding_model = :model AND ${scope.sql}`,
    { model, ...scope.binds },
  );
  return row?.n ?? 0;
}
