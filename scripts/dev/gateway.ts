import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, maxHeaderSize, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  AppError,
  DeadlineExceeded,
  MalformedRequest,
  problemHeaders,
  RateLimited,
  toAppError,
  toProblem,
  Unavailable,
} from '../../functions/core/errors.ts';
import { bearerToken, bodyTooLarge } from '../../functions/http.ts';
import { matchRoute } from '../../functions/match-route.ts';
import type { Log, TokenVerifier } from '../../functions/ports/platform.ts';
import { MAX_BODY_BYTES } from '../../functions/routes.ts';
import { type FunctionHost, InvocationError } from './function-host.ts';
import { RateLimit } from './rate-limit.ts';

export interface GatewayOptions {
  requestsPerSecond: number;
  log(callId: string): Log;
}

/** What the gateway passes calls on to; null while it is not there yet. */
export interface Backend {
  host: FunctionHost;
  verifier: TokenVerifier;
}

/** A sender of more than this is cut off. */
const DRAINED_BYTES = 20 * MAX_BODY_BYTES;

/**
 * Does what OCI API Gateway does in the cloud: the route table, rate and body limits, the token's signature, issuer and
 * audience; everything else is the function's. Listens at once and answers 503 until its backend is there.
 */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #limit: RateLimit;
  readonly #server: Server;
  #backend: Backend | null = null;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#limit = new RateLimit(options.requestsPerSecond);
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.on('clientError', refuseUnreadable);
  }

  /** Listens on loopback; resolves to the port. */
  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  serve(backend: Backend): void {
    this.#backend = backend;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const callId = randomUUID();
    response.setHeader('X-Call-Id', callId);
    try {
      await this.#forward(request, response, callId);
    } catch (thrown) {
      // The caller has gone in the middle of the body: nobody is left to tell, and nothing of ours has failed.
      if (request.destroyed && !request.complete) return;
      const error = toAppError(thrown);
      // Without a cause it is an answer of ours, such as that the start is not over yet.
      if (error.status >= 500 && error.cause !== undefined)
        this.#options.log(callId).error('gateway_failed', error.cause);
      if (response.headersSent || response.destroyed) return;
      // A body that nobody has asked for yet is passed over, so that the answer can be read.
      request.resume();
      response.writeHead(error.status, problemHeaders(error));
      response.end(JSON.stringify(toProblem(error, callId)));
    }
  }

  async #forward(request: IncomingMessage, response: ServerResponse, callId: string): Promise<void> {
    if (!this.#limit.take(request.socket.remoteAddress ?? '', Date.now())) {
      const limit = this.#options.requestsPerSecond;
      throw new RateLimited(`At most ${limit} requests a second; slow down`, { retryAfterSeconds: 1 });
    }
    const [path = '/'] = (request.url ?? '/').split(/[?#]/, 1);
    const { route } = matchRoute(request.method ?? '', path);
    if (this.#backend === null) throw new Unavailable('Starting; try again in a moment', { retryAfterSeconds: 2 });
    const { host, verifier } = this.#backend;
    if (route.access !== 'public') await verifier.verify(bearerToken(request.headers.authorization));
    const body = await readBody(request);

    const result = await host
      .invoke(route.function, { callId, headers: forwardedHeaders(request), body })
      .catch((error: unknown) => {
        if (!(error instanceof InvocationError)) throw error;
        if (error.timedOut) throw new DeadlineExceeded('The time limit of this call has passed', { cause: error });
        throw new BadGateway('The function that serves this has failed; try again', { cause: error });
      });
    if (result.status !== 200) {
      throw new BadGateway('The function that serves this has failed; try again', {
        cause: new Error(result.body.toString('utf8')),
      });
    }
    for (const [name, value] of Object.entries(result.headers)) {
      if (name.startsWith('fn-http-h-')) response.setHeader(name.slice('fn-http-h-'.length), value);
    }
    response.setHeader('Content-Type', result.headers['content-type'] ?? 'application/json');
    response.writeHead(Number(result.headers['fn-http-status'] ?? 200));
    response.end(result.body);
  }
}

/** Answers what Node could not read as HTTP, by Node's code for it. */
function refuseUnreadable({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const error =
    code === 'HPE_HEADER_OVERFLOW'
      ? new HeadersTooLarge(`The headers are at most ${maxHeaderSize} bytes`)
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new RequestTimeout('The request did not come to its end in time')
        : new MalformedRequest('This is not valid HTTP/1.1');
  const problem = toProblem(error, randomUUID());
  const body = JSON.stringify(problem);
  const headers = { ...problemHeaders(error), 'X-Call-Id': problem.callId, 'Content-Length': Buffer.byteLength(body) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${problem.status} ${problem.title}\r\n${lines.join('')}Connection: close\r\n\r\n${body}`);
}

class HeadersTooLarge extends AppError {
  readonly code = 'headers_too_large';
  readonly status = 431;
}

class RequestTimeout extends AppError {
  readonly code = 'request_timeout';
  readonly status = 408;
}

/** The function behind a route broke off, or answered with its own failure. */
class BadGateway extends AppError {
  readonly code = 'bad_gateway';
  readonly status = 502;
  override readonly retryable = true;
}

function forwardedHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {
    'Content-Type': request.headers['content-type'] ?? 'application/octet-stream',
    'Fn-Intent': 'httprequest',
    'Fn-Http-Method': request.method ?? '',
    'Fn-Http-Request-Url': request.url ?? '/',
  };
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string') headers[`Fn-Http-H-${name}`] = value;
  }
  return headers;
}

/** Reads a body to its end, keeping no more than the limit, so that a sender of too much still hears so. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length <= MAX_BODY_BYTES) parts.push(part);
    else parts.length = 0;
    if (length > DRAINED_BYTES) break;
  }
  if (length > MAX_BODY_BYTES) throw bodyTooLarge(length);
  return Buffer.concat(parts);
}
