import { setTimeout as sleep } from 'node:timers/promises';
import type { Status } from '../../../functions/shapes.ts';
import { type Api, ApiError } from '../api.ts';
import { count, say, seconds } from '../printing.ts';
import { createMeter } from './progress.ts';
import { type Patience, withRetries } from './retry.ts';

const POLL_MS = 500;
/** A queue that has not moved for this long is not waited for any longer. */
const STANDSTILL_MS = 60_000;

/** Waits until everything that was written can be asked about, and shows how far that is. */
export async function waitForQueue(api: Api, patience: Patience): Promise<void> {
  const read = async () => (await withRetries(patience, () => api.call<Status>('GET', '/v1/status'))).queue;
  let queue: Status['queue'];
  try {
    queue = await read();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
    say('Indexing goes on in the server; this token may not see its queue.');
    return;
  }
  if (queue.waiting > 0) queue = await watch(queue, read);
  if (queue.parked > 0) {
    say(`Indexing of ${count(queue.parked, 'change')} was given up; see the log, then npm run rag -- requeue`);
  }
}

/** Polls until the queue is empty or stands still; returns what it was like at last. */
async function watch(queue: Status['queue'], read: () => Promise<Status['queue']>): Promise<Status['queue']> {
  let now = queue;
  let total = queue.waiting;
  let fewest = queue.waiting;
  let movedAt = Date.now();
  const meter = createMeter('indexing', total);
  try {
    while (now.waiting > 0) {
      await sleep(POLL_MS);
      now = await read();
      total = Math.max(total, now.waiting);
      if (now.waiting < fewest) {
        fewest = now.waiting;
        movedAt = Date.now();
      }
      meter.update(total - now.waiting, `${now.waiting} waiting`);
      if (Date.now() - movedAt > STANDSTILL_MS) {
        meter.note(`the queue has not moved for ${seconds(STANDSTILL_MS)}; see npm run rag -- status`);
        break;
      }
    }
  } finally {
    meter.stop();
  }
  return now;
}
