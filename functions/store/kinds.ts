import { parseId } from '../core/ids.ts';
import { type SourceContent, type SourceRef, type SourceType, sourceKey } from '../core/kinds/kind.ts';
import type { Transaction } from '../ports/database.ts';
import { projects } from './projects.ts';
import { sprints } from './sprints.ts';
import { tasks } from './tasks.ts';

/** Where the records of a kind are, how they are loaded, and what its rules make of one. */
interface StoredKind<View extends { id: number }> {
  table: string;
  key: string;
  load(tx: Transaction, ids: number[]): Promise<View[]>;
  content(view: View): SourceContent;
}

/** A record of a kind, and what its rules make of it: made when asked for, so that one bad record fails alone. */
export interface LoadedRecord {
  record: { id: number };
  content(): SourceContent;
}

/** Binds a kind's loader and its rules together, so that others need not know its view. */
const withContent = <View extends { id: number }>({ table, key, load, content }: StoredKind<View>) => ({
  table,
  key,
  async loadContent(tx: Transaction, ids: number[]): Promise<LoadedRecord[]> {
    return (await load(tx, ids)).map((record) => ({ record, content: () => content(record) }));
  },
});

/** Every kind of knowledge. */
export const KINDS = {
  task: withContent(tasks),
  sprint: withContent(sprints),
  project: withContent(projects),
} satisfies Record<SourceType, unknown>;

/**
 * The contents of many sources by {@link sourceKey}, one statement a kind, all sent at once; what no longer exists is
 * left out.
 */
export async function loadContents(tx: Transaction, refs: SourceRef[]): Promise<Map<string, () => SourceContent>> {
  const contents = new Map<string, () => SourceContent>();
  const load = async ([type, kind]: [SourceType, (typeof KINDS)[SourceType]]) => {
    const ids = refs.filter((ref) => ref.type === type).flatMap((ref) => parseId(ref.id) ?? []);
    if (ids.length === 0) return;
    for (const { record, content } of await kind.loadContent(tx, ids)) {
      contents.set(sourceKey({ type, id: String(record.id) }), content);
    }
  };
  await Promise.all((Object.entries(KINDS) as [SourceType, (typeof KINDS)[SourceType]][]).map(load));
  return contents;
}
