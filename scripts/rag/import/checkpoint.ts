import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** How far the import of a file has come. */
export interface Progress {
  /** What it was imported as and into what: with another mapping or server, the import is another one. */
  settings: string;
  /** Records that have a result, from the first of the file on. */
  done: number;
  accepted: number;
  failed: number;
  /** The length of the error file that belongs to these records. */
  errorBytes: number;
  finished: boolean;
}

/** Keeps the progress of one file, by its digest, in the data folder. */
export class Checkpoint {
  readonly #path: string;

  constructor(folder: string, digest: string) {
    this.#path = join(folder, `${digest}.json`);
  }

  /** The progress of an import that was cut off; null where there is none to go on with. */
  async unfinished(settings: string): Promise<Progress | null> {
    try {
      const kept = JSON.parse(await readFile(this.#path, 'utf8')) as Progress;
      return kept.settings === settings && !kept.finished && kept.done > 0 ? kept : null;
    } catch {
      return null;
    }
  }

  /** Replaces what was kept as a whole, so that a process killed at any time leaves one or the other. */
  async save(progress: Progress): Promise<void> {
    const temporary = `${this.#path}.${process.pid}`;
    await writeFile(temporary, JSON.stringify(progress));
    await rename(temporary, this.#path);
  }
}

/** Makes the folder of checkpoints and error files within a data folder. */
export async function importsFolder(dataFolder: string): Promise<string> {
  const folder = join(dataFolder, 'imports');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}
