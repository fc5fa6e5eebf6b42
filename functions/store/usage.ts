import { type Database, DuplicateKey, type Transaction } from '../ports/database.ts';
import { toDate } from './rows.ts';

/** Who is counted; ids of employees begin at 1. */
const EVERYBODY = 0;

/** A first use that another has counted at the same moment is tried again: once for each of the two counts, and once more. */
const MAX_TRIES = 3;

/** What a call of the language model is counted against; a limit of 0 is none. */
export interface ModelCall {
  employeeId: number;
  /** UTC, YYYY-MM-DD. */
  day: string;
  perDay: number;
  perPersonPerDay: number;
}

/** One of the counts has reached its limit; undoes the other. */
class LimitReached extends Error {
  readonly whose: 'person' | 'everybody';

  constructor(whose: 'person' | 'everybody') {
    super(`the limit of ${whose} is reached`);
    this.whose = whose;
  }
}

/**
 * Counts one call of the language model, or says whose limit is reached; then nothing is counted. Any number of calls at
 * once never get beyond a limit. Where nothing is limited, nothing is counted.
 */
export async function takeModelCall(db: Database, call: ModelCall): Promise<'taken' | 'person' | 'everybody'> {
  const { employeeId, day, perDay, perPersonPerDay } = call;
  if (perDay === 0 && perPersonPerDay === 0) return 'taken';
  for (let tries = 1; ; tries++) {
    try {
      await db.transaction('system', async (tx) => {
        // Everybody's last, so that nobody waits for it long, and in one order, against deadlocks.
        if (perPersonPerDay > 0 && !(await count(tx, day, employeeId, perPersonPerDay)))
          throw new LimitReached('person');
        if (perDay > 0 && !(await count(tx, day, EVERYBODY, perDay))) throw new LimitReached('everybody');
      });
      return 'taken';
    } catch (error) {
      if (error instanceof LimitReached) return error.whose;
      if (!(error instanceof DuplicateKey) || tries === MAX_TRIES) throw error;
    }
  }
}

/** Counts one more, unless that would be over the limit. */
async function count(tx: Transaction, day: string, employeeId: number, most: number): Promise<boolean> {
  const key = { usage_day: day, employee_id: employeeId };
  const isKey = `usage_day = ${toDate(':usage_day')} AND employee_id = :employee_id`;
  const counted = await tx.execute(
    `UPDATE rag_usage SET model_calls = model_calls + 1 WHERE ${isKey} AND model_calls < :most`,
    { ...key, most },
  );
  if (counted > 0) return true;
  const [known] = await tx.rows<{ model_calls: number }>(`SELECT model_calls FROM rag_usage WHERE ${isKey}`, key);
  // Below the limit, another has counted the first one between the two statements.
  if (known !== undefined) return known.model_calls < most ? count(tx, day, employeeId, most) : false;
  await tx.execute(
    `INSERT INTO rag_usage (usage_day, employee_id, model_calls) VALUES (${toDate(':usage_day')}, :employee_id, 1)`,
    key,
  );
  return true;
}

/** Removes the counts of days before this one (UTC, YYYY-MM-DD); says how many. */
export async function removeOldUsage(db: Database, day: string): Promise<number> {
  return db.execute('system', `DELETE FROM rag_usage WHERE usage_day < ${toDate(':usage_day')}`, { usage_day: day });
}
