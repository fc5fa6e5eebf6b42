const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const CLI = join(__dirname, '..', 'cli');

/**
 * Installs infra/cli where it is not: who never deploys does not pay for its 200 MB in 18,000 files. Returns its folder;
 * ends the process where it cannot.
 */
exports.installCli = () => {
  if (existsSync(join(CLI, 'node_modules', '.package-lock.json'))) return CLI;
  process.stderr.write("Installing cdktf's command line into infra/cli, once …\n");
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: CLI,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
  return CLI;
};
