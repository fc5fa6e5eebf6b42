import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openClient } from '../../scripts/destroy/client.ts';
import { type DestroyOptions, destroy, type World } from '../../scripts/destroy/destroy.ts';
import { type DeploymentState, readState } from '../../scripts/destroy/state.ts';
import { type ObjectStorage, startObjectStorage } from '../support/object-storage.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const STATE: DeploymentState = {
  region: 'eu-frankfurt-1',
  buckets: [
    { namespace: 'ns', name: 'oci-rag-documents', holdsDocuments: true },
    { namespace: 'ns', name: 'oci-rag-model', holdsDocuments: false },
  ],
};

let folder: string;
let storage: ObjectStorage;
let printed: string;
let state: DeploymentState | null;
let typed: string | null;
let runs: { args: string[]; env: Record<string, string> }[];
let exitCode: number;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oci-rag-destroy-'));
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  writeFileSync(join(folder, 'key.pem'), privateKey);
  const profile = (name: string) =>
    `[${name}]\nuser=ocid1.user.oc1..u\nfingerprint=aa:bb\ntenancy=ocid1.tenancy.oc1..t\n` +
    `region=us-ashburn-1\nkey_file=${join(folder, 'key.pem')}\n`;
  writeFileSync(join(folder, 'config'), profile('DEFAULT') + profile('OTHER'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(async () => {
  storage = await startObjectStorage();
  const timeModified = '2026-01-01T00:00:00Z';
  const version = (name: string, versionId: string, isDeleteMarker = false) => ({
    name,
    versionId,
    isDeleteMarker,
    timeModified,
  });
  storage.buckets.set('oci-rag-documents', {
    versions: [
      version('a.md', 'v2'),
      version('a.md', 'v1'),
      version('deleted.md', 'd2', true),
      version('deleted.md', 'd1'),
      version('folder/ä ?#%&+.md', 'x/1+='),
    ],
    uploads: [1, 2, 3].map((n) => ({ object: `folder/half ${n}.bin`, uploadId: `up/${n}+=&` })),
    links: [1, 2, 3].map((n) => ({ id: `a+b/c${n}==:o`, name: `link ${n}` })),
  });
  storage.buckets.set('oci-rag-model', { versions: [version('model.onnx', 'm1')], uploads: [], links: [] });
  [state, typed, runs, exitCode, printed] = [STATE, 'oci-rag', [], 0, ''];
  // The SDK warns of each answer that it does not try again.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text;
    return true;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await storage.close();
});

const world: World = {
  readState: async () => state,
  openClient(region) {
    const client = openClient({ OCI_CLI_CONFIG_FILE: join(folder, 'config'), OCI_CLI_PROFILE: 'OTHER' }, '', region);
    expect(client.endpoint).toContain(region);
    client.endpoint = storage.url;
    return client;
  },
  ask: async () => typed,
  async cdktf(args, env) {
    runs.push({ args, env });
    return exitCode;
  },
};
const run = (options: Partial<DestroyOptions> = {}) =>
  destroy({ name: 'oci-rag', yes: false, keepData: false, ...options }, world);
const deletions = () => storage.asked.filter((request) => request.startsWith('DELETE'));
const EMPTY = { versions: [], uploads: [], links: [] };

describe('npm run destroy', () => {
  test('says what is lost, empties both buckets, and lets Terraform destroy the rest', async () => {
    expect(await run()).toBe(0);

    expect(printed).toContain(
      'bucket oci-rag-documents: 3 objects in 5 versions, 3 unfinished uploads, 3 pre-authenticated requests\n',
    );
    expect(printed).toContain('bucket oci-rag-model: 1 object in 1 version, 0 unfinished uploads');
    expect(printed).toContain('the database with all records');
    expect([...storage.buckets.values()]).toEqual([EMPTY, EMPTY]);
    expect(runs).toEqual([
      { args: ['destroy', '--auto-approve'], env: { DEPLOY_PLACEHOLDERS: 'true', DEPLOY_PREVENT_DESTROY: 'false' } },
    ]);
    expect(printed).toMatch(/pending deletion for at least 7 days.*costs nothing/);
  });

  test.each([['oci-rag-2'], [''], [null]])('deletes nothing when %j is typed', async (answer) => {
    typed = answer;
    await expect(run()).rejects.toThrow('nothing was deleted');
    expect([deletions(), runs]).toEqual([[], []]);
  });

  test('does not ask with --yes', async () => {
    typed = null;
    expect(await run({ yes: true })).toBe(0);
    expect([...storage.buckets.values()]).toEqual([EMPTY, EMPTY]);
  });

  test('with --keep-data leaves the documents alone, and deploys the data by itself', async () => {
    expect(await run({ keepData: true })).toBe(0);

    expect(storage.asked.filter((request) => request.includes('oci-rag-documents'))).toEqual([]);
    expect(storage.buckets.get('oci-rag-model')).toEqual(EMPTY);
    expect(runs).toEqual([
      {
        args: ['deploy', '--auto-approve'],
        env: { DEPLOY_PLACEHOLDERS: 'true', DEPLOY_PREVENT_DESTROY: 'true', DEPLOY_KEEP: 'data' },
      },
    ]);
    expect(printed).toContain(
      'Kept: the database with all records, its network, the vault, and the bucket of documents.',
    );
    expect(printed).not.toContain('7 days');
  });

  test('without a state says so, and does nothing', async () => {
    state = null;
    await expect(run()).rejects.toThrow(/nothing to destroy.*npx cdktf deploy/);
    expect([storage.asked, runs]).toEqual([[], []]);
  });

  test('skips a bucket that does not exist, and one that the state does not name', async () => {
    storage.buckets.delete('oci-rag-documents');
    state = { ...STATE, buckets: STATE.buckets.slice(0, 1) };
    expect(await run()).toBe(0);
    expect(printed).toContain('oci-rag-documents does not exist, or this user may not see it: it is skipped');
    expect(runs).toHaveLength(1);
  });

  test('goes on where no bucket is left in the state', async () => {
    state = { ...STATE, buckets: [] };
    expect(await run()).toBe(0);
    expect(storage.asked).toEqual([]);
    expect(runs).toHaveLength(1);
  });

  test('is content with what somebody else has deleted meanwhile', async () => {
    world.ask = async () => {
      for (const bucket of storage.buckets.values()) bucket.versions.splice(0, 1);
      storage.refuses = 404;
      return 'oci-rag';
    };
    expect(await run()).toBe(0);
    world.ask = async () => typed;
  });

  test('stops at what Object Storage refuses, before Terraform', async () => {
    storage.refuses = 409;
    await expect(run()).rejects.toThrow(/the bucket oci-rag-documents \(409: .*kept by a rule.*retention rule/);
    expect(runs).toEqual([]);
  });

  test('ends with the exit code of cdktf', async () => {
    exitCode = 3;
    expect(await run()).toBe(3);
    expect(printed).toContain('Run the same command again to go on');
    expect(printed).not.toContain('7 days');
  });
});

describe('the OCI configuration', () => {
  test.each([
    [{ OCI_CLI_CONFIG_FILE: '/nowhere/config' }, '', /\/nowhere\/config[\s\S]*OCI_CLI_PROFILE/],
    [{}, 'MISSING', /No profile named MISSING/],
  ])('%j %s that cannot be used is told', (env, profile, message) => {
    const file = { OCI_CLI_CONFIG_FILE: join(folder, 'config'), ...env };
    expect(() => openClient(file, profile, 'eu-frankfurt-1')).toThrow(message);
  });
});

describe("Terraform's state", () => {
  const { PATH } = process.env;
  afterEach(() => {
    process.env.PATH = PATH;
  });

  /** A project with a `terraform` that answers as given. */
  function project(name: string, script: string): string {
    const root = join(folder, name);
    const stack = join(root, 'cdktf.out', 'stacks', 'oci-rag');
    mkdirSync(stack, { recursive: true });
    const oci = [{ alias: 'home', region: 'us-ashburn-1' }, { region: 'eu-frankfurt-1' }];
    writeFileSync(join(stack, 'cdk.tf.json'), JSON.stringify({ provider: { oci } }));
    writeFileSync(join(root, 'terraform'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(root, 'terraform'), 0o755);
    process.env.PATH = `${root}:/bin:/usr/bin`;
    return root;
  }
  const answering = (state: object) =>
    `[ "$*" = "-chdir=cdktf.out/stacks/oci-rag state pull" ] && echo '${JSON.stringify({ version: 4, ...state })}'`;
  const bucket = (address: string, name: string) => ({
    mode: 'managed',
    type: 'oci_objectstorage_bucket',
    name: address,
    instances: [{ attributes: { name, namespace: 'ns' } }],
  });
  const resources = [
    { mode: 'managed', type: 'oci_kms_vault', name: 'vault', instances: [{ attributes: {} }] },
    bucket('documents', 'oci-rag-documents'),
    bucket('model_bucket_5A76F226', 'oci-rag-model'),
  ];

  test.each([
    ['its outputs', { region: { value: 'eu-paris-1', type: 'string' } }, 'eu-paris-1'],
    ['the stack, where no outputs are left', {}, 'eu-frankfurt-1'],
  ])('tells the buckets, and the region from %s', async (_, outputs, region) => {
    const root = project('well', answering({ outputs, resources }));
    expect(await readState(root, 'oci-rag')).toEqual({ ...STATE, region });
  });

  test.each([
    ['empty', answering({ outputs: {}, resources: [] })],
    ['never written', 'exit 0'],
  ])('is none where it is %s', async (_, script) =>
    expect(await readState(project('bare', script), 'oci-rag')).toBeNull(),
  );

  test('is asked for where nothing was synthesized', async () => {
    await expect(readState(join(folder, 'nowhere'), 'oci-rag')).rejects.toThrow(
      /no cdktf\.out.*npx cdktf synth.* init/,
    );
  });

  test('that cannot be read is told in the words of Terraform', async () => {
    const root = project('locked', 'echo "Error: Backend initialization required" >&2; exit 1');
    await expect(readState(root, 'oci-rag')).rejects.toThrow(/ init`\):\nError: Backend initialization required$/);
  });

  test('without Terraform is told', async () => {
    const root = project('absent', '');
    process.env.PATH = '/nowhere';
    await expect(readState(root, 'oci-rag')).rejects.toThrow('no `terraform` on the PATH');
  });
});

test.each([
  [['--help'], 0, /^usage: npm run destroy[\s\S]*--keep-data/],
  [['--keep'], 1, /'--keep'.*see --help/],
])('the command line answers %j', async (args, expected, text) => {
  const child = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'scripts/destroy/main.ts'), ...args]);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      said += part;
    });
  }
  const [code] = await once(child, 'close');
  expect(code).toBe(expected);
  expect(said).toMatch(text);
});

test('a deployment that is protected is not touched, whoever says yes', () => {
  const main = join(ROOT, 'scripts', 'destroy', 'main.ts');
  const env = { ...process.env, DEPLOY_PREVENT_DESTROY: 'true' };
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', main, '--yes'], { env, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('The deployment is protected: nothing was deleted');
});
