import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../functions/config.ts';

const ENOUGH = {
  RAG_DATABASE: 'postgresql://user@localhost/database',
  RAG_STORAGE: 'folder:/files',
  RAG_EMBEDDING_MODEL: 'a-model',
  RAG_EMBEDDING_URL: 'unix:/run/encoder.sock',
  RAG_AUTH_ISSUER: 'https://issuer.example',
  RAG_AUTH_AUDIENCE: 'oci-rag',
  RAG_AUTH_JWKS: '{"keys":[{"kty":"RSA"}]}',
  RAG_MIGRATIONS: '/migrations',
};

function faultsOf(env: Record<string, string | undefined>): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults;
  }
}

test('what is not set has its documented default', () => {
  expect(readConfig(ENOUGH)).toMatchObject({
    RAG_RETRIEVAL_TOP_K: 8,
    RAG_RETRIEVAL_CUTOFF: 0.8,
    RAG_WORKER_BATCH_SIZE: 32,
    RAG_WORKER_MAX_ATTEMPTS: 5,
    RAG_BACKFILL_ON_STARTUP: 'true',
    RAG_LOG_TEXT: 'true',
    RAG_LOG_RETENTION_DAYS: 90,
    RAG_LIMIT_MODEL_CALLS_PER_DAY: 0,
    RAG_LIMIT_MODEL_CALLS_PER_PERSON: 0,
    RAG_AUTH_EMPLOYEE_CLAIM: 'sub',
    RAG_STORAGE_MAX_BYTES: 25_000_000,
    RAG_STORAGE_RECONCILE_MINUTES: 60,
    RAG_DOCUMENT_SECTION_SIZE: 1200,
    RAG_DOCUMENT_SECTION_OVERLAP: 150,
    RAG_DIAGNOSTIC_PASSAGE_TOKENS: 500,
    RAG_DIAGNOSTIC_PASSAGE_OVERLAP: 0.15,
  });
});

test('a model of OCI Generative AI knows any language, unless a setting says otherwise', () => {
  const cohere = { ...ENOUGH, RAG_EMBEDDING_URL: 'oci:us-chicago-1:ocid1.compartment.oc1..a' };

  expect(readConfig(ENOUGH).RAG_EMBEDDING_LANGUAGES).toBe('en');
  expect(readConfig(cohere).RAG_EMBEDDING_LANGUAGES).toBe('any');
  expect(readConfig({ ...cohere, RAG_EMBEDDING_LANGUAGES: 'en' }).RAG_EMBEDDING_LANGUAGES).toBe('en');
});

test('everything that is missing is named at once', () => {
  const faults = faultsOf({});

  expect(faults.map((fault) => fault.split(' ')[0]).sort()).toEqual(Object.keys(ENOUGH).sort());
  for (const fault of faults) expect(fault).toContain('is missing');
});

test('all faults are told at once: those of values, and names that are none', () => {
  const faults = faultsOf({
    ...ENOUGH,
    RAG_DATABASE: 'mysql://localhost',
    RAG_WORKER_BATCH_SIZE: '0',
    RAG_RETRIEVAL_TOPK: '5',
    RAG_BACKFILL_ON_STARTUP: 'yes',
  });

  expect(faults).toEqual([
    'RAG_DATABASE must start with oracle: or postgres://',
    expect.stringMatching(/^RAG_WORKER_BATCH_SIZE must be a whole number from 1 to \d+/),
    'RAG_BACKFILL_ON_STARTUP must be true or false',
    'RAG_RETRIEVAL_TOPK is not a setting of this version',
  ]);
});

