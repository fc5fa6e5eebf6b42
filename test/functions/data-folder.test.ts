import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { claimDataFolder } from '../../scripts/dev/data-folder.ts';
import { UserError } from '../../scripts/user-error.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const parent = mkdtempSync(join(tmpdir(), 'oci-rag-folders-'));
const children: ChildProcess[] = [];
let folder: string;
let n = 0;
beforeEach(() => {
  folder = join(parent, String(++n));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** A process that does nothing until it is killed. */
async function idleProcess(): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, ['-e', 'console.log("up"); setInterval(() => {}, 1000)']);
  children.push(child);
  await once(child.stdout, 'data');
  return child as ChildProcess & { pid: number };
}

async function endedPid(): Promise<number> {
  const child = await idleProcess();
  child.kill('SIGKILL');
  await once(child, 'exit');
  return child.pid;
}

/** When a process started, as the system tells (Linux); '' where it does not. */
function startOf(pid: number): string {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function writeOwner(owner: { pid: number; pidStartedAt?: string; databasePid?: number; runFolder?: string }): void {
  mkdirSync(folder, { recursive: true });
  const { pid, databasePid = null, runFolder = null } = owner;
  const databaseStartedAt = databasePid === null ? '' : startOf(databasePid);
  const whole = { pid, pidStartedAt: owner.pidStartedAt ?? startOf(pid), databasePid, databaseStartedAt, runFolder };
  writeFileSync(join(folder, 'owner.json'), JSON.stringify(whole));
  writeFileSync(join(folder, 'instance.json'), '{"records":"none"}');
}

const ownerPid = () => JSON.parse(readFileSync(join(folder, 'owner.json'), 'utf8')).pid;

describe('a data folder', () => {
  test('is made where there is none, for its owner’s eyes alone, and given back', async () => {
    const data = await claimDataFolder(folder, false);

    expect(ownerPid()).toBe(process.pid);
    await data.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that a live process owns is refused with that process’s number', async () => {
    const { pid } = await idleProcess();
    writeOwner({ pid });

    const refusal = claimDataFolder(folder, true);

    await expect(refusal).rejects.toThrow(UserError);
    await expect(refusal).rejects.toThrow(`in use by process ${pid}`);
    expect(ownerPid()).toBe(pid);
  });

  test('that a killed process has left is taken over, and its run folder removed', async () => {
    const runFolder = join(parent, `run${n}`);
    mkdirSync(runFolder);
    writeOwner({ pid: await endedPid(), runFolder });

    await claimDataFolder(folder, false);

    expect(ownerPid()).toBe(process.pid);
    expect(existsSync(runFolder)).toBe(false);
  });

  test.runIf(existsSync('/proc/self/stat'))('whose owner’s number another process has now is taken over', async () => {
    const { pid } = await idleProcess();
    writeOwner({ pid, pidStartedAt: '1' });

    await claimDataFolder(folder, false);

    expect(ownerPid()).toBe(process.pid);
  });

  test('whose database is still open is taken over once it has ended, not before', async () => {
    const database = await idleProcess();
    writeOwner({ pid: await endedPid(), databasePid: database.pid });
    let claimed = false;

    const claim = claimDataFolder(folder, false).then(() => {
      claimed = true;
    });
    await new Promise((later) => setTimeout(later, 300));
    const claimedEarly = claimed;
    database.kill('SIGKILL');
    await claim;

    expect(claimedEarly).toBe(false);
    expect(ownerPid()).toBe(process.pid);
  });

  test.each([
    ['somebody’s files', ['cat.jpg']],
    ['a file that looks like one of ours', ['database']],
    ['an instance that cannot be read', ['database', 'instance.json']],
  ])('with %s in it is refused and left alone', async (_, names) => {
    mkdirSync(folder);
    for (const name of names) writeFileSync(join(folder, name), 'x');

    await expect(claimDataFolder(folder, true)).rejects.toThrow(/no data folder of oci-rag/);

    expect(readdirSync(folder).sort()).toEqual(names);
  });

  test.each([
    ['a start that was killed while it took the folder', ['owner.json.4242', 'instance.json.4242']],
    ['imports alone', ['imports']],
  ])('that holds what is left of %s is taken', async (_, names) => {
    mkdirSync(folder);
    for (const name of names) writeFileSync(join(folder, name), '{}');

    await claimDataFolder(folder, false);

    expect(ownerPid()).toBe(process.pid);
  });

  test('is emptied by --reset, but for who owns it', async () => {
    writeOwner({ pid: await endedPid() });
    mkdirSync(join(folder, 'database'));
    writeFileSync(join(folder, 'database', 'PG_VERSION'), '17');

    await claimDataFolder(folder, true);

    expect(readdirSync(folder)).toEqual(['owner.json']);
  });

  test('that cannot be made is told in one line', async () => {
    writeFileSync(folder, 'a file');

    await expect(claimDataFolder(join(folder, 'data'), false)).rejects.toThrow(
      /^The data folder \S+ cannot be made: ENOTDIR$/,
    );
  });

  test.each(['new', 'left by a killed process'])(
    'that is %s goes to one of several that start at once',
    async (kind) => {
      if (kind !== 'new') writeOwner({ pid: await endedPid() });
      const script = `const { claimDataFolder } = await import('./scripts/dev/data-folder.ts');
      await claimDataFolder(process.argv[1], false).then(() => console.log('mine'), (error) => console.log(error.message));
      setInterval(() => {}, 1000);`;

      const claimants = Array.from({ length: 4 }, () => {
        const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, folder], {
          cwd: ROOT,
        });
        children.push(child);
        return child;
      });
      const said = await Promise.all(claimants.map(async (child) => String(await once(child.stdout, 'data')).trim()));

      const winner = claimants[said.indexOf('mine')];
      expect(said.filter((line) => line === 'mine')).toHaveLength(1);
      expect(ownerPid()).toBe(winner?.pid);
      for (const line of said.filter((line) => line !== 'mine'))
        expect(line).toContain(`in use by process ${winner?.pid}`);
    },
  );
});
