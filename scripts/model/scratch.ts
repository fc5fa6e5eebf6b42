import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^download-(\d+)-[0-9a-f]+$/;
/** Those of this process: its number alone could be that of one that died. */
const active = new Set<string>();

/** A download's own folder. */
export interface Scratch {
  path: string;
  /** Leaves what is in it for the next download to go on with. */
  leave(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Makes a folder that no other download touches. It is the folder of a download that was cut off, where there is one: of
 * two processes that want it, the rename gives it to one.
 */
export async function claimScratch(folder: string): Promise<Scratch> {
  const name = `download-${process.pid}-${randomBytes(4).toString('hex')}`;
  const path = join(folder, name);
  active.add(name);
  let claimed = false;
  for (const other of (await readdir(folder)).filter(isAbandoned)) {
    if (!claimed) claimed = await tryRename(join(folder, other), path);
    else await rm(join(folder, other), { recursive: true, force: true });
  }
  if (!claimed) await mkdir(path);
  return {
    path,
    async leave() {
      // Fails where something is in it.
      await rmdir(path).catch(() => {});
      active.delete(name);
    },
    async remove() {
      await rm(path, { recursive: true, force: true });
      active.delete(name);
    },
  };
}

function isAbandoned(name: string): boolean {
  const pid = Number(NAME.exec(name)?.[1] ?? 0);
  if (pid === 0 || active.has(name)) return false;
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

const tryRename = (from: string, to: string) =>
  rename(from, to).then(
    () => true,
    () => false,
  );
