import type { Metadata, SourceRef } from '../core/kinds/kind.ts';
import type { Caller } from '../core/scope.ts';
import type { Database } from '../ports/database.ts';
import { refBinds } from './queue.ts';
import { chunkScope } from './scope.ts';

/** A passage of a file, as it is indexed. */
export interface IndexedPassage {
  chunkNo: number;
  section: number;
  heading: string | null;
  metadata: Metadata;
  content: string;
}

/** The passages of some sections of a file in their order, of those after `after` up to `last`, if the caller may see them. */
export async function readPassages(
  db: Database,
  caller: Caller,
  model: string,
  ref: SourceRef,
  { after, last }: { after: number; last: number },
): Promise<IndexedPassage[]> {
  const scope = chunkScope(caller, 'c');
  const rows = await db.transaction(caller, (tx) =>
    tx.rows<{ chunk_no: number; section: number; heading: string | null; metadata: string | null; content: string }>(
      `SELECT c.chunk_no, c.section, c.heading, JSON_SERIALIZE(c.metadata) AS metadata, c.content FROM rag_chunk c
       WHERE c.source_type = :source_type AND c.source_id = :source_id AND c.embedding_model = :model
         AND c.section > :after AND c.section <= :last AND ${scope.sql}
       ORDER BY c.chunk_no`,
      { ...refBinds(ref), model, after, last, ...scope.binds },
    ),
  );
  return rows.map(({ chunk_no, section, heading, metadata, content }) => ({
    chunkNo: chunk_no,
    section,
    heading,
    metadata: metadata === null ? {} : (JSON.parse(metadata) as Metadata),
    content,
  }));
}
