import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Migration } from '../ports/database.ts';

const FILE_NAME = /^V([1-9][0-9]*)__[a-z0-9_]+\.sql$/;

/** Reads the migrations of one database, V1__….sql and on, in order of their versions. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const migrations: Migration[] = [];
  for (const name of await readdir(folder)) {
    const version = FILE_NAME.exec(name)?.[1];
    if (version === undefined) throw new Error(`${name} is not named like a migration (V<n>__<what>.sql)`);
    migrations.push({ version: Number(version), name, sql: await readFile(join(folder, name), 'utf8') });
  }
  migrations.sort((a, b) => a.version - b.version);
  for (const [i, { version, name }] of migrations.entries()) {
    if (version !== i + 1) throw new Error(`${name}: version ${i + 1} is missing or there twice`);
  }
  return migrations;
}
