import { serve } from '../adapters/fdk/serve.ts';
import { createServices } from '../services.ts';
import { drain } from './drain.ts';
import { isQuietAlarm } from './trigger.ts';
import { tendVectorIndex } from './vector-index.ts';

const services = createServices(process.env);

/** Calls to the database end so long before the drain itself, so that there is time to give claims back. */
const RESCUE_MS = 4000;

const earlier = (deadline: Date | null) => (deadline === null ? null : new Date(deadline.getTime() - RESCUE_MS));

serve(async ({ callId, deadline, body }) => {
  const log = services.log(callId);
  if (isQuietAlarm(body)) return { status: 200, body: { skipped: 'the alarm says that it no longer fires' } };
  try {
    const { config } = services;
    const report = await drain(
      {
        callId,
        log,
        database: await services.database(earlier(deadline)),
        rescue: await services.database(deadline),
        embedder: await services.embedder(),
        next: await services.nextEmbedder(),
        metrics: services.metrics(),
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
    if (Object.values(counts).some((count) => count > 0)) log.info('drained', { ...report });
    return { status: 200, body: report };
  } catch (error) {
    log.error('drain_failed', error);
    throw error;
  }
}, services.log('-'));
