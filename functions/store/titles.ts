import type { SourceRef } from '../core/kinds/kind.ts';
import type { Caller } from '../core/scope.ts';
import type { Database } from '../ports/database.ts';
import { inList } from './lists.ts';
import { chunkScope } from './scope.ts';
import { isSwitchedTo } from './staged.ts';

/** The titles of the sources that the caller may see now, by "type/id": of these, and perhaps of a few others. */
export async function readTitles(db: Database, caller: Caller, refs: SourceRef[]): Promise<Map<string, string>> {
  if (refs.length === 0) return new Map();
  const types = inList('type', [...new Set(refs.map((ref) => ref.type))]);
  const ids = inList('id', [...new Set(refs.map((ref) => ref.id))]);
  const scope = chunkScope(caller, 'c');
  const rows = await db.rows<{ source_type: string; source_id: string; title: string }>(
    caller,
    `SELECT c.source_type, c.source_id, MAX(c.title) AS title FROM rag_chunk c
     WHERE c.source_type IN ${types.sql} AND c.source_id IN ${ids.sql} AND ${scope.sql} AND ${isSwitchedTo('c')}
     GROUP BY c.source_type, c.source_id`,
    { ...types.binds, ...ids.binds, ...scope.binds },
  );
  return new Map(rows.map((row) => [`${row.source_type}/${row.source_id}`, row.title]));
}
