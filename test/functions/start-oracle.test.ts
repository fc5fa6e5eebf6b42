import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { runInstance } from '../../scripts/dev/instance.ts';
import type { Undo } from '../../scripts/dev/launch.ts';
import { stackSettings } from '../../scripts/dev/oracle/settings.ts';
import { type DockerRole, FakeDocker } from '../support/fake-docker.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'oci-rag-start-oracle-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `npm run start:oracle` as a process, which ends by itself. */
function start(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'scripts/dev/start-oracle.ts'), ...args], {
    cwd: ROOT,
    env,
  });
  const ended = { out: '', err: '' };
  child.stdout.on('data', (part) => {
    ended.out += part;
  });
  child.stderr.on('data', (part) => {
    ended.err += part;
  });
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, ...ended })),
  );
}

function playing(role: DockerRole): FakeDocker {
  const docker = new FakeDocker(role);
  onTestFinished(() => docker.remove());
  return docker;
}

/** A data folder of an instance with records. */
function instance(name: string): string {
  const data = join(folder, name);
  mkdirSync(data);
  writeFileSync(join(data, 'instance.json'), '{"records":"sample"}');
  return data;
}

describe('npm run start:oracle', () => {
  test.each([
    [['--help'], 0, /^usage: npm run start:oracle[\s\S]*--down[\s\S]*ORACLE_PASSWORD/],
    [['--dwon'], 1, /'--dwon'[\s\S]*usage: npm run start:oracle/],
    [['--port', '70000'], 1, /^--port must be a whole number from 0 to 65535, got 70000\n$/],
  ])('says how it is used when it is started with %j', async (args, expected, text) => {
    const { code, out, err } = await start(args, playing('well').env);

    expect(code).toBe(expected);
    expect(code === 0 ? out : err).toMatch(text);
  });

  test('says in one line that there is no Docker, and makes no folder', async () => {
    const data = join(folder, 'none');
    const { code, out, err } = await start(['--port', '0', '--data', data], { PATH: '/nowhere' });

    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^There is no `docker` on the PATH;[^\n]*\n$/);
    expect(existsSync(data)).toBe(false);
  });

  test.each([[[]], [['--down']], [['--reset']]])('says in one line that Docker does not run, with %j', async (args) => {
    const data = join(folder, 'none');
    const docker = playing('stopped');
    const { code, err } = await start(['--data', data, ...args], docker.env);

    expect(code).toBe(1);
    expect(err).toMatch(/^Docker does not run;[^\n]*\n$/);
    expect(docker.calls).toHaveLength(1);
    expect(existsSync(data)).toBe(false);
  });

  test('refuses a wrong ORACLE_PORT before it asks Docker for anything', async () => {
    const docker = playing('well');
    const { code, err } = await start([], { ...docker.env, ORACLE_PORT: '0' });

    expect([code, err]).toEqual([1, 'ORACLE_PORT must be a whole number from 1 to 65535, got 0\n']);
    expect(docker.calls).toEqual([]);
  });

  test('with --down stops the container, and keeps its data and the folder', async () => {
    const docker = playing('well');
    const data = instance('kept');
    const { code, err } = await start(['--down', '--data', data], docker.env);

    expect([code, err]).toEqual([0, '']);
    expect(docker.calls.at(-1)).toBe('compose --file compose.yaml down');
    expect(readdirSync(data)).toEqual(['instance.json']);
  });

  test('with --down --reset removes the volume, and what the folder says of its records', async () => {
    const docker = playing('well');
    const data = instance('removed');
    const { code, err } = await start(['--down', '--reset', '--data', data], docker.env);

    expect([code, err]).toEqual([0, '']);
    expect(docker.calls.at(-1)).toBe('compose --file compose.yaml down --volumes');
    expect(readdirSync(data)).toEqual([]);
  });

  test('with --down --reset leaves the volume where the folder is not its own', async () => {
    const docker = playing('well');
    const data = join(folder, 'photos');
    mkdirSync(data);
    writeFileSync(join(data, 'cat.jpg'), 'cat');
    const { code, err } = await start(['--down', '--reset', '--data', data], docker.env);

    expect(code).toBe(1);
    expect(err).toContain(data);
    expect(docker.calls.join()).not.toContain('down');
    expect(readdirSync(data)).toEqual(['cat.jpg']);
  });
});

test('an instance on Oracle makes its database ready, starts no other, and tells where a failed bootstrap says more', async () => {
  const undo: Undo = [];
  onTestFinished(async () => {
    for (const step of undo.reverse()) await step();
  });
  const data = join(folder, 'instance');
  const prepared: boolean[] = [];
  const options = { port: 0, data, reset: false, empty: true, reembed: false };
  // Nothing listens there: what is tried is that the functions have the driver, and where its failure goes.
  const settings = stackSettings({ port: 1, password: 'a_password' });
  const run = runInstance(options, settings, undo, {
    prepare: async (reset) => void prepared.push(reset),
    log: '`docker compose logs oracle`',
    about: 'Oracle',
  });

  await expect(run).rejects.toThrow(
    `The database cannot be reached (more in ${data}/oci-rag.log and \`docker compose logs oracle\`)`,
  );
  expect(prepared).toEqual([false]);
  expect(readdirSync(data).sort()).toEqual(['instance.json', 'issuer-key.json', 'oci-rag.log', 'owner.json']);
});