test.each([
  ['RAG_RETRIEVAL_TOP_K', '51'],
  ['RAG_RETRIEVAL_TOP_K', '1.5'],
  ['RAG_RETRIEVAL_TOP_K', 'many'],
  ['RAG_RETRIEVAL_CUTOFF', '2.1'],
  ['RAG_RETRIEVAL_CUTOFF', '-0.1'],
  ['RAG_WORKER_MAX_ATTEMPTS', '0'],
  ['RAG_WORKER_LEASE_SECONDS', '0'],
  ['RAG_LOG_TEXT', 'no'],
  ['RAG_LOG_RETENTION_DAYS', '3651'],
  ['RAG_LIMIT_MODEL_CALLS_PER_DAY', '-1'],
  ['RAG_LIMIT_MODEL_CALLS_PER_PERSON', '1.5'],
  ['RAG_EMBEDDING_WINDOW', '199'],
  ['RAG_EMBEDDING_URL', '/run/encoder.sock'],
  ['RAG_EMBEDDING_NEXT_URL', '/run/encoder.sock'],
  ['RAG_EMBEDDING_NEXT_WINDOW', '199'],
  ['RAG_EMBEDDING_NEXT_DIMENSION', '0'],
  ['RAG_EMBEDDING_NEXT_MODEL', 'a-model'],
  ['RAG_EMBEDDING_MODEL_SOURCE_EXPIRES', '2030-01-31'],
  ['RAG_EMBEDDING_MODEL_SOURCE_EXPIRES', '2030-13-31T00:00:00Z'],
  ['RAG_NUDGE_URL', 'https://drain.example'],
  ['RAG_NUDGE_URL', 'oci:https://x.functions.oci.oraclecloud.com'],
  ['RAG_NUDGE_URL', 'oci:http://x.functions.oci.oraclecloud.com/ocid1.fnfunc.oc1..x'],
  ['RAG_NUDGE_URL', 'oci:https://x.functions.oci.oraclecloud.com/ocid1.fnapp.oc1..x'],
  ['RAG_METRICS', 'monitoring'],
  ['RAG_METRICS', 'oci:oci_rag:ocid1.compartment.oc1..x'],
  ['RAG_METRICS', 'oci:oracle_rag:ocid1.compartment.oc1..x'],
  ['RAG_METRICS', 'oci:rag-1:ocid1.compartment.oc1..x'],
  ['RAG_METRICS', 'oci:rag:ocid1.vault.oc1..x'],
  ['RAG_STORAGE', 'files'],
  ['RAG_STORAGE', 'folder:files'],
  ['RAG_STORAGE', 'folder:/'],
  ['RAG_STORAGE', 'oci:bucket'],
  ['RAG_STORAGE', 'oci:namespace/bucket/more'],
  ['RAG_STORAGE', 's3:Bucket'],
  ['RAG_STORAGE', 's3:bucket/more'],
  ['RAG_STORAGE_URL', 'host:9000'],
  ['RAG_STORAGE_URL', 'https://host/bucket'],
  ['RAG_STORAGE_URL', 'https://user:password@host'],
  ['RAG_STORAGE_MAX_BYTES', '1000'],
  ['RAG_STORAGE_RECONCILE_MINUTES', '-1'],
  ['RAG_DOCUMENT_SECTION_SIZE', '199'],
  ['RAG_DOCUMENT_SECTION_SIZE', '8001'],
  ['RAG_DOCUMENT_SECTION_OVERLAP', '4001'],
  ['RAG_DIAGNOSTIC_PASSAGE_TOKENS', '49'],
  ['RAG_DIAGNOSTIC_PASSAGE_OVERLAP', '0.6'],
])('%s=%s is refused by its name and its limits', (name, value) => {
  const faults = faultsOf({ ...ENOUGH, [name]: value });

  expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name} must be `))]);
});

test.each([
  ['RAG_EMBEDDING_MODEL_SOURCE_EXPIRES', '2030-01-31T12:00:00Z'],
  ['RAG_EMBEDDING_MODEL_SOURCE_EXPIRES', '2030-01-31T12:00:00.5+01:00'],
  ['RAG_NUDGE_URL', 'unix:/run/control.sock#/drain'],
  ['RAG_NUDGE_URL', 'http://127.0.0.1:8080/drain'],
  ['RAG_NUDGE_URL', 'oci:https://abc.eu-frankfurt-1.functions.oci.oraclecloud.com/ocid1.fnfunc.oc1.eu-frankfurt-1.x'],
  ['RAG_METRICS', 'log'],
  ['RAG_METRICS', 'oci:rag_1:ocid1.compartment.oc1..x'],
  ['RAG_METRICS', 'oci:Rag:ocid1.tenancy.oc1..x'],
  ['RAG_STORAGE', 'oci:axaxnpcrorw5/oci-rag-documents'],
  ['RAG_STORAGE_URL', 'http://127.0.0.1:9000'],
  ['RAG_STORAGE_URL', 'https://ns.compat.objectstorage.eu-frankfurt-1.oraclecloud.com/'],
])('%s=%s is taken', (name, value) => {
  expect(readConfig({ ...ENOUGH, [name]: value })).toHaveProperty(name, value);
});

test('sections of documents that could not move on are refused, with the limit that the size sets', () => {
  const sizes = { RAG_DOCUMENT_SECTION_SIZE: '1201', RAG_DOCUMENT_SECTION_OVERLAP: '600' };

  expect(faultsOf({ ...ENOUGH, ...sizes })).toEqual([]);
  expect(faultsOf({ ...ENOUGH, ...sizes, RAG_DOCUMENT_SECTION_OVERLAP: '700' })).toEqual([
    'RAG_DOCUMENT_SECTION_OVERLAP must be at most half of RAG_DOCUMENT_SECTION_SIZE (600), got 700',
  ]);
});

test('a bucket of S3 needs its address and its key, which may be in the Vault', () => {
  const s3 = { ...ENOUGH, RAG_STORAGE: 's3:files' };
  const whole = { ...s3, RAG_STORAGE_URL: 'http://localhost:9000', RAG_STORAGE_ACCESS_KEY: 'a' };

  expect(faultsOf(s3)).toEqual(
    ['URL', 'ACCESS_KEY', 'SECRET_KEY'].map((name) => `RAG_STORAGE_${name} is missing, though RAG_STORAGE is s3:files`),
  );
  expect(faultsOf({ ...whole, RAG_STORAGE_SECRET_KEY: 'vault:ocid1.vaultsecret.oc1..x' })).toEqual([]);
  expect(faultsOf({ ...whole, RAG_STORAGE_SECRET_KEY: 'vault:x' })).toEqual([
    'RAG_STORAGE_SECRET_KEY must be vault: and the OCID of a secret, vault:ocid1.…',
  ]);
  expect(readConfig({ ...whole, RAG_STORAGE_SECRET_KEY: 's' }).RAG_STORAGE_REGION).toBe('us-east-1');
});

const ORACLE = {
  ...ENOUGH,
  RAG_DATABASE:
    'oracle:(description=(address=(protocol=tcps)(port=1521)(host=adb.example))(connect_data=(service_name=x)))',
  RAG_DATABASE_PASSWORD: 'vault:ocid1.vaultsecret.oc1..x',
  RAG_EMBEDDING_MODEL: 'ALL_MINILM_L12_V2',
  RAG_EMBEDDING_URL: 'database',
};

test('an Oracle database with the model in it is a whole configuration', () => {
  expect(readConfig(ORACLE)).toMatchObject({
    RAG_DATABASE_OWNER: 'RAG_OWNER',
    RAG_DATABASE_USER: 'RAG_RUNTIME',
    RAG_DATABASE_POOL_MAX: 2,
    RAG_EMBEDDING_DIMENSION: 384,
  });
});

test.each<[Record<string, string>, string]>([
  [{ RAG_DATABASE_PASSWORD: '' }, 'RAG_DATABASE_PASSWORD is missing'],
  [{ RAG_DATABASE: ENOUGH.RAG_DATABASE }, 'RAG_EMBEDDING_URL is database, but'],
  [{ RAG_EMBEDDING_MODEL: 'all-MiniLM-L12-v2' }, 'RAG_EMBEDDING_MODEL must be an Oracle name'],
  [{ RAG_EMBEDDING_NEXT_MODEL: 'e5-small' }, 'RAG_EMBEDDING_NEXT_MODEL must be an Oracle name'],
  [{ RAG_DATABASE_OWNER: "x'; DROP" }, 'RAG_DATABASE_OWNER must be an Oracle name'],
  [{ RAG_DATABASE_USER: 'rag_runtime' }, 'RAG_DATABASE_USER must be an Oracle name'],
  [{ RAG_DATABASE_TOKEN_SCOPE: 'urn:oracle:db::id::*' }, 'RAG_DATABASE_TOKEN_SCOPE must be'],
  [{ RAG_DATABASE_TOKEN_SCOPE: 'urn:oracle:db::id::c::d' }, 'RAG_DATABASE_PASSWORD must be empty'],
  [{ RAG_DATABASE: 'oracle:scott/tiger@localhost:1521/service' }, 'RAG_DATABASE must not hold a user or a password'],
  [{ RAG_DATABASE_USER: 'RAG_OWNER' }, 'RAG_DATABASE_USER must be another'],
  [{ RAG_DATABASE_ADMIN_USER: 'ADMIN' }, 'RAG_DATABASE_ADMIN_PASSWORD is missing'],
  [{ RAG_DATABASE_WALLET_PASSWORD: 'x' }, 'RAG_DATABASE_WALLET is missing'],
  [{ RAG_DATABASE_PASSWORD: 'vault:' }, 'RAG_DATABASE_PASSWORD must be vault: and the OCID'],
  [{ RAG_DATABASE_OWNER_PASSWORD: 'VAULT:ocid1.x' }, 'RAG_DATABASE_OWNER_PASSWORD must be vault:'],
  ...['rubbish', 'http://host/x', 'https://', 'DIR:..\\x', 'DIR:f:extra', 'dir:x', 'vault:x', 'VAULT:ocid1.x'].map(
    (source): [Record<string, string>, string] => [
      { RAG_EMBEDDING_MODEL_SOURCE: source },
      'RAG_EMBEDDING_MODEL_SOURCE must be',
    ],
  ),
  [{ RAG_EMBEDDING_NEXT_MODEL: 'all_minilm_l12_v2' }, 'RAG_EMBEDDING_NEXT_MODEL must be another'],
])('an Oracle database with %o is not', (settings, fault) => {
  expect(faultsOf({ ...ORACLE, ...settings })).toEqual([expect.stringContaining(fault)]);
});

test('an empty variable counts as not set, and others than ours are none of our business', () => {
  const config = readConfig({ ...ENOUGH, RAG_RETRIEVAL_TOP_K: '', HOME: '/root', RAGTIME: 'x' });

  expect(config.RAG_RETRIEVAL_TOP_K).toBe(8);
  expect(faultsOf({ ...ENOUGH, RAG_DATABASE: '' })).toEqual([expect.stringContaining('RAG_DATABASE is missing')]);
});

test('the message shows every fault on a line of its own, and no value, which could be a secret', () => {
  const error = new ConfigError(
    faultsOf({ ...ENOUGH, RAG_DATABASE: 'mysql://user:secret@host', RAG_RETRIEVAL_TOP_K: 'x' }),
  );

  expect(error.message.split('\n')).toHaveLength(3);
  expect(error.message).not.toContain('secret');
});
