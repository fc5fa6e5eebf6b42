import type { FactName, Metric } from '../../functions/core/facts.ts';
import { sha256Hex } from '../../functions/core/hash.ts';
import type { Metadata, SourceType } from '../../functions/core/kinds/kind.ts';
import type { Audience } from '../../functions/core/scope.ts';
import { indexTerms } from '../../functions/core/terms.ts';
import type { Binds, Database } from '../../functions/ports/database.ts';
import { HASHING, hashVector } from './hashing-embedder.ts';

/** Of the source as a whole (section 0), or of one of its sections. */
export type StoredFact = { section: number } & ({ name: FactName; value: string } | { name: Metric; amount: number });

/** A source as the index holds it, written without a queue: what a search finds, and what narrows it. */
export interface StoredSource {
  type: SourceType;
  id: string;
  title?: string;
  owner?: number | null;
  audience?: Audience;
  /** Of a file whose audience are people. */
  readers?: number[];
  projectId?: number | null;
  sprintId?: number | null;
  passages: StoredText[];
  facts?: StoredFact[];
}

interface StoredText {
  content: string;
  section?: number | null;
  repeated?: number | null;
  heading?: string | null;
  metadata?: Metadata | null;
}

const FILES: SourceType[] = ['document', 'diagnostic', 'resolution'];

/** Stores sources instead of all that there are, those of tasks, sprints and projects without their records. */
export async function storeSources(database: Database, sources: StoredSource[]): Promise<void> {
  await database.transaction('system', async (tx) => {
    for (const table of ['rag_fact', 'source_reader', 'rag_chunk']) await tx.execute(`DELETE FROM ${table}`);
    const insert = async (sql: string, many: Binds[]) => {
      if (many.length > 0) await tx.executeMany(sql, many);
    };
    await insert(
      `INSERT INTO rag_chunk (source_type, source_id, chunk_no, section, owner_employee_id, audience, project_id, sprint_id,
         title, heading, repeated, metadata, content, content_hash, ${tx.dialect.vectorColumn(HASHING)}, embedding_model,
         language, terms)
       VALUES (:source_type, :source_id, :chunk_no, :section, :owner, :audience, :project_id, :sprint_id,
         :title, :heading, :repeated, :metadata, :content, :content_hash, ${tx.dialect.passageVector(HASHING, 'vector')}, :model,
         'en', :terms)`,
      sources.flatMap((source) => source.passages.map((passage, i) => chunkBinds(source, passage, i))),
    );
    await insert(
      'INSERT INTO source_reader (source_type, source_id, employee_id) VALUES (:source_type, :source_id, :employee_id)',
      sources.flatMap((source) => readersOf(source).map((employee_id) => ({ ...refBinds(source), employee_id }))),
    );
    await insert(
      `INSERT INTO rag_fact (source_type, source_id, section, name, value, amount)
       VALUES (:source_type, :source_id, :section, :name, :value, :amount)`,
      sources.flatMap((source) =>
        [...(source.facts ?? []), ...indexedReaders(source)].map(({ section, name, ...given }) => ({
          ...refBinds(source),
          section,
          name,
          value: 'value' in given ? given.value : null,
          amount: 'amount' in given ? given.amount : null,
        })),
      ),
    );
  });
}

const refBinds = ({ type, id }: StoredSource) => ({ source_type: type, source_id: id });

/** Everybody known, 0, where a file is for the organisation. */
function readersOf({ type, audience = 'organization', readers = [] }: StoredSource): number[] {
  if (!FILES.includes(type)) return [];
  return audience === 'organization' ? [0] : audience === 'people' ? readers : [];
}

/** Whom what is indexed of a file is for, where that is not everybody. */
const indexedReaders = ({ audience, readers = [] }: StoredSource) =>
  audience === 'people' ? readers.map((id) => ({ section: 0, name: 'reader' as const, value: String(id) })) : [];

function chunkBinds(source: StoredSource, passage: StoredText, chunkNo: number): Binds {
  const { content, section = null, repeated = null, heading = null, metadata = null } = passage;
  return {
    ...refBinds(source),
    chunk_no: chunkNo,
    section,
    owner: source.owner ?? null,
    audience: source.audience ?? 'organization',
    project_id: source.projectId ?? null,
    sprint_id: source.sprintId ?? null,
    title: source.title ?? 'A title',
    heading,
    repeated,
    metadata: metadata === null ? null : JSON.stringify(metadata),
    content,
    content_hash: sha256Hex(content),
    vector: Float32Array.from(hashVector(content)),
    model: HASHING.model,
    terms: indexTerms(content, 'en'),
  };
}
