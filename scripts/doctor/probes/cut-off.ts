import { setTimeout as sleep } from 'node:timers/promises';
import { oracleNumber } from '../../../functions/adapters/oracle/errors.ts';
import type { ProbeContext } from '../context.ts';
import { isTimeout, refusalOf } from '../errors.ts';
import { block, change, type ProbeSession } from '../session.ts';

/** Part of P16: what becomes of a pipeline whose connection is given up in the middle, as at a deadline. */

const LIMIT_MS = 1500;
/** Longer than the limit, and no longer than what its locks are waited for: a server that goes on is seen to commit. */
const SLOW_SECONDS = 6;
const FREE_MS = 30_000;
const BETWEEN_MS = 250;

const INSERT = 'INSERT INTO <items> (id, note) VALUES (:id, :note)';
const SLOW = 'BEGIN DBMS_SESSION.SLEEP(6); END;';
/** Refused while any row of the table is written and not committed. */
const TRY_LOCK = 'BEGIN LOCK TABLE <items> IN EXCLUSIVE MODE NOWAIT; ROLLBACK; END;';
const COUNT = 'SELECT COUNT(*) AS n FROM <items> WHERE id >= :id';
const ID = 301;

const BUSY = 54;

interface Part {
  /** Null where it decides nothing. */
  holds: boolean | null;
  seen: string;
}

export async function cutOff(context: ProbeContext, other: ProbeSession): Promise<Part> {
  // What the session before it left may still be there.
  if ((await secondsUntilFree(other)) === null) {
    return { holds: false, seen: `the locks of a pipeline that failed are still there after ${FREE_MS / 1000} s` };
  }
  const session = await context.open();
  session.limit(LIMIT_MS);
  const pipeline = session.run([change(INSERT, { id: ID, note: 'cut off' }), block(SLOW), { kind: 'commit' }]).then(
    () => null,
    (reason: unknown) => reason,
  );
  const hasBegun = await hasLocked(other, pipeline);
  const error = await pipeline;
  await session.close();
  context.signal.throwIfAborted();
  const untold = notCutOff(error, hasBegun, context.signal);
  if (untold !== null) return { holds: null, seen: `a pipeline that is cut off: not tried (${untold})` };
  const seconds = await secondsUntilFree(other);
  const n = Number(await other.value(COUNT, { id: ID }));
  return {
    holds: n === 0 && seconds !== null,
    seen:
      `of a pipeline (INSERT, ${SLOW_SECONDS} s, commit) that is cut off after ${LIMIT_MS / 1000} s ` +
      `${n === 0 ? 'nothing is' : 'the row is'} committed, and its lock is ` +
      `${seconds === null ? `still there after ${FREE_MS / 1000} s` : `gone ${seconds} s later`}`,
  };
}

/** Why nothing is learned of it; null where it was cut off in the middle. */
function notCutOff(error: unknown, hasBegun: boolean, signal: AbortSignal): string | null {
  if (error === null) return 'it ended within its time';
  if (!isTimeout(error)) return refusalOf(error, signal);
  return hasBegun ? null : 'its time was over before its INSERT was seen';
}

/** Whether the pipeline's lock is seen before the pipeline has ended. */
async function hasLocked(other: ProbeSession, pipeline: Promise<unknown>): Promise<boolean> {
  let isOver = false;
  const ended = pipeline.then(() => {
    isOver = true;
  });
  while (!isOver) {
    if (!(await isFree(other))) return true;
    await Promise.race([ended, sleep(BETWEEN_MS / 5)]);
  }
  return false;
}

/** Null where it is not free in time. */
async function secondsUntilFree(other: ProbeSession): Promise<number | null> {
  const start = performance.now();
  while (!(await isFree(other))) {
    if (performance.now() - start > FREE_MS) return null;
    await sleep(BETWEEN_MS, undefined, { signal: other.signal });
  }
  return Math.round((performance.now() - start) / 100) / 10;
}

async function isFree(other: ProbeSession): Promise<boolean> {
  try {
    await other.block(TRY_LOCK);
    return true;
  } catch (error) {
    if (oracleNumber(error) === BUSY) return false;
    throw error;
  }
}
