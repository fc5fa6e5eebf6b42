import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FUNCTIONS } from '../../functions/routes.ts';
import { bundle } from '../../scripts/build.ts';
import { type StagedImage, stageImage } from '../../scripts/image/stage.ts';
import { until } from '../support/until.ts';

/** What reads PDF is a quarter of it, and is read by those calls alone. */
const MAX_BYTES = 7_000_000;
const NAMES = Object.keys(FUNCTIONS);
const run = promisify(execFile);

// Beside the system's temporary files, where no folder above has packages.
const folder = mkdtempSync(join(tmpdir(), 'oci-rag-image-'));
const image = join(folder, 'image');
let staged: StagedImage;

beforeAll(async () => {
  staged = await stageImage(image);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('holds the functions, what they load, the migrations of Oracle, and nothing else', () => {
  expect([...new Set(staged.files.map((file) => file.split('/')[0]))].sort()).toEqual(
    [
      'Dockerfile',
      'ask.cjs',
      'bootstrap.cjs',
      'code-cache.cjs',
      'drain.cjs',
      'entry.cjs',
      'ingest.cjs',
      'licenses',
      'migrations',
      'node_modules',
      'package.json',
      'read-document.cjs',
      'warm.cjs',
    ].sort(),
  );
  expect(staged.files.filter((file) => /\.(ts|map|md|node)$|(^|\/)(tests?|scripts|postgres)\//.test(file))).toEqual([]);
  expect(staged.files.filter((file) => file.startsWith('migrations/')).map((file) => file.split('/')[1])).toContain(
    'oracle-users',
  );
  expect(staged.bytes).toBeLessThan(MAX_BYTES);
});

test.each(['oci-rag', 'oracledb', 'oci-common', 'jsonwebtoken', 'zod', '@fnproject/fdk', 'mammoth', 'unpdf'])(
  'holds the licence of %s',
  (name) => {
    expect(staged.files.find((file) => file.startsWith(`licenses/${name}/`))).toBeDefined();
  },
);

test('is the same, byte for byte, when it is made again elsewhere', async () => {
  const again = await stageImage(join(folder, 'again'));

  expect(again).toEqual({ ...staged, folder: again.folder });
  expect(staged.hash).toMatch(/^[0-9a-f]{12}$/);
});

test('runs as a user without rights', () => {
  const dockerfile = readFileSync(join(image, 'Dockerfile'), 'utf8');

  expect(dockerfile.split('FROM').at(-1)).toMatch(/^USER 1000:1000$/m);
});

const settings = (name: string, socket: string) => ({
  RAG_DATABASE: 'oracle:127.0.0.1:9/none',
  RAG_DATABASE_PASSWORD: 'none',
  RAG_STORAGE: 'oci:none/none',
  RAG_EMBEDDING_URL: 'database',
  RAG_EMBEDDING_MODEL: 'NONE',
  RAG_AUTH_ISSUER: 'none',
  RAG_AUTH_AUDIENCE: 'none',
  RAG_AUTH_JWKS: '{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}',
  RAG_MIGRATIONS: join(image, 'migrations'),
  FN_FORMAT: 'http-stream',
  FN_LISTENER: `unix:${socket}`,
  FUNCTION_ENTRY: name,
});

/** Starts a function from the staged folder alone, and calls it once; nothing listens where its database should be. */
async function answerOf(name: string): Promise<string> {
  const socket = join(mkdtempSync(join(folder, 'run-')), 'socket');
  const child = spawn(process.execPath, [join(image, 'entry.cjs')], { env: settings(name, socket), stdio: 'ignore' });
  const call = () =>
    new Promise<string>((resolve, reject) => {
      const sent = request({ socketPath: socket, path: '/call', method: 'POST', headers: { 'Fn-Call-Id': 'x' } });
      sent.on('error', reject);
      sent.on('response', async (response) => resolve((await response.toArray()).join('')));
      sent.end();
    });
  try {
    return await until(`${name} answers`, () => call().catch(() => null));
  } finally {
    child.kill();
  }
}

/** What a process ends with that has these variables alone. */
const endOf = (file: string, env: Record<string, string>): Promise<{ code: number; stderr: string }> =>
  run(process.execPath, [file], { cwd: image, env }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }) => ({ code, stderr }),
  );

const AWAY = /database cannot be reached/;
/** A call that is none of HTTP is an event of the bucket to ingest. */
const NO_BUCKET = /A bucket of OCI .* by its resource principal/;
const ANSWERS: Record<string, RegExp> = { ask: /no such path/, ingest: NO_BUCKET, drain: AWAY, bootstrap: AWAY };

describe('the entry', () => {
  test.each(['', 'dreain', 'constructor'])('refuses %j, and names the four', async (name) => {
    const { code, stderr } = await endOf('entry.cjs', { FUNCTION_ENTRY: name });

    expect(code).toBe(1);
    expect(stderr).toBe(`FUNCTION_ENTRY must be ask, ingest, drain, bootstrap: it is ${JSON.stringify(name)}\n`);
  });

  test.each(NAMES)('starts %s, which without settings names all that are missing', async (name) => {
    const { code, stderr } = await endOf('entry.cjs', { FUNCTION_ENTRY: name });

    expect(code).toBe(1);
    expect(stderr).toMatch(/The configuration has \d+ faults:\n {2}RAG_DATABASE is missing/);
  });

  test.each(NAMES)('starts %s, which with settings answers', async (name) => {
    expect(await answerOf(name)).toMatch(ANSWERS[name] ?? 'none');
  });
});

test('every package loads by the name under which the functions have it', async () => {
  const names = ['oracledb', 'oracledb/plugins/token/extensionOci/index.js', 'oci-common', 'oci-secrets']
    .concat(['oci-functions', 'oci-monitoring', 'oci-generativeaiinference', 'oci-objectstorage', 'mammoth', 'unpdf'])
    .map((name) => `require(${JSON.stringify(name)})`);
  const script = `${names.join(';')};console.log(require('oracledb').thin, typeof require('oci-secrets').SecretsClient)`;

  expect((await run(process.execPath, ['-e', script], { cwd: image, env: {} })).stdout).toBe('true function\n');
});

test.each(NAMES)('a cold start of %s reads no package that few calls need', async (name) => {
  const script = `
    require('./entry.cjs');
    console.log(Object.keys(require.cache).filter((file) => /unpdf|mammoth|objectstorage/.test(file)).length);
    process.exit();`;
  const env = settings(name, join(folder, `cold-${name}`));

  expect((await run(process.execPath, ['-e', script], { cwd: image, env })).stdout).toBe('0\n');
});

test('the text of a PDF is read as it is in the image, without code that is loaded while it runs', async () => {
  const content = 'BT /F1 12 Tf 20 20 Td (read in the image) Tj ET';
  const pdf = [
    '%PDF-1.4',
    '1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj',
    '2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj',
    '3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 200 99]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>> endobj',
    `4 0 obj <</Length ${content.length}>> stream\n${content}\nendstream endobj`,
    '5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj',
    'trailer <</Root 1 0 R>>',
  ].join('\n');
  const script = `
    require('./code-cache.cjs');
    (async () => {
      const pdf = await require('unpdf').getDocumentProxy(new Uint8Array(Buffer.from(${JSON.stringify(pdf)})), { verbosity: 0 });
      const { items } = await (await pdf.getPage(1)).getTextContent();
      console.log(items.map(({ str }) => str).join(''));
    })();`;

  expect((await run(process.execPath, ['-e', script], { cwd: image, env: {} })).stdout).toBe('read in the image\n');
});

test('a bucket of S3, whose client is not in the image, is refused with what to set instead', async () => {
  const probe = join(image, 'probe');
  await bundle({ storage: join(import.meta.dirname, '../../functions/services/storage.ts') }, probe);
  const script = `
    require('./probe/storage.cjs').openObjectStore({ RAG_STORAGE: 's3:bucket' })
      .catch(({ name, message }) => console.log(name, message));`;
  const { stdout } = await run(process.execPath, ['-e', script], { cwd: image, env: {} });
  rmSync(probe, { recursive: true });

  expect(stdout).toMatch(/^SetupFailed RAG_STORAGE=s3:.* in OCI set oci:<namespace>\/<bucket>\n$/);
});

test('what is done when the image is built keeps compiled code that its Node takes, and the functions still answer', async () => {
  expect(await endOf('warm.cjs', {})).toEqual({ code: 0, stderr: '' });
  const check = `
    const { readFileSync } = require('node:fs');
    for (const file of [${NAMES.map((name) => `'${name}.cjs'`).join()}, ...['oracledb', 'oci-common'].map((n) => 'node_modules/' + n + '/index.js')]) {
      const source = require('node:module').wrap(readFileSync(file, 'utf8'));
      console.log(new (require('node:vm').Script)(source, { cachedData: readFileSync(file + '.cache') }).cachedDataRejected);
    }`;
  const { stdout } = await run(process.execPath, ['-e', check], { cwd: image });

  expect(stdout).toBe('false\n'.repeat(6));
  for (const name of NAMES) expect(await answerOf(name)).toMatch(ANSWERS[name] ?? 'none');
});
