import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FUNCTIONS } from '../../functions/routes.ts';
import { type StagedImage, stageImage } from '../../scripts/image/stage.ts';
import { until } from '../support/until.ts';

const MAX_BYTES = 4_000_000;
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
      'warm.cjs',
    ].sort(),
  );
  expect(staged.files.filter((file) => /\.(ts|map|md|node)$|(^|\/)(tests?|scripts|postgres)\//.test(file))).toEqual([]);
  expect(staged.files.filter((file) => file.startsWith('migrations/')).map((file) => file.split('/')[1])).toContain(
    'oracle-users',
  );
  expect(staged.bytes).toBeLessThan(MAX_BYTES);
});

test.each(['oci-rag', 'oracledb', 'oci-common', 'jsonwebtoken', 'zod', '@fnproject/fdk'])(
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
const ANSWERS: Record<string, RegExp> = { ask: /no such path/, ingest: /no such path/, drain: AWAY, bootstrap: AWAY };

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
    .concat(['oci-functions', 'oci-monitoring', 'oci-generativeaiinference'])
    .map((name) => `require(${JSON.stringify(name)})`);
  const script = `${names.join(';')};console.log(require('oracledb').thin, typeof require('oci-secrets').SecretsClient)`;

  expect((await run(process.execPath, ['-e', script], { cwd: image, env: {} })).stdout).toBe('true function\n');
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
