import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Region, SimpleAuthenticationDetailsProvider } from 'oci-common';
import { SecretsClient } from 'oci-secrets';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSecret } from '../../functions/adapters/oci/vault.ts';
import { NotInForce, Unavailable } from '../../functions/core/errors.ts';

const SECRET_ID = 'ocid1.vaultsecret.oc1.eu-frankfurt-1.example';

let server: Server;
let reply: { status: number; body: object };
let asked: IncomingMessage[];
let client: SecretsClient;

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    asked.push(request);
    response.writeHead(reply.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  client = new SecretsClient({
    authenticationDetailsProvider: new SimpleAuthenticationDetailsProvider(
      'ocid1.tenancy.oc1..t',
      'ocid1.user.oc1..u',
      'aa:bb',
      privateKey,
      null,
      Region.EU_FRANKFURT_1,
    ),
  });
  client.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const bundle = (content: string) => ({
  secretId: SECRET_ID,
  versionNumber: 1,
  secretBundleContent: { contentType: 'BASE64', content: Buffer.from(content).toString('base64') },
});

test('a secret is asked for signed, by its OCID, as it is now', async () => {
  reply = { status: 200, body: bundle('Pässword-1') };
  expect(await readSecret(client, SECRET_ID)).toBe('Pässword-1');
  expect(asked[0]?.url).toContain(`/secretbundles/${SECRET_ID}`);
  expect(asked[0]?.url).toContain('stage=CURRENT');
  expect(asked[0]?.headers.authorization).toMatch(/^Signature /);
});

test.each([404, 401, 403])('one that may not be read (%d) is named, with the policy that lacks', async (status) => {
  reply = { status, body: { code: 'NotAuthorizedOrNotFound', message: 'nothing here' } };
  const refused = await readSecret(client, SECRET_ID).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(NotInForce);
  expect(String(refused)).toMatch(/ocid1\.vaultsecret.*read secret-bundles/s);
});

test.each([429, 500, 503])('a Vault that is away (%d) may be asked again', async (status) => {
  reply = { status, body: { code: 'x', message: 'busy' } };
  await expect(readSecret(client, SECRET_ID)).rejects.toThrow(Unavailable);
});

test('a secret without text is no password', async () => {
  reply = { status: 200, body: bundle('') };
  await expect(readSecret(client, SECRET_ID)).rejects.toThrow('has no text');
});
