import type { Outcome } from '../core/answer.ts';
import type { Caller } from '../core/scope.ts';
import type { Database } from '../ports/database.ts';

export interface QuestionLogEntry {
  callId: string;
  question: string;
  outcome: Outcome | 'failed';
  answer: string | null;
  retrieved: { chunkId: number; distance: number }[];
  cited: number[];
  model: string | null;
  timings: Record<string, number>;
  tokens: { prompt: number; completion: number } | null;
}

/** One row a question, written also when answering it failed. */
export async function logQuestion(db: Database, caller: Caller, entry: QuestionLogEntry): Promise<void> {
  await db.execute(
    caller,
    `INSERT INTO rag_log (call_id, employee_id, question, outcome, answer, retrieved, cited, model, timings, tokens)
       VALUES (:call_id, :employee_id, :question, :outcome, :answer, :retrieved, :cited, :model, :timings, :tokens)`,
    {
      call_id: entry.callId.slice(0, 128),
      employee_id: caller.employeeId,
      question: entry.question,
      outcome: entry.outcome,
      answer: entry.answer,
      retrieved: JSON.stringify(entry.retrieved),
      cited: JSON.stringify(entry.cited),
      model: entry.model,
      timings: JSON.stringify(entry.timings),
      tokens: entry.tokens === null ? null : JSON.stringify(entry.tokens),
    },
  );
}
