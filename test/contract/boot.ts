import { PostgresMigrator } from '../../functions/adapters/postgres/migrator.ts';
import { type BootstrapContext, type BootstrapReport, bootstrap } from '../../functions/bootstrap/bootstrap.ts';
import { readMigrations } from '../../functions/bootstrap/migrations.ts';
import { MIGRATIONS } from '../support/database-process.ts';
import type { Bench } from './databases.ts';

/**
 * A bootstrap as the function runs it, with what a test wants otherwise. The tables of every tested database are in a
 * PostgreSQL, Oracle's stand-in among them.
 */
export async function boot(bench: Bench, options: Partial<BootstrapContext> = {}): Promise<BootstrapReport> {
  const { database, connectionString, embedder } = bench;
  return bootstrap({
    database,
    migrator: new PostgresMigrator(connectionString),
    migrations: await readMigrations(`${MIGRATIONS}/postgres`),
    modelStore: null,
    embedders: [],
    embeddingModel: embedder.model,
    nextModel: null,
    backfill: true,
    reembed: false,
    ...options,
  });
}
