import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScript, stopChild } from '../../scripts/dev/child.ts';

export const MIGRATIONS = join(import.meta.dirname, '..', '..', 'migrations');

export interface RunningDatabase {
  url: string;
  stop(): Promise<void>;
}

/** The embedded database as `npm start` runs it: a process of its own behind a Unix socket. */
export async function startDatabase(dataFolder: string): Promise<RunningDatabase> {
  const runFolder = mkdtempSync(join(tmpdir(), 'oci-rag-'));
  const { child, ready } = startScript(
    'database-process.ts',
    [dataFolder, join(runFolder, '.s.PGSQL.5432')],
    openSync(join(runFolder, 'log'), 'a'),
  );
  await ready;
  return {
    url: `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(runFolder)}`,
    async stop() {
      await stopChild(child, 5000);
      rmSync(runFolder, { recursive: true, force: true });
    },
  };
}
