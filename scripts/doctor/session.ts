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

export type Row = Record<string, unknown>;

/**
 * A probe's session: the product's own, so that binds, pipelines and time limits are those of the product, with the
 * names of the scratch objects filled in.
 */
export class ProbeSession {
  /** For what the product's session has no word for. */
  readonly connection: Connection;
  readonly #session: Session;
  readonly #names: Names;
  /** Aborted when nothing more may be sent. */
  readonly signal: AbortSignal;
  readonly #onAbort = () => {
    this.#session.giveUp();
    this.connection.break().catch(() => {});
  };

  constructor({ driver, connection, deadline, names, signal }: SessionOptions) {
    this.connection = connection;
    this.#session = new Session(driver, connection, deadline);
    this.#names = names;
    this.signal = signal;
    signal.addEventListener('abort', this.#onAbort);
  }

  /** Several go out as one pipeline. */
  async run(operations: Operation[]): Promise<Outcome[]> {
    this.signal.throwIfAborted();
    return this.#session.run(
      operations.map((operation) =>
        'sql' in operation ? { ...operation, sql: this.#names.fill(operation.sql) } : operation,
      ),
    );
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
