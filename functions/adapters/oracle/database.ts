import { DeadlineExceeded } from '../../core/errors.ts';
import type { Actor, Binds, Database, Dialect, Transaction } from '../../ports/database.ts';
import { oracleDialect } from './dialect.ts';
import type { Connection, Driver, Pool } from './driver.ts';
import { deadlineExceeded, translate, unreachable } from './errors.ts';
import { Lease } from './lease.ts';
import { Session } from './session.ts';
import { OracleTransaction } from './transaction.ts';

interface OracleContext {
  driver: Driver;
  pool: Pool;
  /** The schema that holds everything. */
  owner: string;
}

/** More rows than one call brings are read in a transaction. */
const SINGLE_CALL_ROWS = 256;

/**
 * Oracle Database over oracledb. A connection gets the application context of an actor, which the row policies read, before
 * the actor's first statement, and none is left in it when it goes back to the pool; both travel in the round trips of the
 * statements.
 */
export class OracleDatabase implements Database {
  readonly dialect: Dialect;
  readonly #context: OracleContext;
  readonly #deadline: Date | null;
  /** The connection that all work is done on; null where each unit of work takes one. */
  readonly #held: Lease | null;

  constructor(context: OracleContext, deadline: Date | null = null, held: Lease | null = null) {
    this.dialect = oracleDialect(context.owner);
    this.#context = context;
    this.#deadline = deadline;
    this.#held = held;
  }

  within(deadline: Date | null): Database {
    return new OracleDatabase(this.#context, deadline, this.#held);
  }

  async hold<T>(work: (database: Database) => Promise<T>): Promise<T> {
    if (this.#held !== null) return work(this);
    const lease = this.#lease();
    try {
      return await work(new OracleDatabase(this.#context, this.#deadline, lease));
    } finally {
      await lease.release();
    }
  }

  async transaction<T>(actor: Actor, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#withLease(async (lease) => {
      const tx = new OracleTransaction(this.dialect, lease, actor);
      try {
        const result = await work(tx);
        await tx.commit(this.#held === null);
        return result;
      } finally {
        await tx.end();
      }
    });
  }

  async rows<T>(actor: Actor, sql: string, binds: Binds = {}): Promise<T[]> {
    const [found] = await this.#withLease((lease) =>
      lease.begin(actor, [{ kind: 'query', sql, binds, limit: SINGLE_CALL_ROWS }], this.#end(lease)),
    );
    if (found === undefined) throw new Error('a query has no outcome');
    if (found.rows.length < SINGLE_CALL_ROWS) return found.rows as T[];
    // What is fetched after the first rows would be fetched when the context has gone.
    return this.transaction(actor, (tx) => tx.rows<T>(sql, binds));
  }

  async execute(actor: Actor, sql: string, binds: Binds = {}): Promise<number> {
    const [changed] = await this.#withLease((lease) =>
      lease.begin(actor, [{ kind: 'change', sql, binds }, { kind: 'commit' }], this.#end(lease)),
    );
    return changed?.rowsAffected ?? 0;
  }

  async close(): Promise<void> {
    await this.#context.pool.close(0);
  }

  #end(lease: Lease) {
    return this.#held === null ? lease.leave() : [];
  }

  /** After a failure nothing of the work is left in the connection. */
  async #withLease<T>(work: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = this.#held ?? this.#lease();
    const unlock = lease.lock();
    try {
      return await work(lease);
    } catch (error) {
      await lease.undo(error);
      throw translate(error);
    } finally {
      if (this.#held === null) await lease.release();
      unlock();
    }
  }

  /** A connection that comes after the deadline goes straight back. */
  async #inTime(connection: Promise<Connection>): Promise<Connection> {
    if (this.#deadline === null) return connection;
    let timer: NodeJS.Timeout | undefined;
    const expiry = new Promise<never>((_, reject) => {
      const left = Math.max(0, (this.#deadline?.getTime() ?? 0) - Date.now());
      timer = setTimeout(() => {
        connection.then((late) => late.close()).catch(() => {});
        reject(deadlineExceeded());
      }, left);
    });
    try {
      return await Promise.race([connection, expiry]);
    } finally {
      clearTimeout(timer);
    }
  }

  #lease(): Lease {
    const { driver, pool, owner } = this.#context;
    return new Lease(owner, async () => {
      try {
        return new Session(driver, await this.#inTime(pool.getConnection()), this.#deadline);
      } catch (error) {
        throw error instanceof DeadlineExceeded ? error : unreachable(error);
      }
    });
  }
}
