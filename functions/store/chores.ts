import type { Database } from '../ports/database.ts';
import { DuplicateKey } from '../ports/database.ts';

/** Makes a chore due again that its taker could not bring to its end. */
export async function returnChore(db: Database, name: string): Promise<void> {
  await db.execute('system', 'DELETE FROM rag_chore WHERE name = :name', { name });
}

/** Whether a chore is due and this caller may do it now: of several that ask at once, one is told so. */
export async function takeChore(db: Database, name: string, everyMinutes: number): Promise<boolean> {
  try {
    return await db.transaction('system', async (tx) => {
      const [row] = await tx.rows('SELECT name FROM rag_chore WHERE name = :name', { name });
      if (row === undefined) {
        await tx.execute('INSERT INTO rag_chore (name, done_at) VALUES (:name, CURRENT_TIMESTAMP)', { name });
        return true;
      }
      const taken = await tx.execute(
        `UPDATE rag_chore SET done_at = CURRENT_TIMESTAMP
         WHERE name = :name AND done_at < CURRENT_TIMESTAMP - CAST(:minutes AS INTEGER) * INTERVAL '1' MINUTE`,
        { name, minutes: everyMinutes },
      );
      return taken > 0;
    });
  } catch (error) {
    // Another has taken it for the first time, just now.
    if (error instanceof DuplicateKey) return false;
    throw error;
  }
}
