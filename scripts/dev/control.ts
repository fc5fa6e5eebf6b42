import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Log } from '../../functions/ports/platform.ts';
import type { FunctionHost } from './function-host.ts';

const DETACHED_DRAIN = '/drain/detached';
const TICK_MS = 2000;

/**
 * Starts drains: on a nudge, posted to a socket that answers at once (a detached invocation), and on a schedule, with
 * the message that an OCI alarm delivers. One drain runs at a time; what comes meanwhile is one more afterwards.
 */
export class DrainControl {
  readonly #host: FunctionHost;
  readonly #log: Log;
  readonly #socketPath: string;
  readonly #server: Server;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<boolean> | null = null;
  #again = false;
  #stopped = false;

  constructor(host: FunctionHost, runFolder: string, log: Log) {
    this.#host = host;
    this.#log = log;
    this.#socketPath = join(runFolder, 'control');
    this.#server = createServer((request, response) => {
      request.resume();
      const known = request.method === 'POST' && request.url === DETACHED_DRAIN;
      if (known) this.#request(() => ({ headers: {}, body: Buffer.from('{"reason":"a write"}') }));
      response.writeHead(known ? 202 : 404).end();
    });
  }

  /** The address that a nudge is posted to. */
  static nudgeUrl(runFolder: string): string {
    return `unix:${join(runFolder, 'control')}#${DETACHED_DRAIN}`;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#socketPath, resolve));
  }

  startSchedule(): void {
    this.#timer = setInterval(() => {
      if (this.#running === null) this.#request(alarm);
    }, TICK_MS);
  }

  /** Drains until nothing is left to start. False where the last drain failed; the log says why. */
  async drain(): Promise<boolean> {
    this.#request(alarm);
    let succeeded = true;
    while (this.#running !== null) succeeded = await this.#running;
    return succeeded;
  }

  /** Starts no further drain. */
  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
  }

  async close(): Promise<void> {
    this.stop();
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#running;
  }

  #request(message: () => { headers: Record<string, string>; body: Buffer }): void {
    if (this.#stopped) return;
    if (this.#running !== null) {
      this.#again = true;
      return;
    }
    this.#running = this.#drain(message).finally(() => {
      this.#running = null;
      if (!this.#again) return;
      this.#again = false;
      this.#request(message);
    });
  }

  async #drain(message: () => { headers: Record<string, string>; body: Buffer }): Promise<boolean> {
    try {
      const result = await this.#host.invoke('drain', { callId: randomUUID(), ...message() });
      if (result.status === 200) return true;
      this.#log.warn('drain_refused', { body: result.body.toString('utf8').slice(0, 500) });
    } catch (error) {
      if (!this.#stopped) this.#log.warn('drain_broke_off', { reason: String(error) });
    }
    return false;
  }
}

/** A repeating alarm as OCI Notifications delivers it to a function: the alarm's JSON as the body (RAW format). */
function alarm(): { headers: Record<string, string>; body: Buffer } {
  const now = new Date();
  const message = {
    dedupeKey: 'oci-rag-local-clock',
    title: 'oci-rag clock',
    body: 'Time to drain the re-index queue',
    type: 'REPEAT',
    severity: 'INFO',
    timestampEpochMillis: now.getTime(),
    timestamp: now.toISOString(),
    alarmMetaData: [],
    version: 1.5,
  };
  const headers = {
    'Content-Type': 'application/json',
    'X-OCI-NS-MessageId': randomUUID(),
    'X-OCI-NS-TopicName': 'oci-rag-clock',
    'X-OCI-NS-MessageType': 'Notification',
  };
  return { headers, body: Buffer.from(JSON.stringify(message)) };
}
