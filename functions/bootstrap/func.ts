import { join } from 'node:path';
import { serve } from '../adapters/fdk/serve.ts';
import type { Log } from '../ports/platform.ts';
import { createServices } from '../services.ts';
import { type BootstrapReport, bootstrap } from './bootstrap.ts';
import { readMigrations } from './migrations.ts';
import { patiently } from './patience.ts';
import { type BootstrapRequest, readRequest } from './request.ts';

const services = createServices(process.env);

serve(async ({ callId, deadline, body }) => {
  const log = services.log(callId);
  try {
    const request = readRequest(body);
    const report = await patiently(deadline, log, () => run(request, deadline, log));
    log.info('bootstrapped', { ...report });
    if (report.enqueued + report.outdated > 0) await services.nudge(log);
    return { status: 200, body: report };
  } catch (error) {
    log.error('bootstrap_failed', error);
    throw error;
  }
}, services.log('-'));

async function run(
  { reembed, modelSource }: BootstrapRequest,
  deadline: Date | null,
  log: Log,
): Promise<BootstrapReport> {
  const { config } = services;
  const database = await services.database(deadline);
  const next = await services.nextEmbedder();
  const { writeSqlSettings, ...owner } = await services.owner(readMigrations, modelSource);
  return bootstrap({
    database,
    ...owner,
    ...(services.requireAnswerModel && { requireAnswerModel: services.requireAnswerModel }),
    ...(writeSqlSettings && { prepareSqlCallers: () => prepareSqlCallers(writeSqlSettings, log) }),
    embedders: [await services.embedder(), ...(next === null ? [] : [next])],
    migrations: await readMigrations(join(config.RAG_MIGRATIONS, database.dialect.name)),
    embeddingModel: config.RAG_EMBEDDING_MODEL,
    nextModel: config.RAG_EMBEDDING_NEXT_MODEL || null,
    backfill: config.RAG_BACKFILL_ON_STARTUP === 'true',
    reembed,
  });
}

/** A database that refuses the stored code for those who live in SQL serves the functions all the same. */
async function prepareSqlCallers(writeSqlSettings: () => Promise<void>, log: Log): Promise<'ready' | 'unavailable'> {
  try {
    await writeSqlSettings();
    return 'ready';
  } catch (error) {
    log.error('sql_callers_unavailable', error);
    return 'unavailable';
  }
}
