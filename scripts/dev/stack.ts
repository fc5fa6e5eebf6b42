import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { JoseTokenVerifier } from '../../functions/adapters/jose/token-verifier.ts';
import { LineLog } from '../../functions/adapters/local/line-log.ts';
import type { BootstrapReport } from '../../functions/bootstrap/bootstrap.ts';
import { readConfig } from '../../functions/config.ts';
import { buildFunctions } from '../build.ts';
import { UserError } from '../user-error.ts';
import { KeptProcess } from './child.ts';
import { DrainControl } from './control.ts';
import type { DataFolder } from './data-folder.ts';
import { FunctionHost } from './function-host.ts';
import { LOCAL_MODEL } from './local-model.ts';
import { LogFile } from './log-file.ts';
import { ensureIssuerKey, LOCAL_AUDIENCE, LOCAL_ISSUER, publicKeySet } from './token-issuer.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const STOP_GRACE_MS = 5000;
/** Stands for the issuer's keys while the other settings are checked. */
const ANY_KEY_SET = '{"keys":[{}]}';

export interface LocalStack {
  host: FunctionHost;
  control: DrainControl;
  verifier: JoseTokenVerifier;
  key: JWK;
  close(): Promise<void>;
}

/**
 * Starts everything behind the gateway on a data folder that this process owns: the database, the encoder, the
 * functions and what drives their drains. Stops what it has started when one part fails.
 */
export async function startStack(data: DataFolder, settings: Record<string, string>): Promise<LocalStack> {
  const runFolder = await mkdtemp(join(tmpdir(), 'oci-rag-'));
  await chmod(runFolder, 0o700);
  await data.noteRunFolder(runFolder);
  const logFd = openSync(data.logPath, 'a', 0o600);
  const kept: KeptProcess[] = [];
  let host: FunctionHost | undefined;
  let control: DrainControl | undefined;
  const close = async () => {
    // A drain that is cut off gives its claims back with its lease; nobody waits for it.
    control?.stop();
    await host?.close();
    await control?.close();
    // The database last: whatever still writes has ended by then.
    for (const process of kept.reverse()) await process.stop(STOP_GRACE_MS);
    await rm(runFolder, { recursive: true, force: true });
    closeSync(logFd);
  };
  try {
    const databaseArgs = [data.databasePath, join(runFolder, '.s.PGSQL.5432')];
    // Where the settings name a database or an encoder, it takes the place of the local one.
    if (settings.RAG_DATABASE === undefined) {
      kept.push(new KeptProcess('database-process.ts', databaseArgs, logFd, (pid) => void data.noteDatabase(pid)));
    }
    if (settings.RAG_EMBEDDING_URL === undefined) {
      kept.push(new KeptProcess('encoder-process.ts', [join(runFolder, 'encoder')], logFd));
    }
    const functionsFolder = join(runFolder, 'functions');
    // Where bundles find what is not in them, as in the functions' images.
    await symlink(join(ROOT, 'node_modules'), join(runFolder, 'node_modules'));
    const [key] = await Promise.all([
      ensureIssuerKey(data.path),
      buildFunctions(functionsFolder),
      ...kept.map((process) => process.ready),
    ]);
    const jwks = JSON.stringify(publicKeySet(key));
    const env = { ...localSettings(runFolder, data.filesPath, jwks), ...settings };
    host = new FunctionHost({
      bundleOf: (name) => join(functionsFolder, `${name}.cjs`),
      env,
      runFolder,
      logFd,
    });
    control = new DrainControl(host, runFolder, new LineLog('control', new LogFile(logFd)));
    await control.listen();
    // By the same settings as the functions' own check.
    const config = readConfig(env);
    const verifier = new JoseTokenVerifier({
      issuer: config.RAG_AUTH_ISSUER,
      audience: config.RAG_AUTH_AUDIENCE,
      jwks: config.RAG_AUTH_JWKS,
      employeeClaim: config.RAG_AUTH_EMPLOYEE_CLAIM,
    });
    return { host, control, verifier, key, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Tells a person what is wrong with a setting before anything is started. */
export function checkSettings(settings: Record<string, string>): void {
  try {
    readConfig({ ...localSettings('/', '/files', ANY_KEY_SET), ...settings });
  } catch (error) {
    throw new UserError((error as Error).message);
  }
}

function localSettings(runFolder: string, filesFolder: string, jwks: string): Record<string, string> {
  return {
    RAG_DATABASE: `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(runFolder)}`,
    RAG_TEXT_INDEX: 'bm25',
    RAG_STORAGE: `folder:${filesFolder}`,
    RAG_EMBEDDING_MODEL: LOCAL_MODEL.name,
    RAG_EMBEDDING_URL: `unix:${join(runFolder, 'encoder')}`,
    RAG_EMBEDDING_DIMENSION: String(LOCAL_MODEL.dimension),
    RAG_EMBEDDING_WINDOW: String(LOCAL_MODEL.window),
    RAG_RETRIEVAL_CUTOFF: String(LOCAL_MODEL.cutoff),
    // Short, since a stop may cut a drain off, and a long batch prolongs its claims.
    RAG_WORKER_LEASE_SECONDS: '15',
    RAG_AUTH_ISSUER: LOCAL_ISSUER,
    RAG_AUTH_AUDIENCE: LOCAL_AUDIENCE,
    RAG_AUTH_JWKS: jwks,
    RAG_NUDGE_URL: DrainControl.nudgeUrl(runFolder),
    RAG_MIGRATIONS: join(ROOT, 'migrations'),
  };
}

/** Runs bootstrap; what it refuses is told in its own words. */
export async function runBootstrap(stack: LocalStack, reembed: boolean): Promise<BootstrapReport> {
  const result = await stack.host.invoke('bootstrap', {
    callId: randomUUID(),
    body: Buffer.from(JSON.stringify({ reembed })),
  });
  const body = JSON.parse(result.body.toString('utf8'));
  if (result.status !== 200) throw new UserError(String(body.detail ?? 'bootstrap failed').replace(/^Error: /, ''));
  return body;
}
