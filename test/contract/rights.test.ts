import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Caller, maySee } from '../../functions/core/scope.ts';
import { countChunks } from '../../functions/store/chunks.ts';
import { findEmployeeBySubject } from '../../functions/store/employees.ts';
import { HASHING, hashVector } from '../support/hashing-embedder.ts';
import { callerOf, readChunks } from '../support/inspect.ts';
import { searchNearest } from '../support/nearest.ts';
import { findSources } from '../support/questions.ts';
import {
  chunkWith,
  cosineDistance,
  isPermitted,
  type RandomChunk,
  randomChunk,
  storeChunks,
  withoutPolicies,
} from '../support/random-chunks.ts';
import { put } from '../support/records.ts';
import { forEachDatabase } from './databases.ts';

const ANA = callerOf(1);
const BEN = callerOf(2);
const MIA = callerOf(3, 'manager');
const ADA = callerOf(4, 'admin');
const PEOPLE = [ANA, BEN, MIA, ADA];

const vectorOf = (words: string[]) => Float32Array.from(hashVector(words.join(' ')));

forEachDatabase('rights', (bench) => {
  describe('who may find what', () => {
    test('developers find what the organisation shares and their own, managers and admins everything', async () => {
      for (const { employeeId, role } of PEOPLE) await bench.write(put.employee(employeeId, { role }));
      await bench.write(
        put.project(1),
        put.sprint(1),
        put.task(1, { assigneeId: 1 }),
        put.task(2, { assigneeId: 2 }),
        put.task(3),
      );
      await bench.drain();

      const found = await Promise.all(PEOPLE.map((caller) => findSources(bench, { caller, topK: 50 }, 'task')));

      const shared = ['project/1', 'sprint/1'];
      expect(found.map((sources) => sources.sort())).toEqual([
        [...shared, 'task/1'],
        [...shared, 'task/2'],
        [...shared, 'task/1', 'task/2', 'task/3'],
        [...shared, 'task/1', 'task/2', 'task/3'],
      ]);
    });

    test('a search finds what an exact scan of the permitted chunks finds, for everybody and any number', async () => {
      const random = fc.record({
        chunks: fc.array(randomChunk, { minLength: 1, maxLength: 60, size: 'max' }),
        question: fc.array(fc.constantFrom('payment', 'ledger', 'refund', 'login'), { minLength: 1, maxLength: 3 }),
      });
      const check = async ({ chunks, question }: { chunks: RandomChunk[]; question: string[] }) => {
        await storeChunks(bench.database, chunks);
        for (const caller of PEOPLE) {
          for (const topK of [1, 3, 8, 50]) {
            const search = { question: vectorOf(question), model: HASHING, topK };
            const hits = await searchNearest(bench.database, caller, search);
            const hitsByFilterAlone = await searchNearest(withoutPolicies(bench.database), caller, search);

            const distances = chunks.map((chunk) => cosineDistance(chunk.words, question));
            const permitted = distances.filter((_, i) => isPermitted(caller, chunks[i] as RandomChunk));
            const nearest = permitted.sort((one, other) => one - other).slice(0, topK);
            expect(hitsByFilterAlone).toEqual(hits);
            expect(hits).toHaveLength(nearest.length);
            expect(new Set(hits.map((hit) => hit.sourceId)).size).toBe(hits.length);
            for (const [rank, hit] of hits.entries()) {
              const chunk = chunks[Number(hit.sourceId)] as RandomChunk;
              expect(isPermitted(caller, chunk)).toBe(true);
              expect(hit.content).toBe(chunk.words.join(' '));
              // Equal but for the precision that the database keeps vectors in.
              expect(hit.distance).toBeCloseTo(distances[Number(hit.sourceId)] ?? Number.NaN, 5);
              expect(hit.distance).toBeCloseTo(nearest[rank] ?? Number.NaN, 5);
            }
          }
        }
      };

      await fc.assert(fc.asyncProperty(random, check), { numRuns: 12, endOnFailure: true });
    });

    test('the filter of a statement, the database’s policies and the rule in code say the same of every chunk', async () => {
      const chunks = [
        ...[null, 1, 2, 3].flatMap((owner) =>
          (['organization', 'owner'] as const).map((audience) => chunkWith({ owner, audience })),
        ),
        ...(['organization', 'managers', 'people'] as const).flatMap((audience) =>
          [[], [1], [2, 3]].map((readers) => chunkWith({ type: 'document', audience, readers })),
        ),
      ];
      await storeChunks(bench.database, chunks);
      const sql = 'SELECT COUNT(*) AS n FROM rag_chunk';

      for (const caller of PEOPLE) {
        const expected = chunks.filter((chunk) => isPermitted(caller, chunk)).length;
        expect(await countChunks(withoutPolicies(bench.database), caller, HASHING.model)).toBe(expected);
        expect(await bench.database.rows(caller, sql)).toEqual([{ n: expected }]);
        const byCode = chunks.filter(({ owner, audience, readers }) =>
          maySee(caller, { ownerEmployeeId: owner, audience, isReader: readers.includes(caller.employeeId) }),
        );
        expect(byCode).toHaveLength(expected);
      }
    });

    test('two permitted tasks are found among two hundred nearer ones of somebody else', async () => {
      await bench.write(put.employee(1), put.employee(2));
      for (let id = 1; id <= 200; id++) await bench.write(put.task(id, { title: 'Payment ledger', assigneeId: 2 }));
      for (const id of [201, 202]) await bench.write(put.task(id, { title: 'Something else', assigneeId: 1 }));
      await bench.drain({ batchSize: 202 });

      for (const topK of [2, 8]) {
        expect((await findSources(bench, { caller: ANA, topK }, 'payment ledger')).sort()).toEqual([
          'task/201',
          'task/202',
        ]);
      }
      expect(await findSources(bench, { caller: BEN, topK: 8 }, 'payment ledger')).toHaveLength(8);
    });
  });

  describe('a change of rights', () => {
    test('reaches the index without embedding where the text stays the same', async () => {
      // Two people of one name: the task shows the same text, whoever has it.
      await bench.write(
        put.employee(1, { firstName: 'Ana', lastName: 'Ruiz' }),
        put.employee(2, { firstName: 'Ana', lastName: 'Ruiz' }),
        put.task(1, { title: 'Ledger', assigneeId: 1 }),
      );
      await bench.drain();
      const [before] = await readChunks(bench.database);
      await bench.write(put.task(1, { title: 'Ledger', assigneeId: 2 }));
      const report = await bench.drain();
      const found = [
        await findSources(bench, { caller: ANA }, 'ledger'),
        await findSources(bench, { caller: BEN }, 'ledger'),
      ];

      expect(report).toMatchObject({ embedded: 0, unchanged: 1 });
      expect(bench.embedder.encoded.filter((text) => text.startsWith('[TASK'))).toHaveLength(1);
      expect(await readChunks(bench.database)).toEqual([{ ...before, owner_employee_id: 2 }]);
      expect(found).toEqual([[], ['task/1']]);
    });

    test('of a reassigned task: the old owner no longer finds it, the new one does', async () => {
      await bench.write(put.employee(1), put.employee(2), put.task(1, { title: 'Ledger', assigneeId: 1 }));
      await bench.drain();
      const before = await findSources(bench, { caller: ANA }, 'ledger');
      await bench.write(put.task(1, { title: 'Ledger', assigneeId: 2 }));
      await bench.drain();
      const given = [
        await findSources(bench, { caller: ANA }, 'ledger'),
        await findSources(bench, { caller: BEN }, 'ledger'),
      ];
      await bench.write(put.task(1, { title: 'Ledger' }));
      await bench.drain();
      const taken = [
        await findSources(bench, { caller: BEN }, 'ledger'),
        await findSources(bench, { caller: MIA }, 'ledger'),
      ];

      expect(before).toEqual(['task/1']);
      expect(given).toEqual([[], ['task/1']]);
      expect(taken).toEqual([[], ['task/1']]);
    });

    test('that takes a right away does not wait for the queue; one that gives a right does', async () => {
      await bench.write(put.employee(1), put.employee(2), put.task(1, { title: 'Ledger', assigneeId: 1 }));
      await bench.write(
        put.task(2, { title: 'Ledger', assigneeId: 1 }),
        put.task(3, { title: 'Ledger', assigneeId: 1 }),
      );
      await bench.drain();
      const findAs = (caller: Caller) => findSources(bench, { caller }, 'ledger');

      await bench.write(put.task(1, { title: 'Ledger', assigneeId: 2 }), { op: 'delete', type: 'task', id: 2 });
      const afterTaking = [await findAs(ANA), await findAs(BEN)];
      await bench.write({ op: 'delete', type: 'employee', id: 1 }, put.employee(1, { firstName: 'Another' }));
      const withTheSameId = await findAs(ANA);
      await bench.drain();

      expect(afterTaking).toEqual([['task/3'], []]);
      expect(withTheSameId).toEqual([]);
      expect(await findAs(BEN)).toEqual(['task/1']);
    });

    test('of a person’s role is in force with the next call, without a drain', async () => {
      await bench.write(put.employee(1), put.employee(2), put.task(1, { title: 'Ledger', assigneeId: 2 }));
      await bench.drain();
      const findAsNow = async () => {
        const caller = await findEmployeeBySubject(bench.database, '1');
        return caller === null ? 'nobody' : findSources(bench, { caller }, 'ledger');
      };

      const asDeveloper = await findAsNow();
      await bench.write(put.employee(1, { role: 'manager' }));
      const asManager = await findAsNow();
      await bench.write(put.employee(1, { role: 'developer' }));
      const asDeveloperAgain = await findAsNow();
      await bench.write({ op: 'delete', type: 'employee', id: 1 });

      expect([asDeveloper, asManager, asDeveloperAgain, await findAsNow()]).toEqual([[], ['task/1'], [], 'nobody']);
    });
  });
});
