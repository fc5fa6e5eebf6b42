import { spawn } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** `npm start` as a process. */
export class StartProcess {
  readonly end: Promise<Ended>;
  readonly #child;
  #out = '';
  #err = '';

  constructor(...args: string[]) {
    this.#child = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'scripts/dev/start.ts'), ...args], {
      cwd: ROOT,
      env: { PATH: process.env.PATH ?? '' },
    });
    this.#child.stdout.on('data', (part) => {
      this.#out += part;
    });
    this.#child.stderr.on('data', (part) => {
      this.#err += part;
    });
    this.end = new Promise((resolve) =>
      this.#child.once('close', (code) => resolve({ code, out: this.#out, err: this.#err })),
    );
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** What it prints when it answers: its address and its two tokens. */
  async ready(): Promise<{ url: string; manager: string; developer: string; out: string }> {
    const value = (pattern: RegExp) => pattern.exec(this.#out)?.[1];
    return new Promise((resolve, reject) => {
      const look = () => {
        const [url, manager, developer] = [/answers at (\S+)/, /^MANAGER=(\S+)\n/m, /^DEVELOPER=(\S+)\n/m].map(value);
        if (url && manager && developer) resolve({ url, manager, developer, out: this.#out });
      };
      this.#child.stdout.on('data', look);
      look();
      void this.end.then(({ code, err }) => reject(new Error(`it ended with code ${code}: ${err}`)));
    });
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.#child.kill(signal);
    return this.end;
  }
}
