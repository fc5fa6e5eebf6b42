import type { Outcome } from '../../../functions/adapters/oracle/session.ts';
import type { Finding } from '../finding.ts';
import type { Probe } from '../probe.ts';
import { block, type ProbeSession, query } from '../session.ts';

const ROWS = 10;
const LIMIT = 4;

const TABLE = `CREATE TABLE <queue> (
    dirty_id        NUMBER PRIMARY KEY,
    source_id       VARCHAR2(64) NOT NULL,
    enqueued_at     TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
    attempts        NUMBER(9) DEFAULT 0 NOT NULL,
    claimed_until   TIMESTAMP WITH TIME ZONE,
    next_attempt_at TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL
  )`;
const ORDER_INDEX = 'CREATE INDEX <queue_order> ON <queue> (enqueued_at, dirty_id)';
const INSERT = 'INSERT INTO <queue> (dirty_id, source_id) VALUES (:dirty_id, :source_id)';

const CLAIM = `SELECT dirty_id, source_id, attempts FROM <queue>
  WHERE claimed_until IS NULL AND attempts < :max_attempts AND next_attempt_at <= CURRENT_TIMESTAMP
  ORDER BY enqueued_at, dirty_id
  FOR UPDATE SKIP LOCKED`;
const BINDS = { max_attempts: 5 };

/** What goes ahead of a claim in the product, where it sets the context. */
const AHEAD = 'BEGIN NULL; END;';

export const claims: Probe = {
  id: 'P2',
  question: 'Do drains that claim at once get different rows, and each as many as it asked for?',
  needs: 'CREATE TABLE; three sessions',
  means: {
    holds: 'drains may run side by side',
    differs: 'drains must not run side by side (one scheduled drain, no nudge) until the claim is another',
    open: 'the claim rests on rows being locked as they are fetched',
  },
  async run(context) {
    const sessions = [await context.open(), await context.open(), await context.open()];
    const [first] = sessions as [ProbeSession];
    await context.scratch.create(first, 'table', 'queue', TABLE);
    await context.scratch.create(first, 'index', 'queue_order', ORDER_INDEX);
    await first.changes(
      INSERT,
      Array.from({ length: ROWS }, (_, i) => ({ dirty_id: i + 1, source_id: `source ${i + 1}` })),
    );
    await first.commit();
    const alone = await claimInTurn(sessions, async (session) => session.rows(CLAIM, BINDS, LIMIT));
    const piped = await claimInTurn(sessions, async (session) => {
      const [, found] = (await session.run([block(AHEAD), query(CLAIM, LIMIT, BINDS)])) as [Outcome, Outcome];
      return found.rows;
    });
    return decide(alone, piped);
  },
};

/** What each session gets while those before it hold theirs. */
async function claimInTurn(
  sessions: ProbeSession[],
  claim: (session: ProbeSession) => Promise<Record<string, unknown>[]>,
): Promise<number[][]> {
  const claimed: number[][] = [];
  for (const session of sessions) claimed.push((await claim(session)).map(({ dirty_id }) => Number(dirty_id)));
  for (const session of sessions) await session.rollback();
  return claimed;
}

function decide(alone: number[][], piped: number[][]): Finding {
  const wanted = JSON.stringify([
    [1, 2, 3, 4],
    [5, 6, 7, 8],
    [9, 10],
  ]);
  const told = (claimed: number[][]) => claimed.map((ids) => `{${ids.join(' ')}}`).join(' ');
  return {
    holds: JSON.stringify(alone) === wanted && JSON.stringify(piped) === wanted,
    seen:
      `of ${ROWS} rows, three sessions that ask for ${LIMIT} each get ${told(alone)}; ` +
      `in a pipeline, as the product asks, ${told(piped)}`,
  };
}
