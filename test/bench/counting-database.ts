import type { Actor, Binds, Database, Transaction } from '../../functions/ports/database.ts';

export interface Counts {
  /** One statement for many bind sets counts once. */
  statements: number;
  /** Waits for the database: one for each statement, one to commit a transaction of more than one. */
  roundTrips: number;
}

/** A database that counts what is asked of the one behind it. */
export class CountingDatabase implements Database {
  readonly #database: Database;
  #counts: Counts = { statements: 0, roundTrips: 0 };

  constructor(database: Database) {
    this.#database = database;
  }

  get dialect() {
    return this.#database.dialect;
  }

  /** What the work asks of the database. */
  async during(work: () => Promise<unknown>): Promise<Counts> {
    this.#counts = { statements: 0, roundTrips: 0 };
    await work();
    return this.#counts;
  }

  transaction<T>(actor: Actor, work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#counts.roundTrips += 1;
    return this.#database.transaction(actor, (tx) => work(this.#counted(tx)));
  }

  rows<T>(actor: Actor, sql: string, binds?: Binds): Promise<T[]> {
    this.#count();
    return this.#database.rows<T>(actor, sql, binds);
  }

  execute(actor: Actor, sql: string, binds?: Binds): Promise<number> {
    this.#count();
    return this.#database.execute(actor, sql, binds);
  }

  within(): Database {
    return this;
  }

  hold<T>(work: (database: Database) => Promise<T>): Promise<T> {
    return work(this);
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #count(): void {
    this.#counts.statements++;
    this.#counts.roundTrips++;
  }

  #counted(tx: Transaction): Transaction {
    const count = () => this.#count();
    return {
      dialect: tx.dialect,
      rows<T>(sql: string, binds?: Binds) {
        count();
        return tx.rows<T>(sql, binds);
      },
      execute(sql, binds) {
        count();
        return tx.execute(sql, binds);
      },
      executeMany(sql, many) {
        // Nothing to bind, nothing sent.
        if (many.length > 0) count();
        return tx.executeMany(sql, many);
      },
      defer(sql, many) {
        count();
        tx.defer(sql, many);
      },
    };
  }
}
