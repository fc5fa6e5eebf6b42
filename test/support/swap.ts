import { expect } from 'vitest';
import { Unavailable } from '../../functions/core/errors.ts';
import { SOURCE_TYPES, type SourceRef, sourceKey } from '../../functions/core/kinds/kind.ts';
import { passagesOf } from '../../functions/core/passages.ts';
import type { Caller } from '../../functions/core/scope.ts';
import { DEFAULT_CUTTING } from '../../functions/drain/plan.ts';
import type { Database } from '../../functions/ports/database.ts';
import { KINDS, loadContents } from '../../functions/store/kinds.ts';
import { HashingEmbedder } from './hashing-embedder.ts';
import { callerOf, readChunks, type StoredChunk } from './inspect.ts';
import { searchNearest } from './nearest.ts';

/** A next model, of another window and dimension than the tests' own, so that no passage or vector fits both. */
export const betterModel = () => new HashingEmbedder('better', 250, 64);

/** For an embedder's `before`: it refuses texts that hold a word. */
export const refuse = (word: string) => (text: string) => {
  if (text.includes(word)) throw new Error(`cannot embed ${word}`);
};

/** For an embedder's `before`: it cannot be reached. */
export const away = () => {
  throw new Unavailable('The embedding model cannot be reached');
};

/** A text of many passages. */
export const lines = (word: string, count = 16) =>
  Array.from({ length: count }, (_, i) => `The ${word} rule number${i} is kept by the team.`).join('\n');

/** The chunks that every record ought to have by a model. */
async function chunksOught(database: Database, { model, window }: HashingEmbedder) {
  const refs: SourceRef[] = [];
  for (const type of SOURCE_TYPES) {
    const { table, key } = KINDS[type];
    const rows = await database.rows<{ id: number | string }>('system', `SELECT ${key} AS id FROM ${table}`);
    refs.push(...rows.map(({ id }) => ({ type, id: String(id) })));
  }
  const contents = await database.transaction('system', (tx) => loadContents(tx, refs));
  return refs.flatMap((ref) => {
    const content = contents.get(sourceKey(ref))?.();
    if (content === undefined) throw new Error(`${sourceKey(ref)} has gone`);
    return passagesOf(content, { ...DEFAULT_CUTTING, window }).map((passage, chunk_no) => ({
      source: sourceKey(ref),
      embedding_model: model,
      chunk_no,
      section: passage.section,
      title: content.title,
      content: passage.content,
      owner_employee_id: content.scope.ownerEmployeeId,
      audience: content.scope.audience,
    }));
  });
}

const inOrder = <T extends Pick<StoredChunk, 'source' | 'chunk_no'>>(chunks: T[]): T[] =>
  [...chunks].sort((a, b) => (a.source === b.source ? a.chunk_no - b.chunk_no : a.source < b.source ? -1 : 1));

/** A search by a model; not counted by it. */
export const searchBy = (database: Database, caller: Caller, model: HashingEmbedder, text: string, topK = 8) =>
  searchNearest(database, caller, { question: model.inDatabase ? text : model.vectorOf(text), model, topK });

/** Checks that by this model every record has its passages, rights and vectors, and that nothing else has any. */
export async function expectRightIn(database: Database, model: HashingEmbedder): Promise<void> {
  const stored = (await readChunks(database)).filter((chunk) => chunk.embedding_model === model.model);
  expect(inOrder(stored.map(({ chunk_id: _, ...chunk }) => chunk))).toEqual(
    inOrder(await chunksOught(database, model)),
  );
  for (const chunk of stored) {
    const hits = await searchBy(database, callerOf(9, 'manager'), model, chunk.content, 50);
    expect(hits.find((hit) => `${hit.sourceType}/${hit.sourceId}` === chunk.source)?.distance).toBeCloseTo(0, 5);
  }
}

/** Checks that the index is right in these models, the current one first, and has nothing of any other. */
export async function expectIndexedBy(database: Database, ...models: HashingEmbedder[]): Promise<void> {
  for (const model of models) await expectRightIn(database, model);
  const stored = await readChunks(database);
  const names = models.map(({ model }) => model);
  expect(stored.filter((chunk) => !names.includes(chunk.embedding_model))).toEqual([]);
  const counts = await database.rows<{ source: string; chunk_count: number }>(
    'system',
    `SELECT source_type || '/' || source_id AS source, chunk_count FROM rag_source WHERE state = 'ready'`,
  );
  for (const { source, chunk_count } of counts) {
    const ofCurrent = stored.filter((chunk) => chunk.source === source && chunk.embedding_model === names[0]);
    expect({ source, chunk_count }).toEqual({ source, chunk_count: ofCurrent.length });
  }
}

/** A process that is killed after so many transactions: nothing of it reaches the database any more. */
export function dyingAfter(database: Database, transactions: number): Database {
  let left = transactions;
  const alive = () => {
    if (left-- <= 0) throw new Error('killed');
  };
  return {
    dialect: database.dialect,
    async transaction(actor, work) {
      alive();
      return database.transaction(actor, work);
    },
    async rows(actor, sql, binds) {
      alive();
      return database.rows(actor, sql, binds);
    },
    async execute(actor, sql, binds) {
      alive();
      return database.execute(actor, sql, binds);
    },
    within() {
      return this;
    },
    hold(work) {
      return work(this);
    },
    close: async () => {},
  };
}
