import { serve } from '../adapters/fdk/serve.ts';
import type { Log } from '../ports/platform.ts';
import { createServices } from '../services.ts';
import { type DrainReport, drain } from './drain.ts';
import { reportGauges } from './gauges.ts';
import { Retention } from './retention.ts';
import { isQuietAlarm } from './trigger.ts';
import { tendVectorIndex } from './vector-index.ts';

const services = createServices(process.env);
const { config } = services;
const retention = new Retention(config.RAG_LOG_RETENTION_DAYS);

/** Calls to the database end so long before the drain itself, so that there is time to give claims back. */
const RESCUE_MS = 4000;

const earlier = (deadline: Date | null) => (deadline === null ? null : new Date(deadline.getTime() - RESCUE_MS));

serve(async ({ callId, deadline, body }) => {
  const log = services.log(callId);
  if (isQuietAlarm(body)) return { status: 200, body: { skipped: 'the alarm says that it no longer fires' } };
  try {
    return { status: 200, body: await run(callId, deadline, log) };
  } catch (error) {
    log.error('drain_failed', error);
    throw error;
  } finally {
    // After a drain that failed too: what keeps it from working lets the queue grow, and alarms look at that.
    await reportFigures(deadline, log);
  }
}, services.log('-'));

async function run(callId: string, deadline: Date | null, log: Log): Promise<DrainReport> {
  const report = await drain(
    {
      callId,
      log,
      database: await services.database(earlier(deadline)),
      rescue: await services.database(deadline),
      embedder: await services.embedder(),
      next: await services.nextEmbedder(),
      metrics: services.metrics,
    },
    {
      batchSize: config.RAG_WORKER_BATCH_SIZE,
      maxAttempts: config.RAG_WORKER_MAX_ATTEMPTS,
      leaseSeconds: config.RAG_WORKER_LEASE_SECONDS,
      deadline,
    },
  );
  const { stoppedBy, ...counts } = report;
  const index = report.embedded > 0 && stoppedBy === 'empty' ? await services.vectorIndex() : null;
  if (index !== null) {
    await tendVectorIndex(await services.database(deadline), index, await services.embedder(), log);
  }
  if (stoppedBy === 'deadline') await services.nudge(log);
  else await retention.visit(await services.database(deadline), log, deadline);
  if (Object.values(counts).some((count) => count > 0)) log.info('drained', { ...report });
  return report;
}

/** What cannot be told is logged, and fails no drain. */
async function reportFigures(deadline: Date | null, log: Log): Promise<void> {
  try {
    await reportGauges(await services.database(deadline), services.metrics, {
      maxAttempts: config.RAG_WORKER_MAX_ATTEMPTS,
      sourceExpires: config.RAG_EMBEDDING_MODEL_SOURCE_EXPIRES,
    });
  } catch (error) {
    log.warn('queue_unread', { reason: String(error) });
  }
  // The counts of this drain go out also where the queue could not be read.
  await services.flushMetrics(log);
}
