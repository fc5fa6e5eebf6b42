import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { retrieve } from '../../functions/ask/retrieve.ts';
import type { Hit } from '../../functions/core/fusion.ts';
import type { Caller } from '../../functions/core/scope.ts';
import type { Database } from '../../functions/ports/database.ts';
import type { Filters } from '../../functions/store/scope.ts';
import { callerOf } from '../support/inspect.ts';
import { askContext } from '../support/questions.ts';
import {
  CODE,
  chunkWith,
  cosineDistance,
  isPermitted,
  passes,
  policiesOf,
  type RandomChunk,
  randomChunk,
  storeChunks,
  WORDS,
  withoutPolicies,
} from '../support/random-chunks.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const ANA = callerOf(1);
const MANAGER = callerOf(3, 'manager');
const PEOPLE = [ANA, callerOf(2), MANAGER, callerOf(4, 'admin')];

interface Asked {
  topK: number;
  vectorWeight: number;
  filters?: Filters;
  database?: Database;
}

async function find(bench: Bench, caller: Caller, question: string, asked: Asked): Promise<Hit[]> {
  const { database = bench.database, ...rest } = asked;
  const { embedder } = bench;
  const context = askContext({ database, embedder }, { caller, ...rest });
  return (await retrieve(context, question, context.retrieval)).hits;
}

/** Taken in turn, so that every statement there is is sent in each run. */
const FILTERS: Filters[] = [
  {},
  { sourceTypes: ['project', 'task'] },
  { projectIds: [1] },
  { sprintIds: [2] },
  { sourceTypes: ['sprint', 'document'], projectIds: [1, 2], sprintIds: [1] },
  { facts: [{ name: 'erpVersion', values: ['12.1.3'] }] },
  { projectIds: [1, 2], facts: [{ name: 'erpModule', values: ['GL', '12.2.9'] }] },
  {
    facts: [
      { name: 'erpVersion', values: ['12.1.3', '12.2.9', 'GL'] },
      { name: 'erpModule', values: ['GL', '12.1.3', '12.2.9'] },
    ],
  },
];

const world = fc.record({
  chunks: fc.array(randomChunk, { minLength: 1, maxLength: 60, size: 'max' }),
  words: fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
});

const chunkOf = (chunks: RandomChunk[], hit: Hit) => chunks[Number(hit.sourceId)] as RandomChunk;

forEachDatabase('a hybrid search', (bench) => {
  describe('within rights and filters', () => {
    test('finds by meaning what an exact scan of the permitted rows finds, and by words and names every one', async () => {
      let run = 0;
      const check = async ({ chunks, words }: { chunks: RandomChunk[]; words: string[] }) => {
        const filters = FILTERS[run++ % FILTERS.length] ?? {};
        await storeChunks(bench.database, chunks);
        const question = words.join(' ');
        for (const caller of PEOPLE) {
          const open = chunks.filter((chunk) => isPermitted(caller, chunk) && passes(filters, chunk));
          const nearest = open.map((chunk) => cosineDistance(chunk.words, words)).sort((a, b) => a - b);
          const withWords = open.filter((chunk) => chunk.words.some((word) => [...words, CODE].includes(word)));
          const named = open.filter((chunk) => chunk.words.includes(CODE) || chunk === chunks[3]);
          const worlds: [Caller, Database][] = [
            [caller, bench.database],
            [caller, withoutPolicies(bench.database)],
            // A manager's statements, which name no rights.
            [MANAGER, policiesOf(caller, bench.database)],
          ];
          for (const [asker, database] of worlds) {
            for (const topK of [1, 8]) {
              const byMeaning = await find(bench, asker, question, { topK, vectorWeight: 1, filters, database });
              for (const hit of byMeaning) expect(open).toContain(chunkOf(chunks, hit));
              expect(byMeaning).toHaveLength(Math.min(topK, open.length));
              for (const [rank, hit] of byMeaning.entries()) expect(hit.distance).toBeCloseTo(nearest[rank] ?? -1, 5);
            }
            const asked = { topK: 60, vectorWeight: 0, filters, database };
            const hits = await find(bench, asker, `${question} #3 ${CODE}`, asked);
            const chunksOf = (of: Hit[]) => new Set(of.map((hit) => chunkOf(chunks, hit)));
            expect(chunksOf(hits)).toEqual(new Set(open));
            expect(chunksOf(hits.filter((hit) => hit.words > 0))).toEqual(new Set(withWords));
            expect(chunksOf(hits.filter((hit) => hit.naming !== null))).toEqual(new Set(named));
          }
        }
      };

      await fc.assert(fc.asyncProperty(world, check), { numRuns: 10, endOnFailure: true });
    });
  });

  test('finds the five that may be seen among two thousand nearer ones that may not, by meaning and by words', async () => {
    const hidden = Array.from({ length: 2000 }, (_, i) =>
      chunkWith({ owner: 2, audience: 'owner', words: ['payment', 'ledger', ...(i % 7 === 0 ? ['payment'] : [])] }),
    );
    const own = Array.from({ length: 5 }, (_, i) =>
      chunkWith({
        owner: 1,
        audience: 'owner',
        words: ['the', 'screen', 'of', 'a', 'payment', ...WORDS.slice(0, i), 'is', 'exported', 'with', 'a', 'login'],
      }),
    );
    await storeChunks(bench.database, [...hidden, ...own]);
    const ownIds = own.map((_, i) => String(hidden.length + i));

    for (const vectorWeight of [0, 0.5, 1]) {
      for (const database of [bench.database, withoutPolicies(bench.database)]) {
        for (const topK of [5, 8]) {
          const hits = await find(bench, ANA, 'payment ledger', { topK, vectorWeight, database });
          expect(hits.map((hit) => hit.sourceId).sort()).toEqual(ownIds);
          expect(hits.every((hit) => hit.isNear && hit.textScore > 0)).toBe(true);
        }
      }
    }
    expect(await find(bench, callerOf(5), 'payment ledger', { topK: 8, vectorWeight: 0.5 })).toEqual([]);
    expect(await find(bench, MANAGER, 'payment ledger', { topK: 50, vectorWeight: 0.5 })).toHaveLength(50);
  });
});
