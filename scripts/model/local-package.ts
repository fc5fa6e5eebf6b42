import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { say } from '../rag/printing.ts';
import { UserError } from '../user-error.ts';

/** What is installed: its own package.json and lock file. */
const RUNTIME = join(import.meta.dirname, 'local-runtime');
const INSTALL = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Installs what runs an ONNX model into the `node_modules` of a folder, where the models below find it; where the same is
 * there already, nothing is done. No script of a package runs: the one of onnxruntime-node would download what only a
 * graphics card needs.
 */
export async function installRuntime(folder: string): Promise<void> {
  const lock = await readFile(join(RUNTIME, 'package-lock.json'), 'utf8');
  // npm writes the first of them at the end of an installation.
  const [isInstalled, installed] = await Promise.all([
    readText(join(folder, 'node_modules', '.package-lock.json')),
    readText(join(folder, 'package-lock.json')),
  ]);
  if (isInstalled !== null && installed === lock) return say(`What runs the model is already in ${folder}.`);
  await mkdir(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) await copyFile(join(RUNTIME, name), join(folder, name));
  say(`Installing what runs the model into ${folder}: 330 MB …`);
  const npm = spawn('npm', INSTALL, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await Promise.race([once(npm, 'close'), once(npm, 'error').then(([error]) => [String(error)])]);
  if (code !== 0) throw new UserError(`What runs the model could not be installed: npm ended with ${code}`);
}

const readText = (file: string) => readFile(file, 'utf8').catch(() => null);
