import fc from 'fast-check';
import type { FactName, Metric } from '../../functions/core/facts.ts';
import type { Audience, Caller } from '../../functions/core/scope.ts';
import type { Database } from '../../functions/ports/database.ts';
import type { Filters } from '../../functions/store/scope.ts';
import { hashVector } from './hashing-embedder.ts';
import { type StoredFact, storeSources } from './stored-sources.ts';

/** A chunk that is all there is of a source, of a kind whose records the row security does not look at. */
export interface RandomChunk {
  type: 'project' | 'sprint' | 'document';
  owner: number | null;
  audience: Audience;
  /** Of a document whose audience are people. */
  readers: number[];
  projectId: number | null;
  sprintId: number | null;
  section: number | null;
  facts: StoredFact[];
  words: string[];
}

/** A chunk with what a test does not care about filled in. */
export const chunkWith = (given: Partial<RandomChunk> = {}): RandomChunk => ({
  type: 'sprint',
  owner: null,
  audience: 'organization',
  readers: [],
  projectId: null,
  sprintId: null,
  section: null,
  facts: [],
  words: ['x'],
  ...given,
});

export const WORDS = ['payment', 'ledger', 'refund', 'login', 'screen', 'export'];
/** In some chunks. */
export const CODE = 'KB-7';

const fact: fc.Arbitrary<StoredFact> = fc.record({
  section: fc.constantFrom(0, 1, 2),
  name: fc.constantFrom<FactName>('erpVersion', 'erpModule'),
  value: fc.constantFrom('12.1.3', '12.2.9', 'GL'),
});
const amount: fc.Arbitrary<StoredFact> = fc.record({
  section: fc.constant(1),
  name: fc.constantFrom<Metric>('elapsed', 'cpu'),
  amount: fc.constantFrom(0, 0.5, 2, 1e6),
});

const common = {
  projectId: fc.constantFrom(null, 1, 2),
  sprintId: fc.constantFrom(null, 1, 2),
  section: fc.constantFrom(null, 1),
  words: fc.array(fc.constantFrom(...WORDS, CODE), { minLength: 1, maxLength: 6, size: 'max' }),
};
const recordChunk = fc.record({
  type: fc.constantFrom('project', 'sprint'),
  owner: fc.constantFrom(null, 1, 2, 3),
  audience: fc.constantFrom<Audience>('organization', 'owner'),
  ...common,
});
const fileChunk = fc.record({
  type: fc.constant('document' as const),
  audience: fc.constantFrom<Audience>('organization', 'managers', 'people'),
  readers: fc.subarray([1, 2, 3]),
  facts: fc
    .tuple(fc.array(fact, { maxLength: 3 }), fc.uniqueArray(amount, { maxLength: 2, selector: ({ name }) => name }))
    .map(([facts, amounts]) => [...facts, ...amounts]),
  ...common,
});

export const randomChunk: fc.Arbitrary<RandomChunk> = fc.oneof(recordChunk, fileChunk).map(chunkWith);

export const isPermitted = (caller: Caller, { owner, audience, readers }: RandomChunk) =>
  caller.role !== 'developer' ||
  audience === 'organization' ||
  (audience === 'people' && readers.includes(caller.employeeId)) ||
  owner === caller.employeeId;

export const passes = ({ sourceTypes, projectIds, sprintIds, facts = [] }: Filters, chunk: RandomChunk) =>
  (sourceTypes?.includes(chunk.type) ?? true) &&
  (projectIds?.includes(chunk.projectId ?? 0) ?? true) &&
  (sprintIds?.includes(chunk.sprintId ?? 0) ?? true) &&
  facts.every(({ name, values }) =>
    chunk.facts.some(
      (one) => one.name === name && 'value' in one && values.includes(one.value) && isOfChunk(one, chunk),
    ),
  );

const isOfChunk = (one: StoredFact, chunk: RandomChunk) => one.section === 0 || one.section === chunk.section;

export function cosineDistance(one: string[], other: string[]): number {
  const [a, b] = [hashVector(one.join(' ')), hashVector(other.join(' '))];
  return 1 - a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
}

/** Stores one source for each, whose id is its place, instead of all that there are. */
export const storeChunks = (database: Database, chunks: RandomChunk[]): Promise<void> =>
  storeSources(
    database,
    chunks.map(({ section, words, ...source }, i) => ({
      ...source,
      id: String(i),
      passages: [{ section, content: words.join(' ') }],
    })),
  );

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
