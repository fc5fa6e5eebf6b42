import { type Caller, maySee } from '../core/scope.ts';
import type { Database } from '../ports/database.ts';
import type { Embedder } from '../ports/embedder.ts';
import type { Log } from '../ports/platform.ts';
import { type Hit, searchChunks } from '../store/chunks.ts';

export interface Retrieval {
  hits: Hit[];
  timings: { embed: number; search: number };
}

/** The nearest passages that the caller may see, one a section, nearest first. */
export async function retrieve(
  database: Database,
  embedder: Embedder,
  log: Log,
  caller: Caller,
  question: string,
  { topK, approximate }: { topK: number; approximate: boolean },
): Promise<Retrieval> {
  const embedStart = performance.now();
  const [vector = ''] = await embedder.encode([question]);
  const searchStart = performance.now();
  const found = await searchChunks(database, caller, { question: vector, model: embedder, topK, approximate });
  const end = performance.now();
  const hits = found.filter((hit) => maySee(caller, hit));
  if (hits.length < found.length) {
    log.error('scope_breach_stopped', new Error('the database returned rows that the caller may not see'), {
      employeeId: caller.employeeId,
      rows: found.length - hits.length,
    });
  }
  return { hits, timings: { embed: elapsed(embedStart, searchStart), search: elapsed(searchStart, end) } };
}

/** Milliseconds between two readings of the clock, to a tenth. */
export const elapsed = (from: number, to: number) => Math.round((to - from) * 10) / 10;
