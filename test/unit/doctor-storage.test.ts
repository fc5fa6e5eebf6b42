import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Region, SimpleAuthenticationDetailsProvider } from 'oci-common';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { storage } from '../../scripts/doctor/checks/storage.ts';
import { BucketServer } from '../support/bucket-server.ts';
import { StandIn } from './doctor-stand-in.ts';
import { everythingTold, tell } from './doctor-world.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oci-rag-doctor-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const check = (env: Record<string, string>, endpoint?: string) =>
  tell(new StandIn(), [], {
    env,
    home: folder,
    root: folder,
    checks: [storage],
    endpoints: endpoint === undefined ? {} : { objectStorage: endpoint },
  });

test('a folder is tried out, and nothing is left in it', async () => {
  const { out, code } = await check({ RAG_STORAGE: `folder:${join(folder, 'files')}` });

  expect(out).toContain('ok      storage: an object was written, read, listed and removed\n');
  expect(code).toBe(0);
  expect(readdirSync(join(folder, 'files'))).toEqual([]);
});

test('a bucket of OCI is tried out as the profile of the one who deploys', async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const provider = new SimpleAuthenticationDetailsProvider('t', 'u', 'f', privateKey, null, Region.EU_FRANKFURT_1);
  writeProfile(privateKey);
  const server = new BucketServer(provider, 'ns', 'bucket');
  await server.listen();
  try {
    const fit = await check({ RAG_STORAGE: 'oci:ns/bucket' }, server.url);
    const away = await check({ RAG_STORAGE: 'oci:ns/another' }, server.url);

    expect(fit.out).toContain(
      'ok      storage: an object was written, read, listed and removed as the profile DEFAULT;',
    );
    expect(server.objects.size).toBe(0);
    expect(away.out).toContain('not ok  storage: There is no bucket another in the namespace ns');
    expect(away.code).toBe(1);
  } finally {
    server.close();
  }
});

test.each<[Record<string, string>, string]>([
  [{ RAG_STORAGE: 'files' }, 'RAG_STORAGE must be folder:/absolute/path, oci:<namespace>/<bucket> or s3:<bucket>'],
  [
    { RAG_STORAGE: 's3:files', RAG_STORAGE_ACCESS_KEY: 'ACCESSKEY', RAG_STORAGE_SECRET_KEY: 'canary' },
    'RAG_STORAGE_URL is missing',
  ],
  [
    {
      RAG_STORAGE: 's3:files',
      RAG_STORAGE_URL: 'http://127.0.0.1:9',
      RAG_STORAGE_ACCESS_KEY: 'ACCESSKEY',
      RAG_STORAGE_SECRET_KEY: 'vault:ocid1.vaultsecret.oc1..canary',
    },
    'RAG_STORAGE_SECRET_KEY is vault:…, which is read in the cloud alone; set the key itself',
  ],
  [
    {
      RAG_STORAGE: 's3:files',
      RAG_STORAGE_URL: 'http://127.0.0.1:9',
      RAG_STORAGE_ACCESS_KEY: 'ACCESSKEY',
      RAG_STORAGE_SECRET_KEY: 'canary',
    },
    'The object store does not answer',
  ],
])('%o is not fit', async (env, line) => {
  const told = await check(env);

  expect(told.out).toContain(`not ok  storage: ${line}`);
  expect(told.code).toBe(1);
  expect(everythingTold(told)).not.toContain('canary');
});

function writeProfile(privateKey: string): void {
  mkdirSync(join(folder, '.oci'));
  writeFileSync(join(folder, '.oci', 'key.pem'), privateKey);
  const lines = ['[DEFAULT]', 'user=ocid1.user.oc1..u', 'tenancy=ocid1.tenancy.oc1..t', 'region=eu-frankfurt-1'];
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const fingerprint = createHash('md5').update(publicKey).digest('hex').match(/../g)?.join(':');
  writeFileSync(
    join(folder, '.oci', 'config'),
    [...lines, `fingerprint=${fingerprint}`, 'key_file=~/.oci/key.pem', ''].join('\n'),
  );
}
