import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { LineLog } from '../../functions/adapters/local/line-log.ts';
import { PostgresDatabase } from '../../functions/adapters/postgres/database.ts';
import { claimDataFolder } from '../../scripts/dev/data-folder.ts';
import { Gateway } from '../../scripts/dev/gateway.ts';
import { type LocalStack, runBootstrap, startStack } from '../../scripts/dev/stack.ts';
import { signToken } from '../../scripts/dev/token-issuer.ts';

/** Everything that `npm start` runs, in a folder of its own, without its schedule and without records. */
export class RunningStack {
  readonly stack: LocalStack;
  readonly url: string;
  readonly runFolder: string;
  readonly database: PostgresDatabase;
  readonly #gateway: Gateway;
  readonly #folder: string;

  private constructor(stack: LocalStack, gateway: Gateway, url: string, folder: string) {
    this.stack = stack;
    this.url = url;
    this.#gateway = gateway;
    this.#folder = folder;
    this.runFolder = readOwner(folder).runFolder;
    this.database = PostgresDatabase.open({
      connectionString: `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(this.runFolder)}`,
      poolMax: 2,
      textIndex: 'bm25',
      onIdleError: () => {},
    });
  }

  static async start(settings: Record<string, string> = {}): Promise<RunningStack> {
    const folder = mkdtempSync(join(tmpdir(), 'oci-rag-stack-'));
    const stack = await startStack(await claimDataFolder(folder, false), settings);
    await runBootstrap(stack, false);
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const gateway = new Gateway({ requestsPerSecond: 1000, log: (callId) => new LineLog(callId, silent) });
    const url = `http://127.0.0.1:${await gateway.listen(0)}`;
    gateway.serve(stack);
    return new RunningStack(stack, gateway, url, folder);
  }

  /** Calls through the gateway as an employee, with or without the right to write. */
  async call(route: string, subject: string, { body, scope }: { body?: object | string; scope?: string } = {}) {
    const [method = '', path = ''] = route.split(' ');
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${await signToken(this.stack.key, subject, scope)}` },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  rows<T = Record<string, unknown>>(sql: string): Promise<T[]> {
    return this.database.rows<T>('system', sql);
  }

  /** The process that runs a script of ours for this stack. */
  pidOf(script: 'database-process' | 'encoder-process'): number | undefined {
    return pidsOf(this.runFolder).find(({ command }) => command.includes(script))?.pid;
  }

  async close(): Promise<void> {
    await this.#gateway.close();
    await this.database.close();
    await this.stack.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Who owns a data folder, as it says itself. */
export function readOwner(dataFolder: string): { pid: number; databasePid: number; runFolder: string } {
  return JSON.parse(readFileSync(join(dataFolder, 'owner.json'), 'utf8'));
}

/** The processes whose command line or environment names a run folder: the children of one start. */
export function pidsOf(runFolder: string): { pid: number; command: string }[] {
  return execFileSync('ps', ['axeww', '-o', 'pid=,command='], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    .split('\n')
    .filter((line) => line.includes(runFolder))
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim().replace(/^\d+\s+/, '') }))
    .filter(({ command }) => !command.startsWith('ps '));
}
