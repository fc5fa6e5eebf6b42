import type { TopicLimits } from '../core/evidence.ts';
import type { Hit } from '../core/fusion.ts';
import { understands } from '../core/language.ts';
import { type Statement, splitStatements } from '../core/statements.ts';
import { checkSupport, judgeSupport, type Support } from '../core/support.ts';
import { statementDistances } from '../store/statement-distances.ts';
import type { Searching } from './retrieve.ts';

/** A statement of an answer, and whether what it cites bears it out. */
export interface JudgedStatement {
  text: string;
  cited: number[];
  support: Support;
  /** Figures, dates, ids and codes that its sources do not have. */
  missing: string[];
}

/** More statements than these are not compared by their meaning. */
const MAX_COMPARED = 12;
/** Nor for longer: an answer does not wait for an encoder that is slow. */
const MAX_COMPARE_MS = 1000;

/**
 * Checks each statement of an answer against the texts that it cites, `textOf` a number. What words and figures leave open
 * is settled by the distance to the cited passages, in one further round trip; where none is open, there is none.
 */
export async function judgeStatements(
  searching: Searching,
  answer: string,
  hits: Hit[],
  textOf: (hit: Hit) => string,
  { cutoff, languages }: Pick<TopicLimits, 'cutoff' | 'languages'>,
): Promise<JudgedStatement[]> {
  const judged = splitStatements(answer).map((statement) => {
    const cited = statement.cited.flatMap((n) => hits[n - 1] ?? []);
    const check = checkSupport(
      statement.text,
      cited.map((hit) => `${hit.title}\n${textOf(hit)}`),
    );
    const support = cited.length === 0 ? 'unsupported' : judgeSupport(check, null, cutoff);
    return { statement, cited, check, support };
  });
  // Of a text in a language that the model does not know, a distance says nothing.
  const open = judged
    .filter(({ support, statement }) => support === 'unsure' && understands(languages, statement.text))
    .slice(0, MAX_COMPARED);
  // What cannot be compared stays open: the answer is there, and goes out.
  const compared = compare(
    searching,
    open.map(({ statement, cited }) => ({ statement, cited })),
  );
  const distances = await within(MAX_COMPARE_MS, compared).catch((error: unknown) => {
    searching.log.warn('statements_not_compared', { reason: String(error) });
    return [];
  });
  for (const [i, one] of open.entries()) one.support = judgeSupport(one.check, distances[i] ?? null, cutoff);
  return judged.map(({ statement, check, support }) => ({
    text: statement.text,
    cited: statement.cited,
    support,
    missing: check.missing,
  }));
}

/** For each statement the cosine distance to the nearest of its cited passages; null where there is none. */
async function compare(
  { database, embedder, caller }: Searching,
  statements: { statement: Statement; cited: Hit[] }[],
): Promise<(number | null)[]> {
  if (statements.length === 0) return [];
  const vectors = await embedder.encode(
    statements.map(({ statement }) => statement.text),
    'passage',
  );
  return statementDistances(
    database,
    caller,
    embedder,
    statements.map(({ cited }, i) => ({ vector: vectors[i] ?? '', chunkIds: cited.map(({ chunkId }) => chunkId) })),
  );
}

/** Rejects where the work takes longer; what becomes of it then, nobody waits for. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
