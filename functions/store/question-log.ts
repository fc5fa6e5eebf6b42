import type { Outcome } from '../core/answer.ts';
import type { SourceType } from '../core/kinds/kind.ts';
import { type Caller, seesEverything } from '../core/scope.ts';
import type { Database } from '../ports/database.ts';
import { isoUtc } from './lists.ts';

/** A source as it was found: its number, and what put it into that place. */
export interface LoggedSource {
  n: number;
  chunkId: number;
  sourceType: SourceType;
  sourceId: string;
  /** Cosine distance to the question; null in rows that do not tell it. */
  distance: number | null;
  /** How well its words fit, as a share of the best, 0 to 1; null where words were not searched, as by SQL callers. */
  textScore: number | null;
  /** What the order rests on; null where nothing was fused. */
  fused: number | null;
  /** Whether an id or a code in the question names it, or it is among the first in the order that is asked for. */
  exact: boolean;
}

/** Whether what a sentence of the answer cites bears it out. */
interface LoggedSupport {
  /** Null where texts are kept out of the log. */
  sentence: string | null;
  verdict: string;
}

/** One question, and what came of it. */
export interface QuestionLogEntry {
  callId: string;
  /** Whether question, answer and sentences go into the log; the rest always does. */
  textKept: boolean;
  question: string;
  /** What was searched for, where that is not the question as asked. */
  standalone: string | null;
  language: string;
  outcome: Outcome | 'failed';
  /** Why, as a code word, where the outcome alone does not say; at most 60 characters. */
  reason: string | null;
  /** The code of the error, where it failed. */
  errorCode: string | null;
  answer: string | null;
  /** The distance beyond which nothing counted as near. */
  cutoff: number;
  retrieved: LoggedSource[];
  /** How many sources did not fit before the model. */
  dropped: number;
  /** The chunks that the answer cites. */
  cited: number[];
  removedCitations: string[];
  /** Null where there was no answer to judge. */
  support: LoggedSupport[] | null;
  model: string | null;
  /** Milliseconds by stage. */
  timings: Record<string, number>;
  tokens: { prompt: number; completion: number } | null;
  /** Whether it was the first call of its process. */
  cold: boolean;
}

/** One row a question, written also when answering it failed. */
export async function logQuestion(db: Database, caller: Caller, entry: QuestionLogEntry): Promise<void> {
  const { textKept } = entry;
  const support = entry.support?.map(({ sentence, verdict }) => ({ sentence: textKept ? sentence : null, verdict }));
  await db.execute(
    caller,
    `INSERT INTO rag_log (call_id, employee_id, question, standalone_question, language, outcome, reason, error_code,
       answer, cutoff, retrieved, dropped_sources, cited, removed_citations, support, model, timings, tokens, cold)
     VALUES (:call_id, :employee_id, :question, :standalone, :language, :outcome, :reason, :error_code,
       :answer, :cutoff, :retrieved, :dropped, :cited, :removed, :support, :model, :timings, :tokens, :cold)`,
    {
      call_id: entry.callId.slice(0, 128),
      employee_id: caller.employeeId,
      question: textKept ? entry.question : null,
      standalone: textKept ? entry.standalone : null,
      language: entry.language,
      outcome: entry.outcome,
      reason: entry.reason,
      error_code: entry.errorCode,
      answer: textKept ? entry.answer : null,
      cutoff: entry.cutoff,
      retrieved: JSON.stringify(entry.retrieved),
      dropped: entry.dropped,
      cited: JSON.stringify(entry.cited),
      removed: JSON.stringify(entry.removedCitations),
      support: support === undefined ? null : JSON.stringify(support),
      model: entry.model,
      timings: JSON.stringify(entry.timings),
      tokens: entry.tokens === null ? null : JSON.stringify(entry.tokens),
      cold: entry.cold ? 1 : 0,
    },
  );
}

/** A question as it is in the log: what a row of an earlier version does not hold is null or empty. */
export interface LoggedQuestion {
  callId: string;
  askedAt: string;
  employeeId: number;
  question: string | null;
  standalone: string | null;
  language: string | null;
  outcome: Outcome | 'failed';
  reason: string | null;
  errorCode: string | null;
  answer: string | null;
  cutoff: number | null;
  retrieved: LoggedSource[];
  dropped: number | null;
  cited: number[];
  removedCitations: string[];
  support: LoggedSupport[] | null;
  model: string | null;
  timings: Record<string, number>;
  tokens: { prompt: number; completion: number } | null;
  cold: boolean | null;
}

/** The newest question of a call, of the caller's own or, for managers and admins, of anybody; null where there is none. */
export async function readQuestion(db: Database, caller: Caller, callId: string): Promise<LoggedQuestion | null> {
  const isOwn = seesEverything(caller) ? { sql: '1 = 1', binds: {} } : ownRows(caller);
  const [row] = await db.transaction(caller, (tx) =>
    tx.rows<{
      asked_at: string;
      employee_id: number;
      question: string | null;
      standalone_question: string | null;
      language: string | null;
      outcome: LoggedQuestion['outcome'];
      reason: string | null;
      error_code: string | null;
      answer: string | null;
      cutoff: number | null;
      retrieved: LoggedSource[];
      dropped_sources: number | null;
      cited: number[];
      removed_citations: string[] | null;
      support: LoggedSupport[] | null;
      model: string | null;
      timings: Record<string, number>;
      tokens: LoggedQuestion['tokens'];
      cold: number | null;
    }>(
      `SELECT ${isoUtc('asked_at')} AS asked_at, employee_id, question, standalone_question, language, outcome, reason,
              error_code, answer, cutoff, retrieved, dropped_sources, cited, removed_citations, support, model, timings,
              tokens, cold
       FROM rag_log WHERE call_id = :call_id AND ${isOwn.sql}
       ORDER BY log_id DESC FETCH FIRST 1 ROW ONLY`,
      { call_id: callId, ...isOwn.binds },
    ),
  );
  if (row === undefined) return null;
  // Rows of an earlier version name chunks, and no sources: who may still see what their answers rest on is not known.
  const isNamed = row.retrieved.every((source) => source.sourceType !== undefined);
  return {
    callId,
    askedAt: row.asked_at,
    employeeId: row.employee_id,
    question: row.question,
    standalone: row.standalone_question,
    language: row.language,
    outcome: row.outcome,
    reason: row.reason,
    errorCode: row.error_code,
    answer: isNamed ? row.answer : null,
    cutoff: row.cutoff,
    retrieved: isNamed ? row.retrieved : [],
    dropped: row.dropped_sources,
    cited: row.cited,
    removedCitations: row.removed_citations ?? [],
    support: row.support,
    model: row.model,
    timings: row.timings,
    tokens: row.tokens,
    cold: row.cold === null ? null : row.cold === 1,
  };
}

const ownRows = (caller: Caller) => ({ sql: 'employee_id = :employee_id', binds: { employee_id: caller.employeeId } });

/** A question that found no answer; its text is null where texts are kept out of the log. */
export interface UnansweredRow {
  question: string | null;
  outcome: 'not_found' | 'off_topic';
  employeeId: number;
  askedAt: string;
}

/** The newest questions of the last days without an answer, newest first: of everybody whose the caller may read. */
export async function listUnanswered(
  db: Database,
  caller: Caller,
  sinceDays: number,
  limit: number,
): Promise<UnansweredRow[]> {
  const isOwn = seesEverything(caller) ? { sql: '1 = 1', binds: {} } : ownRows(caller);
  const rows = await db.transaction(caller, (tx) =>
    tx.rows<{
      question: string | null;
      outcome: UnansweredRow['outcome'];
      employee_id: number;
      asked_at: string;
    }>(
      `SELECT question, outcome, employee_id, ${isoUtc('asked_at')} AS asked_at FROM rag_log
       WHERE asked_at > CURRENT_TIMESTAMP - CAST(:days AS INTEGER) * INTERVAL '1' DAY
         AND outcome IN ('not_found', 'off_topic') AND ${isOwn.sql}
       ORDER BY log_id DESC FETCH FIRST :most ROWS ONLY`,
      { days: sinceDays, most: limit, ...isOwn.binds },
    ),
  );
  return rows.map((row) => ({
    question: row.question,
    outcome: row.outcome,
    employeeId: row.employee_id,
    askedAt: row.asked_at,
  }));
}

/** Removes questions that were asked more than so many days ago, the oldest first, `most` at a time; says how many. */
export async function removeOld(db: Database, days: number, most = 1000): Promise<number> {
  return db.execute(
    'system',
    `DELETE FROM rag_log WHERE log_id IN (
       SELECT o.log_id FROM rag_log o
       WHERE o.asked_at < CURRENT_TIMESTAMP - CAST(:days AS INTEGER) * INTERVAL '1' DAY
       ORDER BY o.asked_at FETCH FIRST :most ROWS ONLY)`,
    { days, most },
  );
}
