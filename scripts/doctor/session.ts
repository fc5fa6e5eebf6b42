import type { Connection, Driver } from '../../functions/adapters/oracle/driver.ts';
import { type Operation, type Outcome, Session } from '../../functions/adapters/oracle/session.ts';
import type { Binds } from '../../functions/ports/database.ts';
import type { Names } from './names.ts';

interface SessionOptions {
  driver: Driver;
  connection: Connection;
  /** When the probe's time is over. */
  deadline: Date;
  names: Names;
  signal: AbortSignal;
}

/** Not the product's way: the server ends the call, so that what it makes can be dropped. */
type Breakable = Connection & { break(): Promise<void> };

export type Row = Record<string, unknown>;

/**
 * A probe's session: the product's own, so that binds, pipelines and time limits are those of the product, with the
 * names of the scratch objects filled in.
 */
export class ProbeSession {
  /** For what the product's session has no word for. */
  readonly connection: Connection;
  readonly #driver: Driver;
  #session: Session;
  /** What cost it its connection, as an error in a pipeline does; null where it lives. */
  #loss: unknown = null;
  readonly #names: Names;
  /** Aborted when nothing more may be sent. */
  readonly signal: AbortSignal;
  readonly #onAbort = () => {
    (this.connection as Breakable).break().catch(() => {});
  };

  constructor({ driver, connection, deadline, names, signal }: SessionOptions) {
    this.connection = connection;
    this.#driver = driver;
    this.#session = new Session(driver, connection, deadline);
    this.#names = names;
    this.signal = signal;
    signal.addEventListener('abort', this.#onAbort);
  }

  /** From now on it has so much time, and when that is over its connection is given up as the product gives one up. */
  limit(milliseconds: number): void {
    this.#session = new Session(this.#driver, this.connection, new Date(Date.now() + milliseconds));
  }

  /** Several go out as one pipeline; an error in it is the end of the session, as it is in the product. */
  async run(operations: Operation[]): Promise<Outcome[]> {
    this.signal.throwIfAborted();
    if (this.#loss !== null) throw this.#loss;
    try {
      return await this.#session.run(
        operations.map((operation) =>
          'sql' in operation ? { ...operation, sql: this.#names.fill(operation.sql) } : operation,
        ),
      );
    } catch (error) {
      if (!this.#session.isUsable) this.#loss = error;
      throw error;
    }
  }

  /** With a limit, no more rows than these are fetched, and locked. */
  async rows(sql: string, binds: Binds = {}, limit?: number): Promise<Row[]> {
    const [outcome] = await this.run([{ kind: 'query', sql, binds, ...(limit === undefined ? {} : { limit }) }]);
    return outcome?.rows ?? [];
  }

  /** The one value of a query that has one. */
  async value(sql: string, binds: Binds = {}): Promise<unknown> {
    const [row = {}] = await this.rows(sql, binds);
    return Object.values(row)[0] ?? null;
  }

  async change(sql: string, binds: Binds = {}): Promise<number> {
    const [outcome] = await this.run([{ kind: 'change', sql, binds }]);
    return outcome?.rowsAffected ?? 0;
  }

  /** One statement for many rows, in portions that fit a message well. */
  async changes(sql: string, many: Binds[]): Promise<void> {
    for (let at = 0; at < many.length; at += 250) {
      await this.run([{ kind: 'changes', sql, many: many.slice(at, at + 250) }]);
    }
  }

  /** PL/SQL, or DDL. */
  async block(sql: string, binds: Binds = {}): Promise<void> {
    await this.run([{ kind: 'block', sql, binds }]);
  }

  async commit(): Promise<void> {
    await this.run([{ kind: 'commit' }]);
  }

  async rollback(): Promise<void> {
    await this.#session.rollback();
  }

  async close(): Promise<void> {
    this.signal.removeEventListener('abort', this.#onAbort);
    // A call that was broken off and did not end would hold the rollback up.
    if (this.signal.aborted) this.#session.giveUp();
    await this.#session.rollback();
    await this.#session.release();
  }
}

/** An operation that sets, queries or changes something, for a pipeline. */
export const block = (sql: string, binds: Binds = {}): Operation => ({ kind: 'block', sql, binds });
export const change = (sql: string, binds: Binds = {}): Operation => ({ kind: 'change', sql, binds });
export const query = (sql: string, limit: number, binds: Binds = {}): Operation => ({
  kind: 'query',
  sql,
  binds,
  limit,
});
