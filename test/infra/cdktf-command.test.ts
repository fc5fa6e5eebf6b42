import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const INFRA = join(import.meta.dirname, '..', '..', 'infra');

it('npx cdktf runs the installed command line with what it was given, and ends as it ends', () => {
  const folder = mkdtempSync(join(tmpdir(), 'oci-rag-cdktf-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(INFRA, 'cdktf'), join(folder, 'cdktf'), { recursive: true });
  const installed = join(folder, 'cli', 'node_modules');
  mkdirSync(join(installed, 'cdktf-cli', 'bundle', 'bin'), { recursive: true });
  writeFileSync(join(installed, '.package-lock.json'), '{}');
  writeFileSync(
    join(installed, 'cdktf-cli', 'bundle', 'bin', 'cdktf'),
    'process.stdout.write(JSON.stringify(process.argv.slice(2))); process.exitCode = 7;',
  );
  const run = spawnSync(process.execPath, [join(folder, 'cdktf', 'cdktf.cjs'), 'deploy', 'a b'], { encoding: 'utf8' });
  expect(run).toMatchObject({ status: 7, stdout: '["deploy","a b"]', stderr: '' });
});

it('its lock file names one version of the framework, as the stack’s, and no address', () => {
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  const lock = readFileSync(join(INFRA, 'cli', 'package-lock.json'), 'utf8');
  expect(lock).not.toContain('"resolved"');
  const { devDependencies } = read(join(INFRA, '..', 'package.json'));
  expect(JSON.parse(lock).packages['node_modules/cdktf-cli'].version).toBe(devDependencies.cdktf);
});
