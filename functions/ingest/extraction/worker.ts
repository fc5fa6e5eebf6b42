import { parentPort, workerData } from 'node:worker_threads';
import { InvalidInput } from '../../core/errors.ts';
import { takeDocument } from './read-document.ts';
import type { Task, TaskResult } from './worker-reader.ts';

/** The program of the thread that reads one document, as `workerReader` starts it. */
async function run({ kind, bytes, maxCharacters }: Task): Promise<TaskResult> {
  try {
    return { document: await takeDocument(kind, bytes, maxCharacters) };
  } catch (error) {
    // Errors lose their class on the way to another thread.
    if (error instanceof InvalidInput) return { faults: error.faults };
    throw error;
  }
}

void run(workerData as Task).then((result) => parentPort?.postMessage(result));
