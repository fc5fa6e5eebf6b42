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
      cutting: {
        sectionSize: config.RAG_DOCUMENT_SECTION_SIZE,
        sectionOverlap: config.RAG_DOCUMENT_SECTION_OVERLAP,
        passageTokens: config.RAG_DIAGNOSTIC_PASSAGE_TOKENS,
        passageOverlap: config.RAG_DIAGNOSTIC_PASSAGE_OVERLAP,
      },
    },
  );
  const { stoppedBy, ...counts } = report;
  const index = report.embedded > 0 && stoppedBy === 'empty' ? await services.vectorIndex() : null;
  if (index !== null) {
    await tendVectorIndex(await services.database(deadline), index, await services.embedder(), log);
  }
  if (stoppedBy === 'deadline') await services.nudge(log);
  else await doChores(deadline, log);
  if (Object.values(counts).some((count) => count > 0)) log.info('drained', { ...report });
  return report;
}

/** What is done once in a while, when the queue is empty. */
async function doChores(deadline: Date | null, log: Log): Promise<void> {
  await retention.visit(await services.database(deadline), log, deadline);
  await reconcileBucket(deadline, log);
}

const ASK_FOR_CHORE_MS = 60_000;
let choreAskedAt = Number.NEGATIVE_INFINITY;

/** Repairs what events of the bucket have missed. What fails is logged, and tried when it is due again. */
async function reconcileBucket(deadline: Date | null, log: Log): Promise<void> {
  const minutes = config.RAG_STORAGE_RECONCILE_MINUTES;
  if (minutes === 0 || !config.RAG_STORAGE.startsWith('oci:')) return;
  if (performance.now() - choreAskedAt < ASK_FOR_CHORE_MS) return;
  choreAskedAt = performance.now();
  try {
    const { reconcileWhenDue } = await import('../ingest/reconcile.ts');
    const { readInThread } = await import('../ingest/extraction/worker-reader.ts');
    const context = {
      database: await services.database(deadline),
      objects: await services.objectStore(),
      log,
      deadline: earlier(deadline),
      maxBytes: config.RAG_STORAGE_MAX_BYTES,
      audience: config.RAG_STORAGE_AUDIENCE,
      readDocument: readInThread,
    };
    const report = await reconcileWhenDue(context, minutes);
    if (report !== null && report.written + report.removed > 0) await services.nudge(log);
  } catch (error) {
    log.error('reconcile_failed', error);
  }
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
