import { join } from 'node:path';
import { serve } from '../adapters/fdk/serve.ts';
import { MalformedRequest } from '../core/errors.ts';
import { createServices } from '../services.ts';
import { bootstrap } from './bootstrap.ts';
import { readMigrations } from './migrations.ts';

const services = createServices(process.env);

serve(async ({ callId, deadline, body }) => {
  const log = services.log(callId);
  try {
    const { config } = services;
    const database = await services.database(deadline);
    const next = await services.nextEmbedder();
    const report = await bootstrap({
      database,
      ...(await services.owner(readMigrations)),
      embedders: [await services.embedder(), ...(next === null ? [] : [next])],
      migrations: await readMigrations(join(config.RAG_MIGRATIONS, database.dialect.name)),
      embeddingModel: config.RAG_EMBEDDING_MODEL,
      nextModel: config.RAG_EMBEDDING_NEXT_MODEL || null,
      backfill: config.RAG_BACKFILL_ON_STARTUP === 'true',
      reembed: isReembed(body),
    });
    log.info('bootstrapped', { ...report });
    if (report.enqueued + report.outdated > 0) await services.nudge(log);
    return { status: 200, body: report };
  } catch (error) {
    log.error('bootstrap_failed', error);
    throw error;
  }
}, services.log('-'));

/** The body is empty, or a JSON object; `reembed` is the one field that changes anything. */
function isReembed(body: Buffer): boolean {
  if (body.length === 0) return false;
  try {
    return (JSON.parse(body.toString('utf8')) as { reembed?: unknown } | null)?.reembed === true;
  } catch {
    throw new MalformedRequest('The body is not valid JSON');
  }
}
