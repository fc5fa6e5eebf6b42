import { createHash, createPublicKey, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { SimpleAuthenticationDetailsProvider } from 'oci-common';

/** What OCI asks to be signed of a POST; of a GET the first three. */
const SIGNED = ['date', '(request-target)', 'host', 'content-length', 'content-type', 'x-content-sha256'];

interface Signed {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** What is wrong with the signature of a request (version 1 of OCI's); null where nothing is. */
export function signatureFault(request: Signed, principal: SimpleAuthenticationDetailsProvider): string | null {
  const { method, url, headers, body } = request;
  const authorization = headers.authorization ?? '';
  const fields: Record<string, string | undefined> = Object.fromEntries(
    [...authorization.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  const names = (fields.headers ?? '').toLowerCase().split(' ');
  const required = method === 'POST' ? SIGNED : SIGNED.slice(0, 3);
  const missing = required.find((name) => !names.includes(name) && !(name === 'date' && names.includes('x-date')));
  if (!authorization.startsWith('Signature version="1"')) return 'is not signed';
  if (missing !== undefined) return `does not sign ${missing}`;
  const digest = createHash('sha256').update(body).digest('base64');
  if (method === 'POST' && headers['x-content-sha256'] !== digest) return 'has another body than it signs';
  const text = names
    .map((name) => `${name}: ${name === '(request-target)' ? `${method.toLowerCase()} ${url}` : headers[name]}`)
    .join('\n');
  const key = createPublicKey(principal.getPrivateKey());
  const isGood = verify('RSA-SHA256', Buffer.from(text), key, Buffer.from(fields.signature ?? '', 'base64'));
  return isGood ? null : 'has a signature that does not fit';
}
