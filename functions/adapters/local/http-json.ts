import { type RequestOptions, request } from 'node:http';

/**
 * Posts JSON to `http://host:port/path` or, over a Unix socket, to `unix:/socket#/path`, and returns the JSON answer.
 * Rejects for every status but 2xx.
 */
export function postJson(url: string, body: unknown, timeoutMs: number): Promise<unknown> {
  const isUnix = url.startsWith('unix:');
  const hash = url.indexOf('#');
  const socketPath = isUnix ? url.slice('unix:'.length, hash === -1 ? undefined : hash) : null;
  const payload = Buffer.from(JSON.stringify(body), 'utf8');
  const options = {
    method: 'POST',
    timeout: timeoutMs,
    headers: { 'Content-Type': 'application/json', 'Content-Length': payload.length },
  };
  return new Promise((resolve, reject) => {
    const sent =
      socketPath === null
        ? request(url, options)
        : request({
            ...options,
            socketPath,
            path: hash === -1 ? '/' : url.slice(hash + 1),
            // Left out, Node works one out for TLS, with patterns that take it 5 ms to compile.
            servername: '',
          } as RequestOptions);
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    sent.on('error', reject);
    sent.on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const status = response.statusCode ?? 0;
        const text = Buffer.concat(parts).toString('utf8');
        if (status < 200 || status > 299) return reject(new HttpStatusError(status, text));
        try {
          resolve(text === '' ? null : JSON.parse(text));
        } catch (error) {
          reject(error);
        }
      });
    });
    sent.end(payload);
  });
}

/** The server answered, and refused. */
export class HttpStatusError extends Error {
  constructor(
    readonly status: number,
    body: string,
  ) {
    super(`HTTP ${status}: ${body.slice(0, 200)}`);
    this.name = 'HttpStatusError';
  }
}
