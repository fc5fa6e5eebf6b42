import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a model's server answers a request. */
export type ModelReply =
  | { status?: number; headers?: Record<string, string>; body: unknown }
  /** As it is, however little of JSON. */
  | { text: string }
  /** The connection ends amid the body. */
  | { cutAfter: string }
  | 'hang';

export interface ModelRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Stands in for the server of a model: refuses what `faultsOf` finds faults with, and gives its replies in turn. */
export class ModelServer {
  readonly asked: ModelRequest[] = [];
  /** What was wrong with any request. */
  readonly faults: string[] = [];
  /** The last is given again and again. */
  replies: ModelReply[] = [];
  readonly #server;

  constructor(faultsOf: (request: ModelRequest) => string[]) {
    this.#server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
      const { method = '', url = '', headers } = request;
      const asked = { method, url, headers, body: Buffer.concat(parts) };
      this.asked.push(asked);
      const faults = faultsOf(asked);
      this.faults.push(...faults);
      const reply = this.replies.length > 1 ? this.replies.shift() : this.replies[0];
      if (faults.length > 0) response.writeHead(418).end('{}');
      else if (reply === undefined || reply === 'hang') return;
      else if ('text' in reply) response.writeHead(200, JSON_TYPE).end(reply.text);
      else if ('cutAfter' in reply) {
        response.writeHead(200, { ...JSON_TYPE, 'content-length': String(reply.cutAfter.length + 100) });
        response.write(reply.cutAfter, () => response.destroy());
      } else {
        response.writeHead(reply.status ?? 200, { ...JSON_TYPE, ...reply.headers }).end(JSON.stringify(reply.body));
      }
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The body of a request, the last one's by default. */
  body(at = -1): Record<string, unknown> {
    return JSON.parse(this.asked.at(at)?.body.toString('utf8') ?? 'null');
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };
