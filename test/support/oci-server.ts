import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Region, SimpleAuthenticationDetailsProvider } from 'oci-common';

interface Asked {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Stands in for a service of OCI: keeps what it is asked, and gives `reply`; nothing while that is null. */
export class OciServer {
  readonly asked: Asked[] = [];
  reply: { status: number; body?: object } | null = { status: 200 };
  readonly #server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const { method, url, headers } = request;
    this.asked.push({ method, url, headers, body: Buffer.concat(parts).toString('utf8') });
    if (this.reply === null) return;
    const body = this.reply.body === undefined ? '' : JSON.stringify(this.reply.body);
    response.writeHead(this.reply.status, { 'Content-Type': 'application/json' }).end(body);
  });

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** A user with a key of its own, in Frankfurt. */
export function somePrincipal(): SimpleAuthenticationDetailsProvider {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return new SimpleAuthenticationDetailsProvider(
    'ocid1.tenancy.oc1..t',
    'ocid1.user.oc1..u',
    'aa:bb',
    privateKey,
    null,
    Region.EU_FRANKFURT_1,
  );
}
