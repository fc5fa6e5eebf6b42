import type { z } from 'zod';
import type { requeued, Status } from '../../functions/shapes.ts';
import { readArgs } from './args.ts';
import { connect } from './connect.ts';
import { count, say } from './printing.ts';

/** Prints the state of the queue and the index as a table. */
export async function status(args: string[]): Promise<number> {
  const { place } = readArgs(args, [], {});
  const api = await connect(place, undefined);
  const state = await api.call<Status>('GET', '/v1/status');
  const { queue, chunks, embeddingModel, reembedding, answerModel, database, vectorIndex } = state;
  const oldest = queue.oldestWaitingSeconds;
  const rows: [string, string][] = [
    ['waiting', count(queue.waiting, 'change') + (oldest === null ? '' : `, the oldest for ${Math.round(oldest)} s`)],
    [
      'parked',
      count(queue.parked, 'change') + (queue.parked === 0 ? '' : ', given up; try again: npm run rag -- requeue'),
    ],
    ['chunks', `${chunks} that you may see`],
    ['embedding', embeddingModel],
    ...(reembedding === null ? [] : [['next', progressOf(reembedding)] satisfies [string, string]]),
    ['answers', answerModel],
    ['database', database],
    ...(vectorIndex === null ? [] : [['index', indexOf(vectorIndex)] satisfies [string, string]]),
  ];
  for (const [name, value] of rows) say(`${name.padEnd(11)}${value}`);
  return 0;
}

/** Whether searches go by way of an index. */
function indexOf({ status: indexStatus, builtRows, builtAt }: NonNullable<Status['vectorIndex']>): string {
  if (indexStatus === 'absent') return 'none, every search is exact';
  const built = `built from ${count(builtRows, 'vector')} at ${builtAt}`;
  return indexStatus === 'ready' ? built : `unusable, to be built anew (${built}); every search is exact`;
}

/** How far the chunks of the next embedding model are. */
function progressOf({ model, done, missing }: NonNullable<Status['reembedding']>): string {
  return `${model}, for ${done} of ${count(done + missing, 'source')}${missing === 0 ? ': complete, you may switch' : ''}`;
}

/** Gives parked changes another round of attempts. */
export async function requeue(args: string[]): Promise<number> {
  const { place } = readArgs(args, [], {});
  const api = await connect(place, process.env.RAG_TOKEN ? undefined : 'admin');
  const { requeued: n } = await api.call<z.output<typeof requeued>>('POST', '/v1/queue/requeue');
  say(n === 0 ? 'Nothing was parked' : `${count(n, 'parked change')} put into the queue again`);
  return 0;
}
