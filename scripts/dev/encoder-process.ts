// The embedding model in a process of its own: POST {model, texts} over a Unix socket answers {vectors}.
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { LOCAL_MODEL } from './local-model.ts';

/** More copies of the model than this cost memory that a laptop misses more than the time. */
const MAX_WORKERS = 2;

interface Job {
  texts: string[];
  vectors: number[][];
  /** The next text to be taken, and how many are not back yet. */
  next: number;
  missing: number;
  done(): void;
  failed(error: unknown): void;
}

const [socketPath] = process.argv.slice(2);
if (socketPath === undefined) throw new Error('usage: encoder-process SOCKET');

const jobs: Job[] = [];
const idle: Worker[] = [];

/** Gives idle workers a text each, of the job that has the fewest left: a question never waits for a batch. */
function dispatch(): void {
  while (idle.length > 0) {
    const waiting = jobs.filter((job) => job.next < job.texts.length);
    const [first] = waiting;
    const worker = idle.pop();
    if (first === undefined || worker === undefined) {
      if (worker !== undefined) idle.push(worker);
      return;
    }
    const job = waiting.reduce((a, b) => (b.missing < a.missing ? b : a), first);
    const at = job.next++;
    worker.once('message', (reply: { vector: number[] } | { error: string }) => {
      idle.push(worker);
      if ('error' in reply) {
        drop(job);
        job.failed(reply.error);
      } else {
        job.vectors[at] = reply.vector;
        if (--job.missing === 0) {
          drop(job);
          job.done();
        }
      }
      dispatch();
    });
    worker.postMessage(job.texts[at]);
  }
}

function drop(job: Job): void {
  const at = jobs.indexOf(job);
  if (at !== -1) jobs.splice(at, 1);
}

function encode(texts: string[]): Promise<number[][]> {
  if (texts.length === 0) return Promise.resolve([]);
  return new Promise((resolve, reject) => {
    const job: Job = {
      texts,
      vectors: [],
      next: 0,
      missing: texts.length,
      done: () => resolve(job.vectors),
      failed: reject,
    };
    jobs.push(job);
    dispatch();
  });
}

function startWorker(): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./encoder-worker.mjs', import.meta.url));
    worker.once('error', (error) => {
      reject(error);
      // A dead worker's text would never come back: end, so that the callers hear of it.
      throw error;
    });
    worker.once('message', () => {
      idle.push(worker);
      resolve();
    });
  });
}

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  const answer = (status: number, body: object) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', async () => {
    try {
      const { model, texts } = JSON.parse(Buffer.concat(parts).toString('utf8')) as { model: string; texts: string[] };
      if (model !== LOCAL_MODEL.name)
        return answer(500, { error: `this encoder is ${LOCAL_MODEL.name}, not ${model}` });
      answer(200, { vectors: await encode(texts) });
    } catch (error) {
      answer(400, { error: String(error) });
    }
  });
});

await Promise.all(Array.from({ length: Math.min(MAX_WORKERS, availableParallelism()) }, startWorker));
// A socket that a killed predecessor has left would be in the way.
rmSync(socketPath, { force: true });
server.listen(socketPath, () => process.send?.('ready'));
process.on('SIGTERM', () => process.exit(0));
