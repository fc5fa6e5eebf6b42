import { type BenchDatabase, constantEmbedder } from './bench-database.ts';
import { type Finding, timed, times } from './report.ts';
import { drainRowAtATime } from './row-at-a-time.ts';

const SOURCES = 500;
const ROUNDS = 2;
const GOAL = 5;

const DESCRIPTION = 'The nightly settlement run waits for the ledger lock and is late. '.repeat(4);
const ENQUEUE = `INSERT INTO rag_dirty (source_type, source_id, action)
  SELECT 'task', CAST(task_id AS VARCHAR(512)), 'UPSERT' FROM task ORDER BY task_id`;

/** Drains the same sources in the product's way and row by row: new ones, then ones whose text has changed. */
export async function measureDrain(bench: BenchDatabase): Promise<Finding[]> {
  await bench.execute(
    `INSERT INTO task (task_id, title, status, priority, description)
     SELECT n, 'Task ' || n, 'todo', 'medium', '${DESCRIPTION}' FROM generate_series(1, ${SOURCES}) n`,
  );
  const drains = {
    product: () => bench.drain(constantEmbedder),
    rows: () => drainRowAtATime(bench.database, constantEmbedder),
  };
  const total = { product: { fresh: 0, changed: 0 }, rows: { fresh: 0, changed: 0 } };
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ['product', 'rows'] as const) {
      await bench.execute('DELETE FROM rag_dirty', 'DELETE FROM rag_chunk', 'DELETE FROM rag_source', ENQUEUE);
      total[way].fresh += await timed(drains[way]);
      await bench.execute(`UPDATE task SET description = description || ' Again.'`, ENQUEUE);
      total[way].changed += await timed(drains[way]);
    }
  }
  const perSecond = (elapsed: number) => `${Math.round((ROUNDS * SOURCES * 1000) / elapsed)}/s`;
  const finding = (what: 'fresh' | 'changed', name: string): Finding => {
    const ratio = total.rows[what] / total.product[what];
    return {
      what: `drain, ${name} text`,
      figure: times(ratio),
      goal: `≥ ${GOAL}×`,
      met: ratio >= GOAL,
      how: `${perSecond(total.product[what])} against ${perSecond(total.rows[what])} sources row by row; ${ROUNDS} × ${SOURCES} sources, embedding stubbed`,
    };
  };
  return [finding('fresh', 'new'), finding('changed', 'changed')];
}
