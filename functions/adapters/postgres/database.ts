import './navigator.ts';
import pg from 'pg';
import { DeadlineExceeded, Unavailable } from '../../core/errors.ts';
import { ROLES, type Role } from '../../core/scope.ts';
import type { Actor, Binds, Database, Dialect, Transaction } from '../../ports/database.ts';
import { DuplicateKey } from '../../ports/database.ts';
import { positionalValues, toPositional } from './binds.ts';
import { postgresDialect, type TextIndex } from './dialect.ts';
import { runAsSet } from './set-statement.ts';

interface PostgresOptions {
  connectionString: string;
  poolMax: number;
  textIndex: TextIndex;
  /** Called for connections that break while idle; the pool replaces them. */
  onIdleError(error: Error): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 60_000;
const RETRY_AFTER_SECONDS = 2;

/** The database role of each kind of actor (migrations/postgres/V1): row security binds both. */
const SYSTEM_ROLE = 'rag_system';
const READER_ROLE = 'rag_reader';

const { builtins } = pg.types;
/** Numbers as numbers: ids are at most 2^53 - 1, amounts have two decimals. */
const NUMERIC_TYPES: number[] = [builtins.INT8, builtins.NUMERIC];
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    NUMERIC_TYPES.includes(oid) && format !== 'binary'
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

/**
 * PostgreSQL over the `pg` client. Statements are unnamed and everything set is set for one transaction alone, since
 * the embedded database shares one session among its clients; statements of one step are pipelined.
 */
export class PostgresDatabase implements Database {
  readonly dialect: Dialect;
  readonly #pool: pg.Pool;
  readonly #deadline: Date | null;

  private constructor(pool: pg.Pool, dialect: Dialect, deadline: Date | null) {
    this.#pool = pool;
    this.dialect = dialect;
    this.#deadline = deadline;
  }

  static open(options: PostgresOptions): PostgresDatabase {
    const pool = new pg.Pool({
      connectionString: options.connectionString,
      max: options.poolMax,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      allowExitOnIdle: true,
      // Known to pg 8.23, not yet to its types.
      ...({ pipeline: true } as object),
      types,
    });
    pool.on('error', options.onIdleError);
    // The first call finds a connection; where there is none to be had, it hears of it itself.
    pool.connect().then(
      (client) => client.release(),
      () => {},
    );
    return new PostgresDatabase(pool, postgresDialect(options.textIndex), null);
  }

  /** Nothing is saved by it here: a transaction costs a connection nothing more than its statements. */
  hold<T>(work: (database: Database) => Promise<T>): Promise<T> {
    return work(this);
  }

  within(deadline: Date | null): Database {
    return new PostgresDatabase(this.#pool, this.dialect, deadline);
  }

  async transaction<T>(actor: Actor, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#withClient(async (client) => {
      // Not waited for: it goes out with the first statement, and where it fails that fails too.
      begin(client, actor, this.#deadline).catch(() => {});
      const tx = new PostgresTransaction(client, this.dialect);
      const result = await work(tx);
      await tx.flush();
      const { command } = await client.query('COMMIT');
      // A COMMIT after a statement that failed is answered with a ROLLBACK, and no error.
      if (command !== 'COMMIT') throw new Error('rolled back, since a statement of the transaction has failed');
      return result;
    });
  }

  async rows<T>(actor: Actor, sql: string, binds: Binds = {}): Promise<T[]> {
    return (await this.#alone(actor, sql, binds)).rows as T[];
  }

  async execute(actor: Actor, sql: string, binds: Binds = {}): Promise<number> {
    return (await this.#alone(actor, sql, binds)).rowCount ?? 0;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** One statement as a transaction, all of it in one round trip. */
  async #alone(actor: Actor, sql: string, binds: Binds): Promise<pg.QueryResult> {
    return this.#withClient(async (client) => {
      const begun = begin(client, actor, this.#deadline);
      const statement = run(client, sql, binds);
      const sent = [begun, statement, client.query('COMMIT')];
      await Promise.allSettled(sent);
      await Promise.all(sent);
      return statement;
    });
  }

  /** Lends a connection; on any failure rolls back, and gives the connection up where that fails too. */
  async #withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw databaseUnavailable(error);
    }
    // A connection that breaks while lent emits an error besides failing its query; unheard, it ends the process.
    const ignore = () => {};
    client.on('error', ignore);
    let broken: Error | undefined;
    try {
      return await work(client);
    } catch (error) {
      await client.query('ROLLBACK').catch((cause: Error) => {
        broken = cause;
      });
      throw broken === undefined ? translate(error) : databaseUnavailable(error);
    } finally {
      client.removeListener('error', ignore);
      client.release(broken);
    }
  }
}

