import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SimpleAuthenticationDetailsProvider } from 'oci-common';
import { signatureFault } from './oci-signature.ts';

interface Kept {
  content: Buffer;
  contentType: string;
  etag: string;
  modifiedAt: Date;
}

/** What the service can be asked to tell of each object in a list. */
const FIELDS = ['name', 'size', 'etag', 'md5', 'timeCreated', 'timeModified', 'storageTier', 'archivalState'];
const MAX_LIMIT = 1000;

/**
 * Stands in for one bucket of Object Storage: only requests that are signed for what arrives, names as the path has them
 * encoded, the service's own codes for what is not there, MD5 that fits, lists in pages in the order of UTF-8.
 */
export class BucketServer {
  readonly objects = new Map<string, Kept>();
  /** Answers to the next requests instead of what they ask for: a refusal, `drop` the connection, or `cut` off amid the body. */
  readonly faults: ({ status: number; code: string } | 'drop' | 'cut')[] = [];
  /** Gives no answer at all. */
  isSilent = false;
  requests = 0;
  readonly #principal: SimpleAuthenticationDetailsProvider;
  readonly #place: string;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  constructor(principal: SimpleAuthenticationDetailsProvider, namespace: string, bucket: string) {
    this.#principal = principal;
    this.#place = `/n/${namespace}/b/${bucket}/o`;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++;
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    if (this.isSilent) return;
    const { method = '', url = '', headers } = request;
    const fault = this.faults.shift();
    if (fault === 'drop') return void request.socket.destroy();
    const refuse = (status: number, code: string) =>
      response
        .writeHead(status, { 'Content-Type': 'application/json' })
        .end(method === 'HEAD' ? undefined : JSON.stringify({ code, message: `refused: ${code}` }));
    if (fault !== undefined && fault !== 'cut') return void refuse(fault.status, fault.code);
    const body = Buffer.concat(parts);
    const unsigned = signatureFault({ method, url, headers, body }, this.#principal);
    if (unsigned !== null) return void refuse(401, 'NotAuthenticated');
    const { pathname, searchParams } = new URL(url, this.url);
    const [, , namespace, , bucket, , encoded] = pathname.split('/');
    if (!this.#place.startsWith(`/n/${namespace}/`)) return void refuse(404, 'NamespaceNotFound');
    if (this.#place !== `/n/${namespace}/b/${bucket}/o`) return void refuse(404, 'BucketNotFound');
    if (encoded === undefined) return void this.#list(searchParams, response, refuse);
    const name = decodeURIComponent(encoded);
    if (method === 'PUT') {
      const md5 = createHash('md5').update(body).digest('base64');
      if (headers['content-md5'] !== md5) return void refuse(400, 'UnmatchedContentMD5');
      if (headers['content-length'] !== String(body.length)) return void refuse(411, 'MissingContentLength');
      const etag = randomUUID();
      const contentType = headers['content-type'] ?? 'application/octet-stream';
      this.objects.set(name, { content: body, contentType, etag, modifiedAt: new Date() });
      return void response.writeHead(200, { ETag: etag, 'opc-content-md5': md5 }).end();
    }
    const kept = this.objects.get(name);
    if (kept === undefined) return void refuse(404, 'ObjectNotFound');
    if (method === 'DELETE') {
      this.objects.delete(name);
      return void response.writeHead(204).end();
    }
    response.writeHead(200, {
      ETag: kept.etag,
      'Content-Length': kept.content.length,
      'Content-Type': kept.contentType,
      'Last-Modified': kept.modifiedAt.toUTCString(),
    });
    if (fault !== 'cut') return void response.end(kept.content);
    response.write(kept.content.subarray(0, -1), () => request.socket.destroy());
  }

  #list(query: URLSearchParams, response: ServerResponse, refuse: (status: number, code: string) => void): void {
    const fields = (query.get('fields') ?? 'name').split(',');
    const limit = Number(query.get('limit') ?? MAX_LIMIT);
    if (fields.some((field) => !FIELDS.includes(field)) || !(limit >= 1 && limit <= MAX_LIMIT)) {
      refuse(400, 'InvalidParameter');
      return;
    }
    const start = Buffer.from(query.get('start') ?? '');
    const names = [...this.objects.keys()]
      .map((name) => Buffer.from(name))
      .sort(Buffer.compare)
      .filter((name) => Buffer.compare(name, start) >= 0)
      .map(String)
      .filter((name) => name.startsWith(query.get('prefix') ?? ''));
    const objects = names.slice(0, limit).map((name) => {
      const { content, etag, modifiedAt } = this.objects.get(name) as Kept;
      const all = { name, size: content.length, etag, timeModified: modifiedAt.toISOString() };
      return Object.fromEntries(Object.entries(all).filter(([field]) => fields.includes(field)));
    });
    const nextStartWith = names[limit];
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ objects, prefixes: [], ...(nextStartWith !== undefined && { nextStartWith }) }));
  }
}
