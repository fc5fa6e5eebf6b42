// Runs when the image is built: starts each function with settings that reach nothing, calls it once, and keeps the code
// that V8 has compiled for it.
const { execFileSync } = require('node:child_process');
const { existsSync, mkdtempSync, rmSync } = require('node:fs');
const { request } = require('node:http');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const PACKAGES = ['oracledb', 'oci-common', 'oci-secrets', 'oci-functions', 'oci-monitoring', 'oci-objectstorage'];

/** Nothing listens there. */
const SETTINGS = {
  RAG_DATABASE: 'oracle:127.0.0.1:9/none',
  RAG_DATABASE_PASSWORD: 'none',
  RAG_STORAGE: 'oci:none/none',
  RAG_EMBEDDING_URL: 'database',
  RAG_EMBEDDING_MODEL: 'NONE',
  RAG_AUTH_ISSUER: 'none',
  RAG_AUTH_AUDIENCE: 'none',
  RAG_AUTH_JWKS: '{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}',
  RAG_MIGRATIONS: join(__dirname, 'migrations'),
};

/** Calls over HTTP, up to the database; what is no route of theirs is nothing to the other two. */
const CALLS = { ask: ['POST', '/v1/ask'], ingest: ['PUT', '/v1/tasks/1'] };

const [, , name] = process.argv;
if (name === undefined) {
  for (const each of ['ask', 'ingest', 'drain', 'bootstrap']) run(each);
  rmSync(__filename);
} else warm(name);

function run(each) {
  const folder = mkdtempSync(join(tmpdir(), 'warm-'));
  const env = { ...SETTINGS, FN_FORMAT: 'http-stream', FN_LISTENER: `unix:${join(folder, 'socket')}` };
  execFileSync(process.execPath, [__filename, each], { env, stdio: ['ignore', 'ignore', 'inherit'], timeout: 60_000 });
  rmSync(folder, { recursive: true });
}

async function warm(each) {
  const cache = require('./code-cache.cjs');
  require(`./${each}.cjs`);
  for (const one of PACKAGES) require(one);
  const socketPath = process.env.FN_LISTENER.slice('unix:'.length);
  while (!existsSync(socketPath)) await new Promise((later) => setTimeout(later, 10));
  const [method, path] = CALLS[each] ?? [];
  const headers = {
    'Fn-Call-Id': 'warm',
    ...(method && {
      'Fn-Intent': 'httprequest',
      'Fn-Http-Method': method,
      'Fn-Http-Request-Url': path,
      'Fn-Http-H-Authorization': 'Bearer e30.e30.e30',
    }),
  };
  const sent = request({ socketPath, path: '/call', method: 'POST', headers }, (response) => {
    response.resume().on('end', () => {
      cache.keep();
      process.exit();
    });
  });
  sent.end('{}');
}
