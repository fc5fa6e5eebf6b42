import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../api.ts';
import { seconds } from '../printing.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;

export interface Patience {
  /** How long a server may be away before the work is given up. */
  limitMs: number;
  /** Told before each wait. */
  onWait(reason: string, waitMs: number): void;
}

const SERVER_AWAY_LIMIT_MS = 60_000;

/** The patience of a command that shows what it waits for. */
export const patienceWith = (show: (line: string) => void): Patience => ({
  limitMs: SERVER_AWAY_LIMIT_MS,
  onWait: (reason, waitMs) => show(`${reason}; trying again in ${seconds(waitMs)}`),
});

/**
 * Does the work again while the server is away or asks to be left alone for a while, waiting longer each time and as
 * long as its Retry-After says. `work` is told how often it was tried before.
 */
export async function withRetries<T>(patience: Patience, work: (attempt: number) => Promise<T>): Promise<T> {
  const startedAt = Date.now();
  for (let attempt = 0; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!(error instanceof ApiError) || !error.retryable) throw error;
      const backOff = Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS);
      const waitMs = Math.max(backOff, (error.retryAfterSeconds ?? 0) * 1000);
      const away = Date.now() - startedAt;
      if (away + waitMs > patience.limitMs) {
        const tried = attempt === 0 ? '' : `, after trying for ${seconds(away)}`;
        throw new ApiError(`${error.message}${tried}`, error.status, error.code, error.retryAfterSeconds);
      }
      patience.onWait(error.message, waitMs);
      await sleep(waitMs);
    }
  }
}
