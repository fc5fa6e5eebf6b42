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

/** A pause before a process that has ended is started again, so that one that cannot start does not spin. */
const RESTART_PAUSE_MS = 500;

/** Keeps one of our TypeScript processes running: when it ends by itself, it is started again. */
export class KeptProcess {
  /** Resolves when it is ready for the first time; rejects when it ends before. */
  readonly ready: Promise<void>;
  #child: ChildProcess;
  #stopped = false;

  /** `onStart` hears of the pid of every process that is started. */
  constructor(name: string, args: string[], logFd: number, onStart: (pid: number) => void = () => {}) {
    const start = () => {
      const { child, ready } = startScript(name, args, logFd);
      if (child.pid !== undefined) onStart(child.pid);
      child.once('exit', () => {
        if (!this.#stopped) setTimeout(again, RESTART_PAUSE_MS);
      });
      return { child, ready };
    };
    const again = () => {
      if (this.#stopped) return;
      const { child, ready } = start();
      this.#child = child;
      // One that ends before it is ready is started again like any other.
      ready.catch(() => {});
    };
    const { child, ready } = start();
    this.#child = child;
    this.ready = ready;
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    await stopChild(this.#child, graceMs);
  }
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