class PostgresTransaction implements Transaction {
  readonly dialect: Dialect;
  readonly #client: pg.PoolClient;
  readonly #deferred: { sql: string; many: Binds[] }[] = [];

  constructor(client: pg.PoolClient, dialect: Dialect) {
    this.#client = client;
    this.dialect = dialect;
  }

  async rows<T>(sql: string, binds: Binds = {}): Promise<T[]> {
    return (await run(this.#client, sql, binds)).rows as T[];
  }

  async execute(sql: string, binds: Binds = {}): Promise<number> {
    return (await run(this.#client, sql, binds)).rowCount ?? 0;
  }

  async executeMany(sql: string, many: Binds[]): Promise<number> {
    const [first] = many;
    if (first === undefined) return 0;
    if (many.length === 1) return this.execute(sql, first);
    const prepared = toPositional(sql);
    return runAsSet(
      this.#client,
      prepared,
      many.map((binds) => positionalValues(prepared, binds)),
    );
  }

  defer(sql: string, many: Binds[]): void {
    this.#deferred.push({ sql, many });
  }

  /** Runs what was deferred. */
  async flush(): Promise<void> {
    for (const { sql, many } of this.#deferred) await this.executeMany(sql, many);
  }
}

function run(client: pg.PoolClient, sql: string, binds: Binds): Promise<pg.QueryResult> {
  const prepared = toPositional(sql);
  return client.query(prepared.text, positionalValues(prepared, binds));
}

/**
 * Opens a transaction as an actor: its database role, and for an employee who it is, for the row policies. One message;
 * what it quotes is a number and names of ours.
 */
function begin(client: pg.PoolClient, actor: Actor, deadline: Date | null): Promise<unknown> {
  const [role, employeeId, employeeRole] =
    actor === 'system' ? [SYSTEM_ROLE, '', ''] : [READER_ROLE, String(Number(actor.employeeId)), nameOf(actor.role)];
  // Zero would mean no limit.
  const left = deadline === null ? 0 : Math.max(1, deadline.getTime() - Date.now());
  return client.query(
    `BEGIN; SELECT set_config('role', '${role}', true), set_config('rag.employee_id', '${employeeId}', true),
       set_config('rag.role', '${employeeRole}', true), set_config('statement_timeout', '${left}', true)`,
  );
}

/** The role's name as the code has it, so that nothing else is ever quoted. */
function nameOf(role: Role): Role {
  const known = ROLES.find((name) => name === role);
  if (known === undefined) throw new Error('an employee has a role that is not known');
  return known;
}

const UNIQUE_VIOLATION = '23505';
const QUERY_CANCELED = '57014';
/** Serialization failures and deadlocks, after which the transaction may be run again. */
const RETRYABLE = new Set(['40001', '40P01']);

function translate(error: unknown): unknown {
  const code = (error as { code?: unknown }).code;
  if (code === UNIQUE_VIOLATION) return new DuplicateKey('duplicate key', { cause: error });
  if (code === QUERY_CANCELED) {
    return new DeadlineExceeded('The time limit of this call has passed', { cause: error });
  }
  if (typeof code === 'string' && RETRYABLE.has(code)) {
    return new Unavailable('The database was busy with the same records; try again', {
      cause: error,
      retryAfterSeconds: 1,
    });
  }
  return error;
}

function databaseUnavailable(cause: unknown): Unavailable {
  return new Unavailable('The database cannot be reached', { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
