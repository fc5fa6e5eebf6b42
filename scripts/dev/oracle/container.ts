import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { UserError } from '../../user-error.ts';
import { requireReadable } from './readable.ts';
import type { ContainerSettings } from './settings.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** What the image runs; where it may not read them, it would run nothing and say nothing. */
const SCRIPTS = [join(import.meta.dirname, 'setup'), join(import.meta.dirname, 'start')];
const SERVICE = 'oracle';
const CONTAINER_PORT = '1521';
/** What shows a person what the database itself has to say. */
export const SHOW_LOG = `docker compose logs ${SERVICE}`;

interface Outcome {
  code: number | null;
  out: string;
  err: string;
}

/** The container of compose.yaml, driven by the `docker` of the PATH. */
export class OracleContainer {
  readonly #settings: ContainerSettings;
  readonly #env: Record<string, string | undefined>;
  readonly #stdio: 'inherit' | 'ignore';

  /** `stdio` is where Docker shows how far it is. */
  constructor(
    settings: ContainerSettings,
    env: Record<string, string | undefined>,
    stdio: 'inherit' | 'ignore' = 'inherit',
  ) {
    this.#settings = settings;
    // In compose.yaml these go before an .env file, which this process does not read.
    this.#env = { ...env, ORACLE_PORT: String(settings.port), ORACLE_PASSWORD: settings.password };
    this.#stdio = stdio;
  }

  /** Throws a {@link UserError} where there is no Docker with Compose, or none that runs. */
  async requireDocker(): Promise<void> {
    const server = await this.#run(['version', '--format', '{{.Server.Version}}']);
    if (server.code !== 0) {
      throw new UserError(
        /permission denied/i.test(server.err)
          ? 'Docker runs, but this user may not use it; see "Manage Docker as a non-root user" in its documentation'
          : 'Docker does not run; start Docker Desktop, or the docker service (sudo systemctl start docker)',
      );
    }
    const compose = await this.#run(['compose', 'version']);
    if (compose.code !== 0) throw new UserError('This Docker has no `docker compose`; install its Compose plugin');
  }

  /** Starts the database and waits until it is ready; does nothing where it is. */
  async start(): Promise<void> {
    const { port } = this.#settings;
    for (const folder of SCRIPTS) requireReadable(folder, readdirSync(folder));
    const published = await this.#compose(['port', SERVICE, CONTAINER_PORT]);
    const isOurs = published.code === 0 && published.out.trim() === `127.0.0.1:${port}`;
    if (!isOurs && (await isTaken(port))) {
      throw new UserError(
        `Port ${port}, for the database, is in use; stop what uses it, or name another: ` +
          `ORACLE_PORT=${port === 65535 ? 1521 : port + 1} npm run start:oracle`,
      );
    }
    const up = await this.#compose(['up', '--detach', '--wait', SERVICE], this.#stdio);
    if (up.code === 0) return;
    const { out } = await this.#compose(['ps', '--all', '--quiet', SERVICE]);
    throw new UserError(
      out.trim() === ''
        ? "Docker could not make the database's container; its own message is above"
        : `The database's container did not become healthy; \`${SHOW_LOG}\` says why. ` +
            'Where its first start was cut off, begin anew: npm run start:oracle -- --reset',
    );
  }

  /** Stops the container; its data stays, unless `volume` says otherwise. */
  async stop(volume: boolean): Promise<void> {
    const down = await this.#compose(['down', ...(volume ? ['--volumes'] : [])], this.#stdio);
    if (down.code !== 0)
      throw new UserError("Docker could not stop the database's container; its own message is above");
  }

  #compose(args: string[], stdio?: 'inherit' | 'ignore'): Promise<Outcome> {
    return this.#run(['compose', '--file', join(ROOT, 'compose.yaml'), ...args], stdio);
  }

  /** What a command prints is kept, unless it goes elsewhere. */
  #run(args: string[], stdio: 'pipe' | 'inherit' | 'ignore' = 'pipe'): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const child = spawn('docker', args, { cwd: ROOT, env: this.#env, stdio: ['ignore', stdio, stdio] });
      const outcome = { out: '', err: '' };
      child.stdout?.on('data', (part) => {
        outcome.out += part;
      });
      child.stderr?.on('data', (part) => {
        outcome.err += part;
      });
      child.once('error', (error: NodeJS.ErrnoException) => {
        reject(
          error.code === 'ENOENT' || error.code === 'EACCES'
            ? new UserError('There is no `docker` on the PATH; install Docker, or use `npm start`, which needs none')
            : error,
        );
      });
      child.once('close', (code) => resolve({ code, ...outcome }));
    });
  }
}

/** Whether something listens on a port of 127.0.0.1. */
function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(false)));
  });
}
