import type { Binds } from '../../ports/database.ts';
import { BindTypes } from './binds.ts';
import { type Connection, type Driver, destroyConnection, type ExecuteResult, type Pipeline } from './driver.ts';
import { deadlineExceeded } from './errors.ts';

/** One thing that is asked of the database. */
export type Operation =
  | { kind: 'query'; sql: string; binds: Binds; limit?: number }
  | { kind: 'change'; sql: string; binds: Binds }
  | { kind: 'changes'; sql: string; many: Binds[] }
  | { kind: 'block'; sql: string; binds: Binds }
  | { kind: 'commit' };

export interface Outcome {
  /** With their column names in lower case. */
  rows: Record<string, unknown>[];
  rowsAffected: number;
  /** Whether stored code was kept that does not compile. */
  isInvalid: boolean;
}

const BREAK_EARLIER_MS = 300;

/** The rows of a query that come with its execution. */
const ROWS_PER_FETCH = 256;

/**
 * A connection lent for one unit of work. Operations given together go out in one round trip: as a pipeline, for which
 * the driver has no time limit, so that this class keeps one. A long text is bound as a LOB, which must be sent ahead:
 * then, and where the pipeline holds one operation alone, they go one by one.
 */
export class Session {
  readonly #driver: Driver;
  readonly #types: BindTypes;
  readonly #deadline: Date | null;
  readonly #connection: Connection;
  /** Whether the connection may be used again. */
  isUsable = true;

  constructor(driver: Driver, connection: Connection, deadline: Date | null) {
    this.#driver = driver;
    this.#types = new BindTypes(driver);
    this.#connection = connection;
    this.#deadline = deadline;
  }

  /** Throws at the first operation that fails; those after it are not carried out. */
  async run(operations: Operation[]): Promise<Outcome[]> {
    const prepared = operations.map((operation) => this.#prepare(operation));
    return this.#withinDeadline(async () => {
      if (prepared.length > 1 && prepared.every(({ hasLob }) => !hasLob)) {
        return this.#runTogether(prepared);
      }
      const outcomes: Outcome[] = [];
      for (const { runAlone } of prepared) outcomes.push(toOutcome(await runAlone(this.#connection)));
      return outcomes;
    });
  }

  async #runTogether(prepared: Prepared[]): Promise<Outcome[]> {
    const pipeline = new this.#driver.Pipeline();
    for (const { addTo } of prepared) addTo(pipeline);
    try {
      return (await this.#connection.runPipeline(pipeline)).map(toOutcome);
    } catch (error) {
      // The driver no longer knows whether a transaction is open, nor, after a fault of its own, that the pipeline is over.
      this.giveUp();
      throw error;
    }
  }

  /** Undoes what is not committed. Where that fails, the connection is given up. */
  async rollback(): Promise<void> {
    if (!this.isUsable) return;
    try {
      await this.#withinDeadline(() => this.#connection.rollback());
    } catch {
      this.giveUp();
    }
  }

  /** Cuts the connection off: it does not go back to the pool, and what was not committed is undone. */
  giveUp(): void {
    if (!this.isUsable) return;
    this.isUsable = false;
    destroyConnection(this.#connection);
  }

  async release(): Promise<void> {
    const wasUsable = this.isUsable;
    // From here on the connection is no longer this session's.
    this.isUsable = false;
    // The pool's own calls are none of this deadline's business.
    this.#connection.callTimeout = 0;
    const closed = this.#connection.close().catch(() => {});
    if (wasUsable) await closed;
  }

  #prepare(operation: Operation): Prepared {
    switch (operation.kind) {
      case 'commit':
        return {
          hasLob: false,
          addTo: (pipeline) => pipeline.addCommit(),
          async runAlone(connection) {
            await connection.commit();
            return {};
          },
        };
      case 'changes': {
        const { sql, many } = operation;
        const bindDefs = this.#types.definitions(many);
        return {
          hasLob: false,
          addTo: (pipeline) => pipeline.addExecuteMany(sql, many, { bindDefs }),
          runAlone: (connection) => connection.executeMany(sql, many, { bindDefs }),
        };
      }
      case 'query': {
        const { sql, limit } = operation;
        const binds = this.#types.typed(operation.binds);
        // All three alike: rows fetched beyond the limit would be locked by FOR UPDATE, and seen by nobody.
        const rows = limit ?? ROWS_PER_FETCH;
        const fetch = {
          outFormat: this.#driver.OUT_FORMAT_OBJECT,
          prefetchRows: rows,
          fetchArraySize: rows,
          ...(limit === undefined ? {} : { maxRows: limit }),
        };
        return {
          hasLob: this.#types.hasLob(binds),
          addTo: (pipeline) => pipeline.addFetchAll(sql, binds, { ...fetch }, rows, false),
          runAlone: (connection) => connection.execute(sql, binds, { ...fetch, fetchTypeHandler: this.#lobsAsText }),
        };
      }
      case 'change':
      case 'block': {
        const binds = this.#types.typed(operation.binds);
        return {
          hasLob: this.#types.hasLob(binds),
          addTo: (pipeline) => pipeline.addExecute(operation.sql, binds),
          runAlone: (connection) => connection.execute(operation.sql, binds),
        };
      }
    }
  }

  readonly #lobsAsText = ({ dbType }: { dbType: object }) =>
    dbType === this.#driver.DB_TYPE_CLOB ? { type: this.#driver.DB_TYPE_VARCHAR } : undefined;

  /** Ends with DeadlineExceeded when the deadline has passed: the call is broken off, the connection given up. */
  async #withinDeadline<T>(work: () => Promise<T>): Promise<T> {
    if (this.#deadline === null) {
      this.#connection.callTimeout = 0;
      return work();
    }
    const left = this.#deadline.getTime() - Date.now();
    if (left <= 0) throw deadlineExceeded();
    // A little earlier, so that the driver breaks the call off itself and the connection stays fit.
    this.#connection.callTimeout = Math.max(1, left - BREAK_EARLIER_MS);
    let timer: NodeJS.Timeout | undefined;
    const expiry = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.giveUp();
        reject(deadlineExceeded());
      }, left);
    });
    try {
      return await Promise.race([work(), expiry]);
    } finally {
      clearTimeout(timer);
    }
  }
}

interface Prepared {
  hasLob: boolean;
  addTo(pipeline: Pipeline): void;
  runAlone(connection: Connection): Promise<ExecuteResult>;
}

function toOutcome(result: ExecuteResult | undefined): Outcome {
  const rows = (result?.rows ?? []).map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value])),
  );
  return { rows, rowsAffected: result?.rowsAffected ?? 0, isInvalid: result?.warning !== undefined };
}
