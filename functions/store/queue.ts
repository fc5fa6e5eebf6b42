import type { SourceRef } from '../core/kinds/kind.ts';
import { backoffSeconds, type QueueAction, type SourceWork } from '../core/queue.ts';
import type { Binds, Database, Transaction } from '../ports/database.ts';
import { isoUtc } from './lists.ts';

/**
 * Puts sources into the re-index queue, in the caller's transaction. The caller holds the row lock of each source's
 * record, so that the DIRTY_IDs of one source rise in the order in which its writes commit.
 */
export function enqueue(tx: Transaction, refs: SourceRef[], action: QueueAction): void {
  if (refs.length === 0) return;
  tx.defer(
    'INSERT INTO rag_dirty (source_type, source_id, action) VALUES (:source_type, :source_id, :action)',
    refs.map((ref) => ({ source_type: ref.type, source_id: ref.id, action })),
  );
}

/** Prolongs the claims of rows that are still being worked on. */
export function extendLease(tx: Transaction, works: SourceWork[], leaseSeconds: number): void {
  tx.defer(
    `UPDATE rag_dirty SET claimed_until = CURRENT_TIMESTAMP + CAST(:lease AS INTEGER) * INTERVAL '1' SECOND
     WHERE dirty_id = :dirty_id`,
    works.flatMap((work) => work.dirtyIds.map((dirty_id) => ({ dirty_id, lease: leaseSeconds }))),
  );
}

/**
 * Gives claims back: the attempt does not count, and the next is due in `waitSeconds`. Rows whose attempt has failed
 * already stay as they are.
 */
export function releaseClaims(tx: Transaction, works: SourceWork[], waitSeconds = 0): void {
  tx.defer(
    `UPDATE rag_dirty SET claimed_until = NULL, attempts = attempts - 1,
       next_attempt_at = CURRENT_TIMESTAMP + CAST(:wait AS INTEGER) * INTERVAL '1' SECOND
     WHERE dirty_id = :dirty_id AND claimed_until IS NOT NULL`,
    works.flatMap((work) => work.dirtyIds.map((dirty_id) => ({ dirty_id, wait: waitSeconds }))),
  );
}

/** Removes the rows that are done: of each source, everything up to the generation that its chunks now have. */
export function removeDone(tx: Transaction, works: SourceWork[]): void {
  tx.defer(
    `DELETE FROM rag_dirty WHERE source_type = :source_type AND source_id = :source_id AND dirty_id <= :generation`,
    works.map((work) => ({ ...refBinds(work.ref), generation: work.generation })),
  );
}

/**
 * Records a failed attempt. The newest row of the source stays, with its error and a time for the next attempt, or
 * parked after the last; the older ones go, since the newest says all they say. `late` where the row has gone, because
 * a newer version was indexed meanwhile.
 */
export async function recordFailure(
  tx: Transaction,
  work: SourceWork,
  error: string,
  maxAttempts: number,
): Promise<'retry' | 'parked' | 'late'> {
  const older = work.dirtyIds.filter((dirtyId) => dirtyId !== work.generation);
  if (older.length > 0) {
    await tx.executeMany(
      'DELETE FROM rag_dirty WHERE dirty_id = :dirty_id',
      older.map((dirty_id) => ({ dirty_id })),
    );
  }
  const kept = await tx.execute(
    `UPDATE rag_dirty SET claimed_until = NULL, last_error = :error,
       next_attempt_at = CURRENT_TIMESTAMP + CAST(:wait AS INTEGER) * INTERVAL '1' SECOND
     WHERE dirty_id = :dirty_id`,
    { dirty_id: work.generation, error, wait: backoffSeconds(work.attempts) },
  );
  if (kept === 0) return 'late';
  return work.attempts >= maxAttempts ? 'parked' : 'retry';
}

/** Gives every parked row a new round of attempts. Returns how many. */
export async function requeueParked(tx: Transaction, maxAttempts: number): Promise<number> {
  return tx.execute(
    `UPDATE rag_dirty SET attempts = 0, next_attempt_at = CURRENT_TIMESTAMP
     WHERE attempts >= :max_attempts AND claimed_until IS NULL`,
    { max_attempts: maxAttempts },
  );
}

export interface QueueState {
  waiting: number;
  parked: number;
  /** Of those that wait: the ones with STALLING_ATTEMPTS or more. */
  stalling: number;
  oldestWaitingSeconds: number | null;
}

/** From here on, a source is more than unlucky. */
const STALLING_ATTEMPTS = 3;

/** How many rows wait (claimed ones too), how many of them are stalling, and how many are parked; of the whole queue or of one source. */
export async function readQueue(db: Database, maxAttempts: number, ref?: SourceRef): Promise<QueueState> {
  const isParked = 'attempts >= :max_attempts AND claimed_until IS NULL';
  const [row] = await db.rows<Omit<QueueState, 'oldestWaitingSeconds'> & { oldest: string | null; now: string }>(
    'system',
    `SELECT COUNT(CASE WHEN ${isParked} THEN NULL ELSE 1 END) AS waiting,
            COUNT(CASE WHEN ${isParked} THEN 1 END) AS parked,
            COUNT(CASE WHEN ${isParked} THEN NULL WHEN attempts >= ${STALLING_ATTEMPTS} THEN 1 END) AS stalling,
            ${isoUtc(`MIN(CASE WHEN ${isParked} THEN NULL ELSE enqueued_at END)`)} AS oldest,
            ${isoUtc('CURRENT_TIMESTAMP')} AS now
     FROM rag_dirty ${ref === undefined ? '' : 'WHERE source_type = :source_type AND source_id = :source_id'}`,
    { max_attempts: maxAttempts, ...(ref === undefined ? {} : refBinds(ref)) },
  );
  if (row === undefined) throw new Error('an aggregate returned no row');
  const { waiting, parked, stalling, oldest, now } = row;
  const age = oldest === null ? null : Math.max(0, (Date.parse(now) - Date.parse(oldest)) / 1000);
  return { waiting, parked, stalling, oldestWaitingSeconds: age };
}

export const refBinds = (ref: SourceRef): Binds => ({ source_type: ref.type, source_id: ref.id });
