import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { DEFAULTS, stackSettings } from '../../scripts/dev/oracle/settings.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Mount {
  type: string;
  source: string;
  target: string;
  read_only: boolean;
}

describe('compose.yaml', () => {
  const compose = parse(read('compose.yaml'));
  const { oracle } = compose.services;
  const mounts: Mount[] = oracle.volumes.filter((volume: unknown) => typeof volume === 'object');
  const mountAt = (target: string) => mounts.find((mount) => mount.target === target);
  const script = (target: string) => {
    const folder = mountAt(target)?.source ?? '';
    return readdirSync(join(ROOT, folder)).map((name) => join(folder, name));
  };
  const atStart = script('/container-entrypoint-startdb.d').map(read).join('\n');

  test('has one service, of the full image, pinned within the 23.26 line', () => {
    expect(Object.keys(compose.services)).toEqual(['oracle']);
    expect(oracle.image).toMatch(/^gvenzl\/oracle-free:23\.26\.\d+-full$/);
  });

  test('publishes one port, on loopback, with the default that the command has', () => {
    expect(oracle.ports).toEqual([`127.0.0.1:\${ORACLE_PORT:-${DEFAULTS.port}}:1521`]);
    expect(oracle.network_mode).toBeUndefined();
  });

  test('takes the password from the environment, with the default that the command has', () => {
    expect(oracle.environment).toEqual({ ORACLE_PASSWORD: `\${ORACLE_PASSWORD:-${DEFAULTS.password}}` });
  });

  test('keeps the database in a volume, and lets it read the model and the scripts, and write none', () => {
    expect(oracle.volumes).toContain('oracle-data:/opt/oracle/oradata');
    expect(Object.keys(compose.volumes)).toEqual(['oracle-data']);
    expect(mounts.every(({ type, read_only }) => type === 'bind' && read_only)).toBe(true);
    expect(mountAt('/models')?.source).toBe('./.models');
    expect(statSync(join(ROOT, '.models')).isDirectory()).toBe(true);
  });

  test('is healthy when the image’s own check says so, and the last script has run', () => {
    const [kind, command] = oracle.healthcheck.test;
    const marker = /^test -e (\S+) && healthcheck\.sh$/.exec(command)?.[1];
    expect(kind).toBe('CMD-SHELL');
    expect(atStart.trimEnd().split('\n').at(-1)).toBe(`touch ${marker}`);
    expect(oracle.healthcheck).toMatchObject({ interval: '10s', retries: 6, start_period: '15m' });
  });

  test('mounts scripts that the image runs as programs', () => {
    for (const target of ['/container-entrypoint-initdb.d', '/container-entrypoint-startdb.d']) {
      const paths = script(target);
      expect(paths).toHaveLength(1);
      for (const path of paths) {
        expect(path).toMatch(/\.sh$/);
        expect(statSync(join(ROOT, path)).mode & 0o111).toBe(0o111);
        expect(read(path)).toMatch(/^#!\/bin\/bash\n[\s\S]*\nset -euo pipefail\n/);
      }
    }
  });

  test('has a script that makes the directory of the product’s settings, on the mount, and gives SYSTEM what bootstrap grants', () => {
    const [directory] = String(stackSettings(DEFAULTS).RAG_EMBEDDING_MODEL_SOURCE).split(':');
    expect(atStart.toUpperCase()).toContain(`CREATE OR REPLACE DIRECTORY ${directory} AS '/MODELS'`);
    expect(atStart.toUpperCase()).toContain(`GRANT READ ON DIRECTORY ${directory} TO PUBLIC`);
    const users = read('migrations/oracle-users/V1__owner_and_runtime.sql');
    const granted = [...users.matchAll(/is_given\('EXECUTE ON (\w+\.\w+)'\)/g)].map(([, name = '']) => name);
    expect(granted.sort()).toEqual(['CTXSYS.CTX_DDL', 'SYS.DBMS_RLS']);
    for (const name of granted) {
      expect(atStart.toUpperCase()).toContain(`GRANT EXECUTE ON ${name} TO SYSTEM WITH GRANT OPTION;`);
    }
  });
});

describe('the Oracle workflow', () => {
  const workflow = parse(read('.github/workflows/oracle.yml'));
  const { contract } = workflow.jobs;
  const steps: { uses?: string; run?: string; with?: object; env?: Record<string, string>; if?: string }[] =
    contract.steps;

  test('runs for pull requests and once a week, with leave to read alone', () => {
    expect(workflow.on).toEqual({
      pull_request: null,
      schedule: [{ cron: expect.stringMatching(/^\d+ \d+ \* \* \d$/) }],
      workflow_dispatch: null,
    });
    expect(workflow.permissions).toEqual({ contents: 'read' });
    expect(contract.permissions).toBeUndefined();
    expect(contract['timeout-minutes']).toBeLessThanOrEqual(90);
  });

  test('uses actions by their commit, and Node 20', () => {
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.map((uses) => uses.split('@')[0])).toEqual(['actions/checkout', 'actions/setup-node']);
    for (const uses of used) expect(uses).toMatch(/@[0-9a-f]{40}$/);
    expect(steps[1]?.with).toMatchObject({ 'node-version': 20 });
  });

  test('waits for the database of compose.yaml, and lets the contract tests have it', () => {
    const runs = steps.flatMap(({ run }) => run ?? []);
    expect(runs).toEqual([
      'docker compose up --detach',
      'npm ci',
      'npm run build',
      'docker compose up --detach --wait',
      'npx vitest run test/contract',
      'docker compose logs oracle',
    ]);
    expect(steps.find(({ run }) => run?.includes('vitest'))?.env).toEqual({
      TEST_ORACLE_CONNECT_STRING: 'localhost:1521/FREEPDB1',
      TEST_ORACLE_USER: 'SYSTEM',
      TEST_ORACLE_PASSWORD: expect.stringContaining('env.ORACLE_PASSWORD'),
    });
    expect(contract.env.ORACLE_PASSWORD).toMatch(/^\w{8,30}$/);
    expect(steps.at(-1)?.if).toBe('failure()');
  });
});
