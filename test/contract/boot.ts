import { type BootstrapContext, type BootstrapReport, bootstrap } from '../../functions/bootstrap/bootstrap.ts';
import { readMigrations } from '../../functions/bootstrap/migrations.ts';
import { MIGRATIONS } from '../support/database-process.ts';
import type { Bench } from './databases.ts';

/** A bootstrap as the function runs it, with what a test wants otherwise. */
export async function boot(bench: Bench, options: Partial<BootstrapContext> = {}): Promise<BootstrapReport> {
  const { database, migrator, embedder } = bench;
  return bootstrap({
    database,
    migrator,
    migrations: await readMigrations(`${MIGRATIONS}/${bench.inPostgres ? 'postgres' : 'oracle'}`),
    modelStore: null,
    embedders: [],
    embeddingModel: embedder.model,
    nextModel: null,
    backfill: true,
    reembed: false,
    ...options,
  });
}
