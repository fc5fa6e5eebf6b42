import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpEmbedder } from '../../functions/adapters/local/http-embedder.ts';
import { bundle } from '../../scripts/build.ts';
import { startScript, stopChild } from '../../scripts/dev/child.ts';
import { FunctionHost } from '../../scripts/dev/function-host.ts';
import { LOCAL_MODEL } from '../../scripts/dev/local-model.ts';
import {
  ensureIssuerKey,
  LOCAL_AUDIENCE,
  LOCAL_ISSUER,
  publicKeySet,
  signToken,
} from '../../scripts/dev/token-issuer.ts';
import { MIGRATIONS } from '../support/database-process.ts';
import { put } from '../support/records.ts';
import type { BenchDatabase } from './bench-database.ts';
import { type Finding, median, ms, timed, times } from './report.ts';

const PAIRS = 15;
const GOAL = 1.5;
const SOURCES = 30;
const QUESTION = 'What does a new pump for the coffee machine cost?';

/**
 * Times the first answer of a function's new process: a one-line function, a question with the embedding stubbed, and a
 * question with the real encoder, in turn. Each time: spawn Node, wait for the FDK's socket, post a call, read the answer.
 */
export async function measureColdStart(bench: BenchDatabase): Promise<Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'oci-rag-cold-'));
  const logFd = openSync(join(folder, 'log'), 'a');
  const encoder = startScript('encoder-process.ts', [join(folder, 'encoder')], logFd);
  const [, key] = await Promise.all([
    encoder.ready,
    ensureIssuerKey(folder),
    bundle({ hello: join(import.meta.dirname, 'hello-child.ts') }, folder),
  ]);
  const real = new HttpEmbedder({ ...LOCAL_MODEL, url: `unix:${join(folder, 'encoder')}`, model: LOCAL_MODEL.name });
  await writeSources(bench);
  await bench.drain(real);
  const vectors = await real.encode([QUESTION]);
  const stub = await startStub(join(folder, 'stub'), JSON.stringify({ vectors: vectors.map((v) => [...v]) }));

  const env = (encoderName: string) => ({
    RAG_DATABASE: bench.url,
    RAG_STORAGE: `folder:${join(folder, 'files')}`,
    RAG_EMBEDDING_MODEL: LOCAL_MODEL.name,
    RAG_EMBEDDING_URL: `unix:${join(folder, encoderName)}`,
    RAG_EMBEDDING_DIMENSION: String(LOCAL_MODEL.dimension),
    RAG_RETRIEVAL_CUTOFF: String(LOCAL_MODEL.cutoff),
    RAG_AUTH_ISSUER: LOCAL_ISSUER,
    RAG_AUTH_AUDIENCE: LOCAL_AUDIENCE,
    RAG_AUTH_JWKS: JSON.stringify(publicKeySet(key)),
    RAG_MIGRATIONS: MIGRATIONS,
  });
  const token = await signToken(key, '1');
  const askBundle = join(import.meta.dirname, '..', '..', 'dist', 'ask.cjs');
  const first = async (bundlePath: string, settings: Record<string, string>) => {
    // A folder of its own, so that no socket of an earlier process can be taken for this one's.
    const runFolder = mkdtempSync(join(folder, 'run-'));
    const host = new FunctionHost({ bundleOf: () => bundlePath, env: settings, runFolder, logFd });
    const elapsed = await timed(() => call(host, token));
    await host.close();
    return elapsed;
  };
  const elapsed = { hello: [] as number[], stubbed: [] as number[], real: [] as number[] };
  for (let i = 0; i < PAIRS; i++) {
    elapsed.hello.push(await first(join(folder, 'hello.cjs'), {}));
    elapsed.stubbed.push(await first(askBundle, env('stub')));
    elapsed.real.push(await first(askBundle, env('encoder')));
  }

  stub();
  await stopChild(encoder.child, 2000);
  closeSync(logFd);
  rmSync(folder, { recursive: true, force: true });
  const finding = (what: string, values: number[], goal?: number): Finding => {
    const ratio = median(values.map((value, i) => value / (elapsed.hello[i] ?? Number.NaN)));
    return {
      what,
      figure: times(ratio),
      goal: goal === undefined ? '' : `≤ ${goal}×`,
      ...(goal === undefined ? {} : { met: ratio <= goal }),
      how: `median of ${PAIRS} pairs of new processes, started in turn; medians ${ms(median(values))} and ${ms(median(elapsed.hello))} (a one-line function)`,
    };
  };
  return [
    finding('first answer, embedding stubbed', elapsed.stubbed, GOAL),
    finding('first answer, real encoder', elapsed.real),
  ];
}

async function writeSources(bench: BenchDatabase): Promise<void> {
  const tasks = Array.from({ length: SOURCES }, (_, i) =>
    put.task(i + 2, { title: `Task ${i + 2}`, description: `Room ${i + 2} gets new lamps.` }),
  );
  await bench.write([
    put.employee(1, { role: 'manager' }),
    put.task(1, {
      title: 'Repair the coffee machine',
      description: 'A new pump for the coffee machine costs 89 euros.',
    }),
    ...tasks,
  ]);
}

/** Gives every request one reply at once. Returns how to stop it. */
async function startStub(socketPath: string, reply: string): Promise<() => void> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(200, { 'Content-Type': 'application/json' }).end(reply));
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return () => {
    server.closeAllConnections();
    server.close();
  };
}

/** Asks over the FDK's socket; the one-line function takes the same call. Anything but an answer fails the bench. */
async function call(host: FunctionHost, token: string): Promise<void> {
  const { status, body } = await host.invoke('ask', {
    callId: 'bench',
    headers: {
      'Fn-Intent': 'httprequest',
      'Fn-Http-Method': 'POST',
      'Fn-Http-Request-Url': '/v1/ask',
      'Fn-Http-H-Authorization': `Bearer ${token}`,
    },
    body: Buffer.from(JSON.stringify({ question: QUESTION })),
  });
  const text = body.toString('utf8');
  if (status !== 200 || !(text.includes('Hello') || text.includes('"outcome":"answered"'))) {
    throw new Error(`the function answered ${status}: ${text}`);
  }
}
