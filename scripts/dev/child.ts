import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Lets Node run TypeScript. */
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const PRELOAD = fileURLToPath(new URL('./die-with-parent.cjs', import.meta.url));

interface ChildOptions {
  args: string[];
  env: Record<string, string>;
  /** The file descriptor that takes what the child prints. */
  logFd: number;
}

/** Starts a Node process that ends with this one and prints into the log. Ctrl-C reaches this process alone. */
export function startChild({ args, env, logFd }: ChildOptions): ChildProcess {
  return spawn(process.execPath, ['--require', PRELOAD, ...args], {
    env: { PATH: process.env.PATH ?? '', TZ: 'UTC', ...env },
    stdio: ['ignore', logFd, logFd, 'ipc'],
    // A process group of its own: a Ctrl-C in the terminal must not end the database under the others.
    detached: true,
  });
}

/** Starts one of our TypeScript processes and waits until it sends its first message. */
export function startScript(
  name: string,
  args: string[],
  logFd: number,
): { child: ChildProcess; ready: Promise<void> } {
  const script = fileURLToPath(new URL(`./${name}`, import.meta.url));
  const child = startChild({ args: ['--import', TSX, script, ...args], env: {}, logFd });
  const ready = new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${name} ended with code ${code} before it was ready`)));
  });
  return { child, ready };
}

/** Asks a child to end and waits; after the grace it is killed. */
export async function stopChild(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await gone;
  clearTimeout(timer);
}
