import { refusalOf } from '../errors.ts';
import type { ProbeSession } from '../session.ts';

const READ_PLAN = `SELECT operation, options, object_name FROM plan_table
  WHERE statement_id = '<prefix>' ORDER BY id`;

/** Of an index of neighbour partitions the plan shows its own tables or views, of a graph the index. */
const INDEX_STEP = /\bVECTOR INDEX\b|\bVECTOR\$|\bVW_IV/;

/**
 * Which way a statement would take, from a text that begins with EXPLAIN PLAN SET STATEMENT_ID = '<prefix>' FOR: the
 * vector index, or a scan. In words, also where it cannot be learned.
 */
export async function planOf(session: ProbeSession, explain: string): Promise<string> {
  try {
    await session.block(explain);
    const steps = await session.rows(READ_PLAN);
    const usesIndex = steps.some(({ operation, options, object_name }) =>
      INDEX_STEP.test(`${operation} ${options ?? ''} ${object_name ?? ''}`),
    );
    return usesIndex ? 'by the vector index' : 'by a scan';
  } catch (error) {
    return `by a plan that cannot be read (${refusalOf(error, session.signal)})`;
  } finally {
    // The plan table keeps nothing.
    await session.rollback();
  }
}
