import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../../functions/shapes.ts';
import { StartProcess } from '../support/start.ts';
import { type Finding, median, ms, timed } from './report.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const WRITES = 10;
const POLL_MS = 10;
const ASK_FOR_MS = 3000;
const ASKERS = 4;

/** Starts the product as `npm start` does, with the sample team, and measures it from outside. */
export async function measureLocalInstance(): Promise<Finding[]> {
  const data = mkdtempSync(join(tmpdir(), 'oci-rag-bench-'));
  const instance = new StartProcess('--port', '0', '--data', data);
  try {
    const { url, manager } = await instance.ready();
    const api = new LocalApi(url, manager);
    return [await measureWriteToAnswerable(api), await measureAnswers(api)];
  } finally {
    await instance.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

class LocalApi {
  constructor(
    readonly url: string,
    readonly token: string,
  ) {}

  async call<T>(method: string, path: string, body: object): Promise<T> {
    const response = await fetch(this.url + path, {
      method,
      headers: { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}

async function measureWriteToAnswerable(api: LocalApi): Promise<Finding> {
  const rooms = [
    'attic',
    'cellar',
    'kitchen',
    'garage',
    'library',
    'workshop',
    'terrace',
    'archive',
    'lobby',
    'chapel',
  ];
  const elapsed: number[] = [];
  for (const [i, room] of rooms.slice(0, WRITES).entries()) {
    const id = 9001 + i;
    const title = `Paint the ${room}`;
    elapsed.push(
      await timed(async () => {
        await api.call('PUT', `/v1/tasks/${id}`, { title, description: `The ${room} is painted on ${i + 1} May.` });
        for (;;) {
          const { citations } = await api.call<Answer>('POST', '/v1/search', { question: title });
          if (citations.some(({ sourceId }) => sourceId === String(id))) return;
          await sleep(POLL_MS);
        }
      }),
    );
  }
  return {
    what: 'from a write to its being found',
    figure: ms(median(elapsed)),
    goal: '',
    how: `median of ${WRITES} (${ms(Math.min(...elapsed))} to ${ms(Math.max(...elapsed))}): PUT a task, then search until it is found; npm start, real encoder`,
  };
}

async function measureAnswers(api: LocalApi): Promise<Finding> {
  const fixtures = readFileSync(join(ROOT, 'scripts/eval/sample-questions.json'), 'utf8');
  const questions = (JSON.parse(fixtures) as { question: string }[]).map(({ question }) => question);
  const elapsed: number[] = [];
  const until = performance.now() + ASK_FOR_MS;
  const ask = async (asker: number) => {
    for (let i = asker; performance.now() < until; i += ASKERS) {
      const question = questions[i % questions.length];
      elapsed.push(await timed(() => api.call('POST', '/v1/ask', { question })));
    }
  };
  await Promise.all(Array.from({ length: ASKERS }, (_, asker) => ask(asker)));
  return {
    what: 'answers a second, warm',
    figure: `${Math.round((elapsed.length * 1000) / ASK_FOR_MS)}/s`,
    goal: '',
    how: `${ASKERS} askers for ${ASK_FOR_MS / 1000} s, median ${ms(median(elapsed))} an answer; npm start with the sample team, real encoder`,
  };
}
