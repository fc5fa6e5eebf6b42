import fc from 'fast-check';
import { sha256Hex } from '../../functions/core/hash.ts';
import type { Caller } from '../../functions/core/scope.ts';
import { indexTerms } from '../../functions/core/terms.ts';
import type { Database } from '../../functions/ports/database.ts';
import { writeChunks } from '../../functions/store/chunks.ts';
import type { Filter } from '../../functions/store/scope.ts';
import { HASHING, hashVector } from './hashing-embedder.ts';

/** A chunk that is a whole source, of a kind whose records the row security does not look at. */
export interface RandomChunk {
  type: 'project' | 'sprint';
  owner: number | null;
  audience: 'organization' | 'owner';
  projectId: number | null;
  sprintId: number | null;
  words: string[];
}

export const WORDS = ['payment', 'ledger', 'refund', 'login', 'screen', 'export'];
/** In some chunks. */
export const CODE = 'KB-7';

export const randomChunk: fc.Arbitrary<RandomChunk> = fc.record({
  type: fc.constantFrom('project', 'sprint'),
  owner: fc.constantFrom(null, 1, 2, 3),
  audience: fc.constantFrom('organization', 'owner'),
  projectId: fc.constantFrom(null, 1, 2),
  sprintId: fc.constantFrom(null, 1, 2),
  words: fc.array(fc.constantFrom(...WORDS, CODE), { minLength: 1, maxLength: 6, size: 'max' }),
});

export const isPermitted = (caller: Caller, { owner, audience }: Pick<RandomChunk, 'owner' | 'audience'>) =>
  caller.role !== 'developer' || audience === 'organization' || owner === caller.employeeId;

export const passes = ({ sourceTypes, projectId, sprintId }: Filter, chunk: RandomChunk) =>
  (sourceTypes?.includes(chunk.type) ?? true) &&
  (projectId === undefined || chunk.projectId === projectId) &&
  (sprintId === undefined || chunk.sprintId === sprintId);

export function cosineDistance(one: string[], other: string[]): number {
  const [a, b] = [hashVector(one.join(' ')), hashVector(other.join(' '))];
  return 1 - a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
}

/** Stores one source for each, whose id is its place, instead of all that there are. */
export async function storeChunks(database: Database, chunks: RandomChunk[]): Promise<void> {
  const changes = chunks.map(({ type, owner, audience, projectId, sprintId, words }, i) => {
    const content = words.join(' ');
    const vector = Float32Array.from(hashVector(content));
    const added = {
      chunkNo: 0,
      section: null,
      terms: indexTerms(content, 'en'),
      content,
      contentHash: sha256Hex(content),
      vector,
    };
    return {
      ref: { type, id: String(i) },
      content: {
        title: 'A title',
        text: content,
        scope: { ownerEmployeeId: owner, audience, projectId, sprintId },
        metadata: {},
      },
      language: 'en' as const,
      removed: [],
      written: [{ model: HASHING, kept: [], added: [added] }],
    };
  });
  await database.transaction('system', async (tx) => {
    await tx.execute('DELETE FROM rag_chunk');
    writeChunks(tx, changes);
  });
}

/** A database whose own policies bind nobody: what is left then is what our statements themselves leave. */
export const withoutPolicies = (database: Database): Database => ({
  dialect: database.dialect,
  transaction: (_, work) => database.transaction('system', work),
  rows: (_, sql, binds) => database.rows('system', sql, binds),
  execute: (_, sql, binds) => database.execute('system', sql, binds),
  within: () => withoutPolicies(database),
  hold: (work) => work(withoutPolicies(database)),
  close: async () => {},
});

/** A database that takes everybody for one person: what a statement that forgets the rights is told. */
export const policiesOf = (caller: Caller, database: Database): Database => ({
  ...withoutPolicies(database),
  rows: (_, sql, binds) => database.rows(caller, sql, binds),
});
