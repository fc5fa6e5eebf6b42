import type { Database } from '../ports/database.ts';
import type { Metrics } from '../ports/platform.ts';
import { readQueue } from '../store/queue.ts';

const HOUR_MS = 3_600_000;

/** Reports how the queue is, by one query, and how long the model's source can still be read: '' where nobody says. */
export async function reportGauges(
  database: Database,
  metrics: Pick<Metrics, 'gauge'>,
  { maxAttempts, sourceExpires }: { maxAttempts: number; sourceExpires: string },
): Promise<void> {
  const { waiting, parked, stalling, oldestWaitingSeconds } = await readQueue(database, maxAttempts);
  metrics.gauge('queue_waiting', waiting);
  metrics.gauge('queue_parked', parked);
  metrics.gauge('queue_stalling', stalling);
  metrics.gauge('queue_age_seconds', oldestWaitingSeconds ?? 0);
  const hoursLeft = (Date.parse(sourceExpires) - Date.now()) / HOUR_MS;
  if (hoursLeft > 0) metrics.gauge('model_source_hours_left', hoursLeft);
}
