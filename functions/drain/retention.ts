import type { Database } from '../ports/database.ts';
import type { Log } from '../ports/platform.ts';
import { removeOld } from '../store/question-log.ts';
import { removeOldUsage } from '../store/usage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const USAGE_DAYS = 7;

/** What one visit removes at most, in portions, so that no transaction is long; the next visit goes on. */
const PORTION = 1000;
const MAX_PORTIONS = 20;
/** No portion is begun when less than this is left. */
const STOP_BEFORE_DEADLINE_MS = 10_000;

/** Removes what has been kept long enough, at most once an hour. What fails is logged, and harms nobody else. */
export class Retention {
  /** How long questions stay in the log; 0: for ever. */
  readonly #days: number;
  #nextAt = 0;

  constructor(days: number) {
    this.#days = days;
  }

  /** Says how many questions it has removed; null where it was not yet time. */
  async visit(database: Database, log: Log, deadline: Date | null, now = Date.now()): Promise<number | null> {
    if (now < this.#nextAt) return null;
    this.#nextAt = now + HOUR_MS;
    let removed = 0;
    try {
      for (let portion = 0; portion < MAX_PORTIONS && this.#days > 0 && !isNear(deadline); portion++) {
        const gone = await removeOld(database, this.#days, PORTION);
        removed += gone;
        if (gone < PORTION) break;
      }
      await removeOldUsage(database, new Date(now - USAGE_DAYS * DAY_MS).toISOString().slice(0, 10));
      if (removed > 0) log.info('questions_removed', { rows: removed, olderThanDays: this.#days });
    } catch (error) {
      log.error('retention_failed', error);
    }
    return removed;
  }
}

const isNear = (deadline: Date | null) =>
  deadline !== null && deadline.getTime() - Date.now() < STOP_BEFORE_DEADLINE_MS;
