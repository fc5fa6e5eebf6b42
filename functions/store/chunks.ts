import type { Part, SourceContent, SourceRef } from '../core/kinds/kind.ts';
import type { Language } from '../core/language.ts';
import type { Caller } from '../core/scope.ts';
import { blankToNull, truncate } from '../core/text.ts';
import type { Binds, Database, Dialect, Transaction } from '../ports/database.ts';
import type { EmbeddingModel, VectorBind } from '../ports/embedder.ts';
import { refBinds } from './queue.ts';
import { chunkScope } from './scope.ts';

/** The longest heading that is kept, in UTF-16 units. */
const MAX_HEADING_LENGTH = 1000;

interface Chunk {
  chunkNo: number;
  section: number | null;
  /** How many UTF-16 units at the beginning of the content stand elsewhere too. */
  repeated: number;
  /** The part of a file that it was cut from. */
  part: Part | null;
  /** What the text index holds of it. */
  terms: string;
}

/** A chunk whose text and vector are there: all else is written again. */
interface KeptChunk extends Chunk {
  /** What EMBEDDING_MODEL says of it until now. */
  storedAs: string;
}

/** A chunk that must be written with its vector. */
interface NewChunk extends Chunk {
  content: string;
  contentHash: string;
  /** What the embedder made for it. */
  vector: VectorBind;
}

/** What is written of one source by one model. */
interface ModelChange {
  model: EmbeddingModel;
  /** What EMBEDDING_MODEL says of the chunks from now on. */
  storeAs: string;
  kept: KeptChunk[];
  added: NewChunk[];
}

/** Chunks of one model, from the first number to the last. */
export interface ChunkRange {
  model: string;
  first: number;
  last: number;
}

/** The greatest CHUNK_NO there can be. */
const LAST_CHUNK_NO = 999_999_999;

/** Every chunk of a model. */
export const wholeRange = (model: string): ChunkRange => ({ model, first: 0, last: LAST_CHUNK_NO });

/** What changes in the chunks of one source. */
export interface ChunkChange {
  ref: SourceRef;
  /** Null: the source has gone or has nothing to index. */
  content: SourceContent | null;
  language: Language;
  /** Chunks that go, before others take their places. */
  removed: ChunkRange[];
  written: ModelChange[];
}

/**
 * Writes the changes of many sources with at most two statements and one a model, whatever the number of sources. False
 * where a staged chunk that was to be taken over has gone: then the transaction must not be kept.
 */
export async function writeChunks(tx: Transaction, changes: ChunkChange[]): Promise<boolean> {
  const written = changes.flatMap(({ written, ...source }) => written.map((part) => ({ ...source, ...part })));
  const removed = changes.flatMap(({ ref, removed }) =>
    removed.map(({ model, first, last }) => ({ ...refBinds(ref), model, first_no: first, last_no: last })),
  );
  const kept = written.flatMap(({ storeAs, kept, ...source }) =>
    kept.map((chunk) => ({ ...chunkBinds(source, chunk), model: storeAs, stored_as: chunk.storedAs })),
  );
  const takesOver = kept.some(({ model, stored_as }) => model !== stored_as);
  if (takesOver) {
    await tx.executeMany(DELETE, removed);
    if ((await tx.executeMany(UPDATE, kept)) !== kept.length) return false;
  } else {
    defer(tx, DELETE, removed);
    defer(tx, UPDATE, kept);
  }
  for (const model of new Map(written.map((part) => [part.model.model, part.model])).values()) {
    defer(
      tx,
      insert(tx.dialect, model),
      written
        .filter((part) => part.model.model === model.model)
        .flatMap(({ storeAs, added, ...source }) =>
          added.map((chunk) => ({
            ...chunkBinds(source, chunk),
            content: chunk.content,
            content_hash: chunk.contentHash,
            vector: chunk.vector,
            model: storeAs,
          })),
        ),
    );
  }
  return true;
}

const DELETE = `DELETE FROM rag_chunk
  WHERE source_type = :source_type AND source_id = :source_id AND embedding_model = :model
    AND chunk_no BETWEEN :first_no AND :last_no`;

const UPDATE = `UPDATE rag_chunk SET embedding_model = :model, owner_employee_id = :owner_employee_id,
    audience = :audience, project_id = :project_id, sprint_id = :sprint_id, title = :title, heading = :heading,
    metadata = :metadata, section = :section, repeated = :repeated, language = :language, terms = :terms,
    updated_at = CURRENT_TIMESTAMP
  WHERE source_type = :source_type AND source_id = :source_id AND embedding_model = :stored_as AND chunk_no = :chunk_no`;

const insert = (dialect: Dialect, model: EmbeddingModel) =>
  `INSERT INTO rag_chunk (source_type, source_id, chunk_no, section, owner_employee_id, audience, project_id,
     sprint_id, title, heading, content, content_hash, repeated, ${dialect.vectorColumn(model)}, embedding_model,
     metadata, language, terms)
   VALUES (:source_type, :source_id, :chunk_no, :section, :owner_employee_id, :audience, :project_id,
     :sprint_id, :title, :heading, :content, :content_hash, :repeated, ${dialect.passageVector(model, 'vector')}, :model,
     :metadata, :language, :terms)`;

function defer(tx: Transaction, sql: string, many: Binds[]): void {
  if (many.length > 0) tx.defer(sql, many);
}

function chunkBinds({ ref, content, language }: Pick<ChunkChange, 'ref' | 'content' | 'language'>, chunk: Chunk) {
  if (content === null) throw new Error('a source without content has no chunks to write');
  const heading = chunk.part?.heading ?? null;
  return {
    ...refBinds(ref),
    title: content.title,
    heading: heading === null ? null : truncate(heading, MAX_HEADING_LENGTH),
    metadata: JSON.stringify({ ...content.metadata, ...chunk.part?.metadata }),
    owner_employee_id: content.scope.ownerEmployeeId,
    audience: content.scope.audience,
    project_id: content.scope.projectId,
    sprint_id: content.scope.sprintId,
    language,
    chunk_no: chunk.chunkNo,
    section: chunk.section,
    repeated: chunk.repeated,
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
