// npm run destroy: empties the deployment's buckets and destroys the deployment.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { deployment } from '../../infra/deployment.ts';
import { mergedEnvironment, nameOf } from '../../infra/settings.ts';
import { UserError } from '../user-error.ts';
import { openClient } from './client.ts';
import { destroy, type World } from './destroy.ts';
import { readState } from './state.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const USAGE = `usage: npm run destroy [-- --keep-data] [--yes]

Empties the deployment's buckets, which OCI does not delete while anything is in them, and runs \`npx cdktf destroy\`.
Says first what will be lost, and asks for the deployment's name. Run again, it goes on where it stopped.

  --keep-data  keeps the database and the documents, and removes all else
  --yes        without asking
  --help       this text

Environment: OCI_CLI_CONFIG_FILE and OCI_CLI_PROFILE name the OCI configuration file (default ~/.oci/config) and the
profile; the settings of the deployment (DEPLOY_…) must be those that it was made with.`;

const OPTIONS = {
  'keep-data': { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const { env } = process;
const NAME = nameOf(deployment, env);
const settings = mergedEnvironment(deployment, env);
const world: World = {
  readState: () => readState(ROOT, NAME),
  openClient: (region) => openClient(env, settings.DEPLOY_PROFILE ?? '', region),
  ask(question) {
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    return new Promise((resolve) => {
      lines.once('close', () => resolve(null));
      lines.question(question, (answer) => {
        resolve(answer.trim());
        lines.close();
      });
    });
  },
  cdktf(args, more) {
    const child = spawn('npx', ['cdktf', ...args], { cwd: ROOT, env: { ...env, ...more }, stdio: 'inherit' });
    // Ctrl-C reaches Terraform too, which ends in order: this process waits for it.
    const wait = () => {};
    process.on('SIGINT', wait);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        process.off('SIGINT', wait);
        resolve(code ?? 1);
      });
    });
  },
};

async function main(args: string[]): Promise<number> {
  const { help, yes, 'keep-data': keepData } = readArgs(args);
  if (help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  if (settings.DEPLOY_PREVENT_DESTROY === 'true' && !keepData) {
    throw new UserError(
      'The deployment is protected: nothing was deleted. Set DEPLOY_PREVENT_DESTROY=false to destroy it',
    );
  }
  return destroy({ name: NAME, yes, keepData }, world);
}

function readArgs(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new UserError(`${(error as Error).message.split('. ')[0]}; see --help`);
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const { message } = error as Error;
  process.stderr.write(
    error instanceof UserError ? `${message}\n` : `The deployment could not be destroyed: ${message}\n`,
  );
  process.exitCode = 1;
}
