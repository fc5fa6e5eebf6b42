import { setTimeout as wait } from 'node:timers/promises';
import { findNotInForce } from '../core/errors.ts';
import type { Log } from '../ports/platform.ts';

const EVERY_MS = 5000;
/** What is left then is for the work itself. */
const KEPT_MS = 60_000;

/**
 * Does work that may be done again, and does it again while what a deploy has made is not in force yet, until a minute
 * before the deadline. Without a deadline it is done once.
 */
export async function patiently<T>(
  deadline: Date | null,
  log: Log,
  work: () => Promise<T>,
  everyMs = EVERY_MS,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const reason = findNotInForce(error);
      const left = deadline === null ? 0 : deadline.getTime() - Date.now() - everyMs;
      if (reason === null || left < KEPT_MS) throw error;
      log.warn('bootstrap_waits', { for: reason.message, secondsLeft: Math.round((left - KEPT_MS) / 1000) });
      await wait(everyMs);
    }
  }
}
