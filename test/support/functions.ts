import { randomUUID } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { expect, inject } from 'vitest';
import { PostgresDatabase } from '../../functions/adapters/postgres/database.ts';
import { applyChange, type Change } from '../../functions/ingest/ingest.ts';
import type { FunctionName } from '../../functions/routes.ts';
import { FunctionHost, type InvocationResult } from '../../scripts/dev/function-host.ts';
import {
  ensureIssuerKey,
  LOCAL_AUDIENCE,
  LOCAL_ISSUER,
  publicKeySet,
  signToken,
} from '../../scripts/dev/token-issuer.ts';
import { MIGRATIONS, type RunningDatabase, startDatabase } from './database-process.ts';
import { copyTemplate } from './global-setup.ts';
import { STAND_IN_MODEL, StandInEncoder } from './stand-in-encoder.ts';

/** What a function answered to a call over HTTP. */
export interface Reply {
  status: number;
  /** The headers as the gateway would pass them on, in lower case. */
  headers: Record<string, string>;
  /** Empty where the answer is no JSON. */
  body: Record<string, unknown>;
  /** The body as it came. */
  bytes: Buffer;
  callId: string;
}

export interface CallOptions {
  token?: string;
  /** An object goes as JSON, text and bytes go as they are. */
  body?: object | string | Buffer;
  headers?: Record<string, string>;
  /** The function that is called, where it is not the one that serves the route. */
  served?: FunctionName;
}

/** The functions in processes of their own, with one configuration. */
export class TestFunctions {
  readonly host: FunctionHost;
  readonly #folder = mkdtempSync(join(tmpdir(), 'oci-rag-fn-'));
  readonly #logFd = openSync(join(this.#folder, 'log'), 'a');

  constructor(env: Record<string, string>) {
    const bundles = inject('functionsFolder');
    this.host = new FunctionHost({
      bundleOf: (name) => join(bundles, `${name}.cjs`),
      env,
      runFolder: this.#folder,
      logFd: this.#logFd,
    });
  }

  /** Calls `METHOD /path` over HTTP, as the gateway does. */
  async call(route: string, { token, body = '', headers = {}, served }: CallOptions = {}): Promise<Reply> {
    const [method = '', path = ''] = route.split(' ');
    const callId = randomUUID();
    const authorization: Record<string, string> = token ? { 'Fn-Http-H-Authorization': `Bearer ${token}` } : {};
    const result = await this.host.invoke(served ?? functionOf(method, path), {
      callId,
      headers: {
        'Fn-Intent': 'httprequest',
        'Fn-Http-Method': method,
        'Fn-Http-Request-Url': path,
        ...authorization,
        ...headers,
      },
      body: typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.from(body) : Buffer.from(JSON.stringify(body)),
    });
    expect(result.status).toBe(200);
    return toReply(result, callId);
  }

  /** Calls a function outside HTTP, as a notification does. */
  async invoke(name: FunctionName, body = ''): Promise<{ status: number; body: Record<string, unknown> }> {
    const { status, body: bytes } = await this.host.invoke(name, { callId: randomUUID(), body: Buffer.from(body) });
    return { status, body: JSON.parse(bytes.toString('utf8')) };
  }

