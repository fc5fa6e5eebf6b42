import { parseId } from '../core/ids.ts';
import { SOURCE_TYPES, type SourceContent, type SourceRef, type SourceType, sourceKey } from '../core/kinds/kind.ts';
import type { Transaction } from '../ports/database.ts';
import { diagnostics, resolutions } from './diagnostics.ts';
import { documents } from './documents.ts';
import { inList } from './lists.ts';
import { projects } from './projects.ts';
import { sprints } from './sprints.ts';
import { tasks } from './tasks.ts';

/** Where the records of a kind are, how they are loaded, and what its rules make of one. */
interface StoredKind<Id, View extends { id: Id }> {
  table: string;
  key: string;
  load(tx: Transaction, ids: Id[]): Promise<View[]>;
  content(view: View): SourceContent;
}

/** A record of a kind, and what its rules make of it: made when asked for, so that one bad record fails alone. */
interface LoadedRecord {
  record: { id: number | string };
  content(): SourceContent;
}

/** A kind as others know it, by the ids of its sources: they need not know its view. */
interface Kind {
  table: string;
  key: string;
  loadContent(tx: Transaction, ids: string[]): Promise<LoadedRecord[]>;
}

/** Binds a kind's loader and its rules together; ids that cannot be one of the kind's find nothing. */
const withContent = <Id, View extends { id: Id & (number | string) }>(
  { table, key, load, content }: StoredKind<Id, View>,
  idsOf: (id: string) => Id[],
): Kind => ({
  table,
  key,
  async loadContent(tx, ids) {
    const known = ids.flatMap(idsOf);
    if (known.length === 0) return [];
    return (await load(tx, known)).map((record) => ({ record, content: () => content(record) }));
  },
});

const numbers = (id: string): number[] => {
  const number = parseId(id);
  return number === null ? [] : [number];
};
const names = (id: string): string[] => [id];

/** Every kind of knowledge. */
export const KINDS: Record<SourceType, Kind> = {
  task: withContent(tasks, numbers),
  sprint: withContent(sprints, numbers),
  project: withContent(projects, numbers),
  document: withContent(documents, names),
  diagnostic: withContent(diagnostics, names),
  resolution: withContent(resolutions, names),
};

/**
 * The contents of many sources by {@link sourceKey}, one statement a kind, all sent at once; what no longer exists is
 * left out.
 */
export async function loadContents(tx: Transaction, refs: SourceRef[]): Promise<Map<string, () => SourceContent>> {
  const contents = new Map<string, () => SourceContent>();
  const load = async (type: SourceType) => {
    const ids = refs.filter((ref) => ref.type === type).map((ref) => ref.id);
    for (const { record, content } of await KINDS[type].loadContent(tx, ids)) {
      contents.set(sourceKey({ type, id: String(record.id) }), content);
    }
  };
  await Promise.all(SOURCE_TYPES.map(load));
  return contents;
}

/** Where the long texts are; what is read with a resolution is its diagnostic. */
const LONG_TEXTS: Partial<Record<SourceType, { table: string; key: string }>> = {
  document: documents,
  diagnostic: diagnostics,
  resolution: diagnostics,
};

/** How many characters the stored texts of files have, by {@link sourceKey}; records, which are short, are left out. */
export async function loadLengths(tx: Transaction, refs: SourceRef[]): Promise<Map<string, number>> {
  const lengths = new Map<string, number>();
  const load = async (type: SourceType) => {
    const text = LONG_TEXTS[type];
    const ids = refs.filter((ref) => ref.type === type).map((ref) => ref.id);
    if (text === undefined || ids.length === 0) return;
    const list = inList('id', ids);
    const rows = await tx.rows<{ id: string; characters: number | null }>(
      `SELECT ${text.key} AS id, LENGTH(content) AS characters FROM ${text.table} WHERE ${text.key} IN ${list.sql}`,
      list.binds,
    );
    for (const { id, characters } of rows) lengths.set(sourceKey({ type, id }), characters ?? 0);
  };
  await Promise.all(SOURCE_TYPES.map(load));
  return lengths;
}
