import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FUNCTIONS, type FunctionName } from '../../functions/routes.ts';
import { startChild, stopChild } from './child.ts';

export interface Invocation {
  callId: string;
  /** Further headers: Fn-Http-* for a call over HTTP, X-OCI-NS-* for a notification. */
  headers?: Record<string, string>;
  body: Buffer;
}

export interface InvocationResult {
  /** What the FDK answered: 200, or 502 where the function threw. */
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** The function's process could not be started, died, or overran its time limit. */
export class InvocationError extends Error {
  constructor(
    message: string,
    readonly timedOut: boolean,
    /** Whether it is certain that the function has not seen the call. */
    readonly notReached = false,
  ) {
    super(message);
  }
}

interface HostOptions {
  /** The bundle of each function. */
  bundleOf(name: FunctionName): string;
  /** The functions' configuration. */
  env: Record<string, string>;
  /** A folder for sockets, short enough for a socket's path. */
  runFolder: string;
  logFd: number;
}

interface RunningFunction {
  child: ChildProcess;
  socketPath: string;
  agent: Agent;
  listening: Promise<void>;
  ended: Promise<void>;
}

/** What the gateway takes (Node's own 16 KiB), with room for the prefix of each header that is passed on. */
const MAX_HEADER_BYTES = 65_536;
const START_LIMIT_MS = 10_000;
const POLL_MS = 3;
const STOP_GRACE_MS = 2000;
/** How long the end of a process may take to be known after its socket has closed. */
const END_KNOWN_MS = 500;

/**
 * Runs functions as OCI Functions does: one process each, started on demand and again when it has died, called over
 * the FDK's Unix socket with a deadline, ended when it overruns it.
 */
export class FunctionHost {
  readonly #options: HostOptions;
  readonly #running = new Map<FunctionName, RunningFunction>();
  #starts = 0;
  #closed = false;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** Calls a function and waits for its result; rejects with {@link InvocationError}. */
  async invoke(name: FunctionName, invocation: Invocation): Promise<InvocationResult> {
    const running = this.#ensure(name);
    await running.listening;
    const limitMs = FUNCTIONS[name].timeoutSeconds * 1000;
    try {
      return await post(running, invocation, limitMs);
    } catch (error) {
      if (!(error instanceof InvocationError)) throw error;
      if (error.timedOut) running.child.kill('SIGKILL');
      // The socket of a process that dies is closed before its end is known: the next call must find a new process.
      const pause = new AbortController();
      await Promise.race([running.ended, sleep(END_KNOWN_MS, null, { signal: pause.signal })]);
      pause.abort();
      // It was dead before the call could reach it: nothing has been done yet.
      if (error.notReached && !this.#closed && this.#running.get(name) !== running)
        return this.invoke(name, invocation);
      throw error;
    }
  }

  /** The process of a function, where one runs. */
  pidOf(name: FunctionName): number | undefined {
    return this.#running.get(name)?.child.pid;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#running.values()].map(({ child }) => stopChild(child, STOP_GRACE_MS)));
  }

  #ensure(name: FunctionName): RunningFunction {
    if (this.#closed) throw new InvocationError('the functions are being stopped', false);
    const known = this.#running.get(name);
    if (known !== undefined) return known;

    const socketPath = join(this.#options.runFolder, `${name}${++this.#starts}`);
    const child = startChild({
      args: [`--max-http-header-size=${MAX_HEADER_BYTES}`, this.#options.bundleOf(name)],
      env: {
        ...this.#options.env,
        FN_FORMAT: 'http-stream',
        FN_LISTENER: `unix:${socketPath}`,
        FN_APP_NAME: 'oci-rag',
        FN_FN_NAME: name,
        FN_MEMORY: '1024',
      },
      logFd: this.#options.logFd,
    });
    const agent = new Agent({ keepAlive: true });
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => {
        if (this.#running.get(name) === running) this.#running.delete(name);
        agent.destroy();
        void rm(socketPath, { force: true });
        void rm(`${socketPath}.tmp`, { force: true });
        resolve();
      });
    });
    const running: RunningFunction = {
      child,
      socketPath,
      agent,
      listening: whenListening(child, socketPath),
      ended,
    };
    this.#running.set(name, running);
    // Each call awaits it; this keeps a failure without a waiting call from ending the process.
    running.listening.catch(() => {});
    return running;
  }
}

/** Resolves when the FDK has put its socket in place. */
async function whenListening(child: ChildProcess, socketPath: string): Promise<void> {
  const giveUpAt = Date.now() + START_LIMIT_MS;
  while (!existsSync(socketPath)) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new InvocationError(`the function ended with code ${child.exitCode} while it started`, false);
    }
    if (Date.now() > giveUpAt) {
      child.kill('SIGKILL');
      throw new InvocationError('the function did not start in time', false);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function post(running: RunningFunction, invocation: Invocation, limitMs: number): Promise<InvocationResult> {
  return new Promise((resolve, reject) => {
    const sent = request({
      socketPath: running.socketPath,
      agent: running.agent,
      path: '/call',
      method: 'POST',
      headers: {
        // First: Node reads no more than the first thousand headers of a request, and refuses one without Host.
        Host: 'localhost',
        'Content-Length': invocation.body.length,
        'Fn-Call-Id': invocation.callId,
        'Fn-Deadline': new Date(Date.now() + limitMs).toISOString(),
        ...invocation.headers,
      },
    });
    const timer = setTimeout(() => {
      reject(new InvocationError(`the function overran its ${limitMs / 1000} s`, true));
      sent.destroy();
    }, limitMs);
    const failed = (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      const notReached = error.code === 'ECONNREFUSED' || error.code === 'ENOENT';
      reject(new InvocationError(`the function broke off: ${error.message}`, false, notReached));
    };
    sent.on('error', failed);
    sent.on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', failed);
      response.on('end', () => {
        clearTimeout(timer);
        const headers = Object.fromEntries(
          Object.entries(response.headers).map(([key, value]) => [
            key,
            Array.isArray(value) ? value.join(', ') : (value ?? ''),
          ]),
        );
        resolve({ status: response.statusCode ?? 502, headers, body: Buffer.concat(parts) });
      });
    });
    sent.end(invocation.body);
  });
}
