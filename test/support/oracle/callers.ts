import type { OracleDatabase } from '../../../functions/adapters/oracle/database.ts';
import type { Transaction } from '../../../functions/ports/database.ts';
import type { Recorder } from './recorder.ts';

/** Where a statement of the product's comes from; tests look into the database too, with statements of their own. */
const PRODUCT = /\/functions\/(?:store\/|adapters\/oracle\/(?:dialect|vector-index)\.)/;

/** Lets a recorder tell the product's statements from those of tests, by who calls. */
export function noteCallers(database: OracleDatabase, recorder: Recorder): OracleDatabase {
  const note = (sql: string) => {
    const stack = new Error().stack ?? '';
    // The first frames are this function's and its caller's own.
    const caller = stack.split('\n')[3] ?? '';
    if (PRODUCT.test(caller)) recorder.noteProduct(sql);
  };
  const { rows, execute, transaction, within, hold } = database;
  const patch = <F>(fn: F) => fn as never;
  database.rows = patch((...[actor, sql, binds]: Parameters<typeof rows>) => {
    note(sql);
    return rows.call(database, actor, sql, binds);
  });
  database.execute = patch((...[actor, sql, binds]: Parameters<typeof execute>) => {
    note(sql);
    return execute.call(database, actor, sql, binds);
  });
  database.transaction = patch((...[actor, work]: Parameters<typeof transaction>) =>
    transaction.call(database, actor, (tx) => work(noteCallersOf(tx, note))),
  );
  database.hold = patch((...[work]: Parameters<typeof hold>) =>
    hold.call(database, (held) => work(noteCallers(held as OracleDatabase, recorder))),
  );
  database.within = (deadline) => noteCallers(within.call(database, deadline) as OracleDatabase, recorder);
  return database;
}

/** In place, since the dialect knows its own transaction by its class. */
function noteCallersOf(tx: Transaction, note: (sql: string) => void): Transaction {
  for (const method of ['rows', 'firstRows', 'execute', 'executeMany', 'defer'] as const) {
    const methods = tx as unknown as Record<string, (sql: string, ...rest: unknown[]) => unknown>;
    const original = methods[method]?.bind(tx);
    if (original === undefined) continue;
    methods[method] = (sql, ...rest) => {
      note(sql);
      return original(sql, ...rest);
    };
  }
  return tx;
}
