import { readFileSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../user-error.ts';

/** What a data folder is: whether its first records are in it. */
export interface Instance {
  records: 'pending' | 'sample' | 'none';
}

/** The processes that hold a data folder, as its owner file names them. */
interface Owner {
  pid: number;
  pidStartedAt: string;
  databasePid: number | null;
  databaseStartedAt: string;
  runFolder: string | null;
  url: string | null;
}

const instanceFile = (folder: string) => join(folder, 'instance.json');
const ownerFile = (folder: string) => join(folder, 'owner.json');
/**
 * What may be in a folder that holds no data yet: what a start leaves that is cut off, the checkpoints of imports into a
 * server elsewhere, and what was measured before.
 */
const NO_DATA = /^(imports|(owner|instance|calibration)\.json(\..+)?)$/;
const WAIT_FOR_DATABASE_MS = 10_000;

/**
 * Makes this process the owner of a data folder. A folder that a live process owns is refused, one that a killed
 * process has left is taken over, once that process's database has closed it.
 */
export async function claimDataFolder(folder: string, reset: boolean): Promise<DataFolder> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`The data folder ${folder} cannot be made: ${error.code}`);
  });
  const instance = await readJson<Instance>(instanceFile(folder));
  if (instance === null && (await readdir(folder)).some((name) => !NO_DATA.test(name))) {
    throw new UserError(`${folder} has files in it but is no data folder of oci-rag; name another with --data`);
  }
  const self: Owner = {
    pid: process.pid,
    pidStartedAt: startOf(process.pid),
    databasePid: null,
    databaseStartedAt: '',
    runFolder: null,
    url: null,
  };
  await takeOwnership(folder, self);
  const owned = new DataFolder(folder, self);
  if (reset) await owned.clear();
  return owned;
}

export class DataFolder {
  readonly path: string;
  readonly #owner: Owner;
  #written: Promise<void> = Promise.resolve();

  constructor(path: string, owner: Owner) {
    this.path = path;
    this.#owner = owner;
  }

  get databasePath(): string {
    return join(this.path, 'database');
  }

  /** The documents and diagnostics as they came. */
  get filesPath(): string {
    return join(this.path, 'files');
  }

  get logPath(): string {
    return join(this.path, 'oci-rag.log');
  }

  async readInstance(): Promise<Instance | null> {
    return readJson<Instance>(instanceFile(this.path));
  }

  async writeInstance(instance: Instance): Promise<void> {
    const temporary = `${instanceFile(this.path)}.${process.pid}`;
    await writeFile(temporary, JSON.stringify(instance));
    await rename(temporary, instanceFile(this.path));
  }

  async noteRunFolder(runFolder: string): Promise<void> {
    this.#owner.runFolder = runFolder;
    await this.#writeOwner();
  }

  async noteUrl(url: string): Promise<void> {
    this.#owner.url = url;
    await this.#writeOwner();
  }

  /** Names the process that has the database open: whoever takes over waits for it. */
  async noteDatabase(pid: number): Promise<void> {
    this.#owner.databasePid = pid;
    this.#owner.databaseStartedAt = startOf(pid);
    await this.#writeOwner();
  }

  async release(): Promise<void> {
    await this.#written;
    await rm(ownerFile(this.path), { force: true });
  }

  async clear(): Promise<void> {
    // The instance last: a reset that is cut off leaves a folder that can still be reset.
    const names = (await readdir(this.path)).sort(
      (a, b) => Number(a === 'instance.json') - Number(b === 'instance.json'),
    );
    for (const name of names) {
      if (name !== 'owner.json') await rm(join(this.path, name), { recursive: true, force: true });
    }
  }

  async #writeOwner(): Promise<void> {
    const temporary = `${ownerFile(this.path)}.${process.pid}`;
    // One write after another: they share the temporary file.
    this.#written = this.#written.then(async () => {
      await writeFile(temporary, JSON.stringify(this.#owner));
      await rename(temporary, ownerFile(this.path));
    });
    await this.#written;
  }
}

/** The address that the live owner of a data folder answers at; null where there is none. */
export async function readUrl(folder: string): Promise<string | null> {
  const owner = await readJson<Owner>(ownerFile(folder));
  return owner !== null && isAlive(owner.pid, owner.pidStartedAt) ? (owner.url ?? null) : null;
}

/** Links a file of our own to the owner's name, which only one process can do; clears away what a dead one left. */
async function takeOwnership(folder: string, self: Owner): Promise<void> {
  const temporary = `${ownerFile(folder)}.${process.pid}`;
  await writeFile(temporary, JSON.stringify(self));
  try {
    const giveUpAt = Date.now() + WAIT_FOR_DATABASE_MS;
    for (;;) {
      try {
        return await link(temporary, ownerFile(folder));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      await clearDeadOwner(folder, giveUpAt);
    }
  } finally {
    await unlink(temporary).catch(() => {});
  }
}

async function clearDeadOwner(folder: string, giveUpAt: number): Promise<void> {
  const owner = await readJson<Owner>(ownerFile(folder));
  if (owner !== null && isAlive(owner.pid, owner.pidStartedAt)) {
    throw new UserError(
      `The data folder ${folder} is in use by process ${owner.pid}; stop it or name another with --data`,
    );
  }
  if (owner?.databasePid && isAlive(owner.databasePid, owner.databaseStartedAt)) {
    if (Date.now() > giveUpAt) {
      throw new UserError(`The data folder ${folder} is still open in process ${owner.databasePid}; end it first`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    return;
  }
  // Renamed before it is removed: of two processes that find the same dead owner, one alone gets it.
  const stale = `${ownerFile(folder)}.stale.${process.pid}`;
  const renamed = await rename(ownerFile(folder), stale).then(
    () => true,
    () => false,
  );
  if (!renamed) return;
  const removed = await readJson<Owner>(stale);
  if (removed !== null && isAlive(removed.pid, removed.pidStartedAt)) {
    // Another process has become the owner between our look and our rename: give it its file back.
    await link(stale, ownerFile(folder)).catch(() => {});
  } else if (removed?.runFolder) {
    await rm(removed.runFolder, { recursive: true, force: true });
  }
  await unlink(stale);
}

function isAlive(pid: number, startedAt: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return startOf(pid) === startedAt;
}

/** When a process started, where the system tells (Linux): a pid used again is another process. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A process that has ended and only waits for its parent holds nothing any more.
    if (fields[0] === 'Z') return 'ended';
    return fields[19] ?? '';
  } catch {
    return '';
  }
}

async function readJson<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch {
    return null;
  }
}
