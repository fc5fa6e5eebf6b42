import { retrieve } from '../../functions/ask/retrieve.ts';
import type { Embedder } from '../../functions/ports/embedder.ts';
import { put } from '../support/records.ts';
import { type BenchDatabase, constantEmbedder } from './bench-database.ts';
import { CountingDatabase, type Counts } from './counting-database.ts';
import type { Finding } from './report.ts';

const BATCH = 32;
const NEXT_EMBEDDER: Embedder = { ...constantEmbedder, model: 'next' };
const HOW = `counted around the database's port; one statement for many bind sets is one`;

/** Counts the statements of a retrieval and of a drained batch. */
export async function measureStatements(bench: BenchDatabase): Promise<Finding[]> {
  await bench.execute('DELETE FROM rag_dirty', 'DELETE FROM rag_chunk', 'DELETE FROM rag_source', 'DELETE FROM task');
  const counting = new CountingDatabase(bench.database);
  const drainCounts = (next: Embedder | null = null) =>
    counting.during(() => bench.drain(constantEmbedder, counting, next));
  const write = (title: string) =>
    bench.write(Array.from({ length: BATCH }, (_, i) => put.task(i + 1, { title: `${title} ${i + 1}` })));

  // What a drain asks even when there is nothing to do is no part of a batch.
  const idle = await drainCounts();
  const ofBatch = async (title: string, next: Embedder | null = null): Promise<Counts> => {
    await write(title);
    const { statements, roundTrips } = await drainCounts(next);
    return { statements: statements - idle.statements, roundTrips: roundTrips - idle.roundTrips };
  };
  const fresh = await ofBatch('First');
  const changed = await ofBatch('Second');
  const unchanged = await ofBatch('Second');
  const prepared = await ofBatch('Second', NEXT_EMBEDDER);
  const changedInSwap = await ofBatch('Third', NEXT_EMBEDDER);
  const caller = { employeeId: 1, role: 'manager' } as const;
  const silent = { info() {}, warn() {}, error() {} };
  const retrieval = await counting.during(() =>
    retrieve({ database: counting, embedder: constantEmbedder, caller, log: silent }, 'Which task 7 has ORA-1652?', {
      topK: 8,
      vectorWeight: 0.5,
      languages: 'en',
      maxPerSource: 0,
      filters: {},
      sort: null,
      approximate: false,
    }),
  );

  const finding = (what: string, { statements, roundTrips }: Counts, goal?: number): Finding => ({
    what,
    figure: `${statements}`,
    goal: goal === undefined ? '' : `≤ ${goal}`,
    ...(goal === undefined ? {} : { met: statements <= goal }),
    how: `in ${roundTrips} round trip${roundTrips === 1 ? '' : 's'}; ${HOW}`,
  });
  return [
    finding('statements, retrieval', retrieval, 1),
    finding(`statements, ${BATCH} unchanged sources`, unchanged, 6),
    finding(`statements, ${BATCH} changed sources`, changed, 9),
    finding(`statements, ${BATCH} new sources`, fresh),
    finding(`statements, ${BATCH} sources prepared for the next model`, prepared, 7),
    finding(`statements, ${BATCH} changed sources in a swap`, changedInSwap, 10),
  ];
}
