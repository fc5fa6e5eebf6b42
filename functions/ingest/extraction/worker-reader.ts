import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Fault, InvalidInput } from '../../core/errors.ts';
import type { DocumentKind, DocumentReader, DocumentText } from './document.ts';

/** What the thread is given, and what it answers. */
export interface Task {
  kind: DocumentKind;
  bytes: Uint8Array;
  maxCharacters: number;
}
export type TaskResult = { document: DocumentText } | { faults: Fault[] };

/**
 * Reads each document in a thread of its own, which is stopped after `seconds`, and when its objects take more than
 * `megabytes`: small files exist that keep pdf.js busy for hours. `program`: the path of the bundled worker.ts.
 * Throws InvalidInput where a limit is reached, besides what reading throws.
 */
export function workerReader(program: string, limits: { seconds: number; megabytes: number }): DocumentReader {
  return (kind, bytes, maxCharacters) =>
    new Promise((resolve, reject) => {
      const task: Task = { kind, bytes, maxCharacters };
      const worker = new Worker(program, {
        workerData: task,
        resourceLimits: {
          maxOldGenerationSizeMb: limits.megabytes,
          maxYoungGenerationSizeMb: Math.min(MAX_YOUNG_MEGABYTES, Math.ceil(limits.megabytes / 8)),
        },
      });
      const end = (settle: () => void) => {
        clearTimeout(timer);
        settle();
        void worker.terminate();
      };
      const timer = setTimeout(() => {
        end(() => reject(refused(`the document takes longer than ${limits.seconds} seconds to read; split it`)));
      }, limits.seconds * 1000);
      worker.once('message', (result: TaskResult) => {
        end(() => ('document' in result ? resolve(result.document) : reject(InvalidInput.of(result.faults))));
      });
      worker.once('error', (error: NodeJS.ErrnoException) => {
        const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        const fault = `the document takes more than ${limits.megabytes} MB of memory to read; split it`;
        end(() => reject(isTooLarge ? refused(fault) : error));
      });
    });
}

/** What a document may take of a function's memory, beside what the function holds itself and what is outside its heaps. */
const MEMORY_SHARE = 1 / 3;
/** Where the function does not say how much memory it has. */
const MAX_MEGABYTES = 300;
/** What new objects of a thread take at most, which counts besides. */
const MAX_YOUNG_MEGABYTES = 32;
const SECONDS = 60;

/**
 * The megabytes that the objects of a document's thread may take, so that the thread ends before the function's container does.
 * @param functionMegabytes as the platform gives it in FN_MEMORY
 * @param machineBytes of the machine, for where it gives none
 */
export function megabytesFor(functionMegabytes: string | undefined, machineBytes: number): number {
  const given = Number(functionMegabytes);
  if (given > 0) return Math.floor(given * MEMORY_SHARE);
  return Math.min(MAX_MEGABYTES, Math.floor((machineBytes / 2 ** 20) * MEMORY_SHARE));
}

/** Reads documents in threads whose program is beside the function's own bundle. */
export const readInThread: DocumentReader = (kind, bytes, maxCharacters) =>
  workerReader(join(dirname(process.argv[1] ?? ''), 'read-document.cjs'), {
    seconds: SECONDS,
    megabytes: megabytesFor(process.env.FN_MEMORY, totalmem()),
  })(kind, bytes, maxCharacters);

const refused = (fault: string): InvalidInput => InvalidInput.of([{ field: 'body', fault }]);
