import { join } from 'node:path';
import { serve } from '../adapters/fdk/serve.ts';
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
    const report = await patiently(deadline, log, () => run(request, deadline));
    log.info('bootstrapped', { ...report });
    if (report.enqueued + report.outdated > 0) await services.nudge(log);
    return { status: 200, body: report };
  } catch (error) {
    log.error('bootstrap_failed', error);
    throw error;
  }
}, services.log('-'));

async function run({ reembed, modelSource }: BootstrapRequest, deadline: Date | null): Promise<BootstrapReport> {
  const { config } = services;
  const database = await services.database(deadline);
  const next = await services.nextEmbedder();
  return bootstrap({
    database,
    ...(await services.owner(readMigrations, modelSource)),
    embedders: [await services.embedder(), ...(next === null ? [] : [next])],
    migrations: await readMigrations(join(config.RAG_MIGRATIONS, database.dialect.name)),
    embeddingModel: config.RAG_EMBEDDING_MODEL,
    nextModel: config.RAG_EMBEDDING_NEXT_MODEL || null,
    backfill: config.RAG_BACKFILL_ON_STARTUP === 'true',
    reembed,
  });
}