  /** Calls a running function over its socket with exactly these headers, writing the body part by part. */
  callSocket(name: FunctionName, headers: Record<string, string>, parts: Buffer[]): Promise<Reply> {
    const socket = readdirSync(this.#folder).find((file) => new RegExp(`^${name}\\d+$`).test(file)) ?? '';
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    return new Promise((resolve, reject) => {
      const sent = request({
        socketPath: join(this.#folder, socket),
        path: '/call',
        method: 'POST',
        headers: { ...headers, 'Content-Length': length },
      });
      sent.on('error', reject);
      sent.on('response', async (response) => {
        const received: Buffer[] = [];
        for await (const part of response as AsyncIterable<Buffer>) received.push(part);
        const result = { status: response.statusCode ?? 0, headers: response.headers as Record<string, string> };
        resolve(toReply({ ...result, body: Buffer.concat(received) }, headers['Fn-Call-Id'] ?? 'none'));
      });
      void (async () => {
        for (const part of parts) {
          await new Promise<void>((written) => sent.write(part, () => written()));
          // Long enough for the function to read this part before the next is there.
          await new Promise((later) => setTimeout(later, 20));
        }
        sent.end();
      })();
    });
  }

  /** What the functions have logged and printed. */
  log(): string {
    return readFileSync(join(this.#folder, 'log'), 'utf8');
  }

  async close(): Promise<void> {
    await this.host.close();
    closeSync(this.#logFd);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const functionOf = (method: string, path: string): FunctionName =>
  method === 'GET' || /^\/v1\/(ask|search)$/.test(path) ? 'ask' : 'ingest';

function toReply({ headers, body }: InvocationResult, callId: string): Reply {
  const prefix = 'fn-http-h-';
  return {
    status: Number(headers['fn-http-status'] ?? 200),
    headers: {
      'content-type': headers['content-type'] ?? '',
      ...Object.fromEntries(
        Object.entries(headers)
          .filter(([name]) => name.startsWith(prefix))
          .map(([name, value]) => [name.slice(prefix.length), value]),
      ),
    },
    body: /json/.test(headers['content-type'] ?? '') ? JSON.parse(body.toString('utf8')) : {},
    bytes: body,
    callId,
  };
}

/** A migrated database, an encoder, the functions on both, and what is needed to call them. */
export class FunctionBench {
  readonly encoder: StandInEncoder;
  readonly database: PostgresDatabase;
  readonly functions: TestFunctions;
  readonly key: JWK;
  readonly env: Record<string, string>;
  readonly #folder: string;
  readonly #running: RunningDatabase;
  readonly #further: TestFunctions[] = [];

  private constructor(folder: string, running: RunningDatabase, key: JWK, env: Record<string, string>) {
    this.#folder = folder;
    this.#running = running;
    this.key = key;
    this.encoder = new StandInEncoder(folder);
    this.env = {
      RAG_DATABASE: running.url,
      RAG_STORAGE: `folder:${join(folder, 'files')}`,
      RAG_EMBEDDING_MODEL: STAND_IN_MODEL,
      RAG_EMBEDDING_URL: this.encoder.url,
      RAG_AUTH_ISSUER: LOCAL_ISSUER,
      RAG_AUTH_AUDIENCE: LOCAL_AUDIENCE,
      RAG_AUTH_JWKS: JSON.stringify(publicKeySet(key)),
      RAG_MIGRATIONS: MIGRATIONS,
      ...env,
    };
    this.database = PostgresDatabase.open({
      connectionString: running.url,
      poolMax: 2,
      textIndex: 'bm25',
      onIdleError: () => {},
    });
    this.functions = new TestFunctions(this.env);
  }

  /** `migrated`: false for a database that nobody has bootstrapped yet. */
  static async open({ migrated = true, env = {} as Record<string, string> } = {}): Promise<FunctionBench> {
    const folder = mkdtempSync(join(tmpdir(), 'oci-rag-bench-'));
    if (migrated) copyTemplate(inject('templateFolder'), join(folder, 'database'));
    const [running, key] = await Promise.all([startDatabase(join(folder, 'database')), ensureIssuerKey(folder)]);
    const bench = new FunctionBench(folder, running, key, env);
    await bench.encoder.listen();
    return bench;
  }

  /** Further processes of the same functions, with some settings changed. */
  withSettings(settings: Record<string, string>): TestFunctions {
    const functions = new TestFunctions({ ...this.env, ...settings });
    this.#further.push(functions);
    return functions;
  }

  /** A token for a subject; the scope is for writing. */
  token(subject: string, scope?: string): Promise<string> {
    return signToken(this.key, subject, scope);
  }

  async write(...changes: Change[]): Promise<void> {
    for (const change of changes) await applyChange(this.database, change);
  }

  rows<T = Record<string, unknown>>(sql: string): Promise<T[]> {
    return this.database.rows<T>('system', sql);
  }

  async close(): Promise<void> {
    for (const functions of [this.functions, ...this.#further]) await functions.close();
    await this.database.close();
    await this.#running.stop();
    this.encoder.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Checks that a reply is a problem document: every field, the same status inside and outside, the call's own id. */
export function expectProblem(reply: Reply, status: number, code: string): void {
  expect(reply.status).toBe(status);
  expect(reply.headers['content-type']).toBe('application/problem+json');
  expect(reply.body).toMatchObject({
    type: 'about:blank',
    title: expect.stringMatching(/^[A-Z]/),
    status,
    detail: expect.stringMatching(/\S/),
    code,
    callId: reply.callId,
  });
}
