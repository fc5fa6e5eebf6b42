import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { PostgresMigrator } from '../../functions/adapters/postgres/migrator.ts';
import { readMigrations } from '../../functions/bootstrap/migrations.ts';
import { buildFunctions } from '../../scripts/build.ts';
import { MIGRATIONS, startDatabase } from './database-process.ts';
import { HOW_TO_NAME_ONE, oracleServer } from './oracle-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A data folder of PGlite with the migrations applied, to be copied. */
    templateFolder: string;
    /** The functions' bundles. */
    functionsFolder: string;
  }
}

/** Makes once what many tests start from: a migrated database to copy, and the functions' bundles. */
export default async function setup(project: TestProject): Promise<() => void> {
  if (oracleServer(process.env) === null) {
    process.stdout.write(
      `The contract tests run without an Oracle Database; to have them run on one, ${HOW_TO_NAME_ONE}\n`,
    );
  }
  const folder = mkdtempSync(join(tmpdir(), 'oci-rag-test-'));
  const template = join(folder, 'template');
  // Below the repository, since the bundles leave some packages to be found there.
  const functionsFolder = mkdtempSync(join(MIGRATIONS, '..', 'node_modules', '.oci-rag-functions-'));
  const [database] = await Promise.all([startDatabase(template), buildFunctions(functionsFolder)]);
  await new PostgresMigrator(database.url, 'bm25').apply(await readMigrations(join(MIGRATIONS, 'postgres')));
  await database.stop();
  project.provide('templateFolder', template);
  project.provide('functionsFolder', functionsFolder);
  return () => {
    for (const made of [folder, functionsFolder]) rmSync(made, { recursive: true, force: true });
  };
}

/** A copy of the migrated database's folder. */
export function copyTemplate(template: string, to: string): void {
  cpSync(template, to, { recursive: true });
}
