import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web server with one file, which can be as unhelpful as real ones are. */
export interface FileServer {
  url: string;
  /** What was asked for, in order: the path and the Range header. */
  asked: { path: string; range: string | undefined }[];
  body: Buffer;
  etag: string | null;
  /** Never answers with a part. */
  ignoresRange: boolean;
  /** Answers with a part whatever If-Range says. */
  ignoresIfRange: boolean;
  /** Cuts these many next connections after half of what they should bring. */
  cuts: number;
  /** Stops sending, and leaves the connection open, when so many bytes of the file are out. */
  stallsAt: number | null;
  status: number;
  /** Other things than the file: a path and what is answered there. */
  pages: Map<string, { status: number; headers: Record<string, string>; text: string }>;
  close(): Promise<void>;
}

export async function startFileServer(body: Buffer): Promise<FileServer> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    served.asked.push({ path, range: request.headers.range });
    const page = served.pages.get(path);
    if (page !== undefined) {
      response.writeHead(page.status, page.headers).end(page.text);
      return;
    }
    if (served.status !== 200) {
      response.writeHead(served.status).end();
      return;
    }
    const from = startOf(request);
    const rest = served.body.subarray(from);
    const etag = served.etag === null ? {} : { ETag: served.etag };
    const range =
      from === 0 ? {} : { 'Content-Range': `bytes ${from}-${served.body.length - 1}/${served.body.length}` };
    response.writeHead(from === 0 ? 200 : 206, { 'Content-Length': rest.length, ...etag, ...range });
    if (served.cuts > 0) {
      served.cuts -= 1;
      response.write(rest.subarray(0, rest.length / 2), () => setTimeout(() => response.destroy(), 50));
    } else if (served.stallsAt !== null) {
      response.write(rest.subarray(0, Math.max(0, served.stallsAt - from)));
    } else {
      response.end(rest);
    }
  });
  const startOf = ({ headers }: IncomingMessage): number => {
    const [, start] = /^bytes=(\d+)-$/.exec(headers.range ?? '') ?? [];
    if (start === undefined || served.ignoresRange) return 0;
    return served.ignoresIfRange || headers['if-range'] === served.etag ? Number(start) : 0;
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const served: FileServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    body,
    etag: '"first"',
    ignoresRange: false,
    ignoresIfRange: false,
    cuts: 0,
    stallsAt: null,
    status: 200,
    pages: new Map(),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return served;
}
