import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../api.ts';

/** What is sent, and as whom. */
export interface Sent {
  method: 'GET' | 'POST';
  path: string;
  /** As JSON, or as it is. */
  body?: object | string;
}

/** A response as it came. */
export interface Exchanged {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** Undefined where the body is no JSON. */
  json: unknown;
  /** From the request to the end of the body, without what was waited for before. */
  ms: number;
}

/** What ends by itself: too many requests, a part that is away. */
const PASSING = new Set([429, 502, 503, 504]);
const MAX_TRIES = 8;
const FIRST_WAIT_MS = 250;
/** Who asks for more patience than this has used up a limit of the day. */
const LONGEST_WAIT_S = 120;

/** Sends requests to one server with anybody's token; what is refused for a while is sent again. */
export class Exchange {
  readonly url: string;
  readonly #signal: AbortSignal;
  /** How often a request was sent again. */
  repeats = 0;

  constructor(url: string, signal: AbortSignal) {
    this.url = url;
    this.#signal = signal;
    // Each request listens to it, and stops doing so when it is collected as garbage.
    setMaxListeners(0, signal);
  }

  /** The response, whatever it says; throws ApiError where none comes, or none but "later" in several tries. */
  async send(token: string, sent: Sent): Promise<Exchanged> {
    for (let tries = 1; ; tries++) {
      const response = await this.#once(token, sent);
      if (response !== null && !PASSING.has(response.status)) return response;
      const asked = Number(response?.headers['retry-after'] ?? 0);
      if (asked > LONGEST_WAIT_S) {
        throw new ApiError(
          `The server takes no more questions for ${asked} seconds; a limit of model calls may be reached`,
          response?.status ?? 0,
          'limit',
        );
      }
      if (tries === MAX_TRIES) {
        if (response !== null) return response;
        throw new ApiError(`${this.url} does not answer`, 0, 'unreachable');
      }
      this.repeats++;
      const waitMs = Math.max(FIRST_WAIT_MS * 2 ** (tries - 1), (Number.isFinite(asked) ? asked : 0) * 1000);
      await sleep(waitMs, undefined, { signal: this.#signal });
    }
  }

  /** Null where the connection failed. */
  async #once(token: string, { method, path, body }: Sent): Promise<Exchanged | null> {
    const startedAt = performance.now();
    try {
      const response = await fetch(this.url + path, {
        method,
        signal: this.#signal,
        headers: {
          Authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const ms = performance.now() - startedAt;
      return { status: response.status, headers: Object.fromEntries(response.headers), text, json: parse(text), ms };
    } catch (error) {
      this.#signal.throwIfAborted();
      // A failed connection is a TypeError of fetch.
      if (!(error instanceof TypeError)) throw error;
      return null;
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A field of a body that is an object. */
export const fieldOf = (json: unknown, name: string): unknown =>
  typeof json === 'object' && json !== null ? (json as Record<string, unknown>)[name] : undefined;
