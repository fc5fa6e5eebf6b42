import type { Hit } from '../core/fusion.ts';
import { detectLanguage } from '../core/language.ts';
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

/**
 * Checks each statement of an answer against the texts that it cites, `textOf` a number. What words and figures leave open
 * is settled by the distance to the cited passages, in one further round trip; where none is open, there is none.
 */
export async function judgeStatements(
  searching: Searching,
  answer: string,
  hits: Hit[],
  textOf: (hit: Hit) => string,
  { cutoff, languages }: { cutoff: number; languages: 'en' | 'any' },
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
    .filter(
      ({ support, statement }) =>
        support === 'unsure' && (languages === 'any' || detectLanguage(statement.text) === 'en'),
    )
    .slice(0, MAX_COMPARED);
  const distances = await compare(
    searching,
    open.map(({ statement, cited }) => ({ statement, cited })),
  );
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
