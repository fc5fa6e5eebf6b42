import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningDatabase, startDatabase } from './database-process.ts';
import { copyTemplate } from './global-setup.ts';

/** A copy of the migrated template, running: an embedded database of one's own. */
export async function startTemplate(templateFolder: string): Promise<RunningDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'oci-rag-data-'));
  copyTemplate(templateFolder, folder);
  const { url, stop } = await startDatabase(folder);
  return {
    url,
    async stop() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
