import type { SourceContent, SourceRef, SourceType } from '../core/kinds/kind.ts';
import { type Audience, type Caller, seesEverything } from '../core/scope.ts';
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

/** What is written of one source by one model. */
interface ModelChange {
  model: EmbeddingModel;
  /** Chunks whose text is the same: their rights, metadata and sections are written again, their vectors stay. */
  kept: { chunkNo: number; section: number | null }[];
  added: NewChunk[];
}

/** What changes in the chunks of one source. */
export interface ChunkChange {
  ref: SourceRef;
  /** Null: the source has gone or has nothing to index. */
  content: SourceContent | null;
  /** Chunks that go, before the new ones come. */
  removed: { model: string; chunkNo: number }[];
  written: ModelChange[];
}

/** Writes the changes of many sources with at most two statements and one a model, whatever the number of sources. */
export function writeChunks(tx: Transaction, changes: ChunkChange[]): void {
  const written = changes.flatMap(({ ref, content, written }) => written.map((part) => ({ ref, content, ...part })));
  defer(
    tx,
    `UPDATE rag_chunk SET owner_employee_id = :owner_employee_id, audience = :audience, project_id = :project_id,
       sprint_id = :sprint_id, title = :title, metadata = :metadata, section = :section, updated_at = CURRENT_TIMESTAMP
     WHERE source_type = :source_type AND source_id = :source_id AND embedding_model = :model AND chunk_no = :chunk_no`,
    written.flatMap(({ ref, content, model, kept }) =>
      kept.map(({ chunkNo, section }) => ({
        ...refBinds(ref),
        ...contentBinds(content),
        model: model.model,
        chunk_no: chunkNo,
        section,
      })),
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
         sprint_id, title, content, content_hash, ${dialect.vectorColumn(model)}, embedding_model, metadata)
       VALUES (:source_type, :source_id, :chunk_no, :section, :owner_employee_id, :audience, :project_id,
         :sprint_id, :title, :content, :content_hash, ${dialect.passageVector(model, 'vector')}, :model, :metadata)`,
      written
        .filter((part) => part.model.model === model.model)
        .flatMap(({ ref, content, added }) =>
          added.map((chunk) => ({
            ...refBinds(ref),
            ...contentBinds(content),
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

/** How many passages an approximate search considers for each that is wanted, since those of one section count once. */
const CANDIDATES_PER_HIT = 4;

interface Search {
  /** What the embedder made of the question. */
  question: VectorBind;
  model: EmbeddingModel;
  topK: number;
  /** Whether an index that misses a few may be used where nothing is filtered. */
  approximate?: boolean;
}

/**
 * The `topK` nearest passages that the caller may see, one of each section, nearest first; ties by CHUNK_ID. One
 * statement, exact: equal to a scan of the permitted rows. Only for who sees everything may it be approximate, and it is
 * made again, exact, where that finds too few.
 */
export async function searchChunks(db: Database, caller: Caller, search: Search): Promise<Hit[]> {
  if (search.approximate === true && seesEverything(caller)) {
    const candidates = approximateCandidates(db, search.model);
    const hits = candidates === null ? [] : await nearest(db, caller, search, candidates);
    if (hits.length === search.topK) return hits;
  }
  return nearest(db, caller, search, exactCandidates(db, caller, search.model));
}

/** A query of passages with their distances, and its binds besides the question and the model. */
interface Candidates {
  sql: string;
  binds(topK: number): Binds;
}

const candidateColumns = ({ dialect }: Database, model: EmbeddingModel) =>
  `c.chunk_id, c.source_type, c.source_id, c.section,
   ${dialect.distanceTo(model, `c.${dialect.vectorColumn(model)}`, 'question')} AS distance`;

function exactCandidates(db: Database, caller: Caller, model: EmbeddingModel): Candidates {
  const scope = chunkScope(caller, 'c');
  return {
    sql: `SELECT ${candidateColumns(db, model)} FROM rag_chunk c WHERE c.embedding_model = :model AND ${scope.sql}`,
    binds: () => scope.binds,
  };
}

/** Nothing is filtered here: with a condition, an index may find fewer than there are. Null where there is no index. */
function approximateCandidates(db: Database, model: EmbeddingModel): Candidates | null {
  const first = db.dialect.approximateFirst('candidates');
  if (first === null) return null;
  return {
    sql: `SELECT ${candidateColumns(db, model)} FROM rag_chunk c ORDER BY distance ${first}`,
    binds: (topK) => ({ candidates: topK * CANDIDATES_PER_HIT }),
  };
}

async function nearest(
  db: Database,
  caller: Caller,
  { question, model, topK }: Search,
  candidates: Candidates,
): Promise<Hit[]> {
  const scope = chunkScope(caller, 'h');
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
    `SELECT h.chunk_id, h.source_type, h.source_id, h.chunk_no, h.title, h.content, f.distance, h.owner_employee_id,
            h.audience, n.chunk_no AS near_no, n.content AS near_content
     FROM (
       SELECT p.chunk_id, p.distance FROM (
         SELECT d.chunk_id, d.distance, ROW_NUMBER() OVER (
           PARTITION BY d.source_type, d.source_id, d.section ORDER BY d.distance, d.chunk_id) AS place
         FROM (${candidates.sql}) d
       ) p
       WHERE p.place = 1
       ORDER BY p.distance, p.chunk_id
       ${db.dialect.exactFirst('top_k')}
     ) f
     JOIN rag_chunk h ON h.chunk_id = f.chunk_id AND h.embedding_model = :model AND ${scope.sql}
     LEFT JOIN rag_chunk n ON n.source_type = h.source_type AND n.source_id = h.source_id AND n.section = h.section
       AND n.embedding_model = :model AND n.chunk_no BETWEEN h.chunk_no - 1 AND h.chunk_no + 1 AND n.chunk_no <> h.chunk_no
       AND ${chunkScope(caller, 'n').sql}
     ORDER BY f.distance, h.chunk_id, n.chunk_no`,
    { question, model: model.model, top_k: topK, ...scope.binds, ...candidates.binds(topK) },
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

/** A passage that has some of the words asked for. */
export interface TextHit {
  chunkId: number;
  sourceType: SourceType;
  sourceId: string;
  ownerEmployeeId: number | null;
  audience: Audience;
  /** The more the better; not to be compared between questions. */
  score: number;
}

/** The `topK` passages that the caller may see with the most and rarest of the words, best first; ties by CHUNK_ID. */
export async function searchText(
  db: Database,
  caller: Caller,
  { words, model, topK }: { words: string[]; model: EmbeddingModel; topK: number },
): Promise<TextHit[]> {
  // An empty text query is an error in Oracle.
  if (words.length === 0) return [];
  const scope = chunkScope(caller, 'c');
  const { dialect } = db;
  const rows = await db.rows<{
    chunk_id: number;
    source_type: SourceType;
    source_id: string;
    owner_employee_id: number | null;
    audience: Audience;
    score: number;
  }>(
    caller,
    `SELECT c.chunk_id, c.source_type, c.source_id, c.owner_employee_id, c.audience,
            ${dialect.textScore('c.content', 'words')} AS score
     FROM rag_chunk c
     WHERE ${dialect.textMatches('c.content', 'words')} AND c.embedding_model = :model AND ${scope.sql}
     ORDER BY score DESC, c.chunk_id
     FETCH FIRST :top_k ROWS ONLY`,
    { words: dialect.textQuery(words), model: model.model, top_k: topK, ...scope.binds },
  );
  return rows.map((row) => ({
    chunkId: row.chunk_id,
    sourceType: row.source_type,
    sourceId: row.source_id,
    ownerEmployeeId: row.owner_employee_id,
    audience: row.audience,
    score: row.score,
  }));
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
