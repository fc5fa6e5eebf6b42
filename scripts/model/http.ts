import { basename } from 'node:path';
import { UserError } from '../user-error.ts';

const LOOPBACK = /^(127\.0\.0\.1|\[::1\]|localhost)$/;

/** Whether nobody on the way can change what comes from an address. */
export function isSafe(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}

/** An address without its middle, which in a pre-authenticated link is a secret. */
export function shown(address: string): string {
  const { host, pathname } = new URL(address);
  return `${host}/…/${basename(pathname)}`;
}

/** No answer came, or not all of one; the next try may succeed. */
export class NoAnswer extends UserError {}

/** GET; throws {@link NoAnswer} where no answer comes, and a UserError where a redirect leaves what is safe. */
export async function get(address: string, headers: Record<string, string>): Promise<Response> {
  let response: Response;
  try {
    // A body that is compressed on the way has neither the length nor the ranges of the file.
    response = await fetch(address, { headers: { 'Accept-Encoding': 'identity', ...headers } });
  } catch (error) {
    throw unreachable(address, error);
  }
  if (!isSafe(response.url)) {
    throw new UserError(`${shown(address)} leads to an address without https, ${shown(response.url)}`);
  }
  return response;
}

/** Names what a failed connection failed of. */
export function unreachable(address: string, error: unknown): NoAnswer {
  const { message, cause } = error as Error & { cause?: Error & { code?: string } };
  const reason = cause?.code ?? cause?.message ?? message;
  const remedy = /CERT|SELF_SIGNED|UNABLE_TO/.test(reason)
    ? 'its certificate is not trusted; where a company proxy signs it, set NODE_EXTRA_CA_CERTS to its certificate'
    : 'check the network; a proxy is not used';
  return new NoAnswer(`No connection to ${new URL(address).host} (${reason}): ${remedy}`);
}
