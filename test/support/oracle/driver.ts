import oracledb from 'oracledb';
import pg from 'pg';
import { OracleDatabase } from '../../../functions/adapters/oracle/database.ts';
import type {
  Connection,
  ConnectOptions,
  Driver,
  Pool,
  PoolOptions,
  TraceHandler,
} from '../../../functions/adapters/oracle/driver.ts';
import { createPool } from '../../../functions/adapters/oracle/pool.ts';
import { noteCallers } from './callers.ts';
import { FakeCatalog } from './catalog.ts';
import { FakeConnection, type Server } from './connection.ts';
import { FakeOracleError } from './errors.ts';
import type { Recorder } from './recorder.ts';

const { builtins } = pg.types;
const NUMERIC: number[] = [builtins.INT8, builtins.NUMERIC];

/**
 * A stand-in for an Oracle database and its driver: the records are in a PostgreSQL, the schema and the models in a
 * catalog. It records everything that is sent.
 */
export class FakeOracle implements Server {
  readonly recorder: Recorder;
  readonly catalog = new FakeCatalog();
  /** What was left in connections that went back to their pool: a context, a transaction, a pipeline. */
  readonly leftBehind: object[] = [];
  /** What the model in the database makes of a text. */
  embed: (text: string) => Float32Array = () => new Float32Array(384);
  /** Thrown by the next round trip, once each. */
  readonly nextFaults: Error[] = [];
  connectionsOpened = 0;
  /** Hears of each round trip. */
  onCall: (connection: FakeConnection) => void = () => {};
  /** What each round trip waits for. */
  onCallWait: () => Promise<void> = async () => {};
  readonly #owners = new Map<number, Connection>();
  readonly #behind: pg.Pool | null;

  /** Without a PostgreSQL behind it, it has a catalog alone. */
  constructor(recorder: Recorder, connectionString?: string) {
    this.recorder = recorder;
    this.#behind =
      connectionString === undefined
        ? null
        : new pg.Pool({
            connectionString,
            max: 10,
            types: {
              getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
                NUMERIC.includes(oid) && format !== 'binary'
                  ? Number
                  : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
            },
          });
  }

  /** The driver as the adapter gets it. */
  get driver(): Driver {
    return {
      Pipeline: oracledb.Pipeline as Driver['Pipeline'],
      OUT_FORMAT_OBJECT: oracledb.OUT_FORMAT_OBJECT,
      DB_TYPE_NUMBER: oracledb.DB_TYPE_NUMBER,
      DB_TYPE_VARCHAR: oracledb.DB_TYPE_VARCHAR,
      DB_TYPE_CLOB: oracledb.DB_TYPE_CLOB,
      DB_TYPE_VECTOR: oracledb.DB_TYPE_VECTOR,
      traceHandler: oracledb.traceHandler as unknown as TraceHandler,
      createPool: async (options) => this.#createPool(options),
      getConnection: async (options) => this.connect(options),
    };
  }

  /** A connection of its own, after the password is checked where the user has one. */
  async connect({ user = '', password }: Partial<ConnectOptions>): Promise<FakeConnection> {
    const known = this.catalog.passwords.get(user);
    if (known !== undefined && known !== password) {
      throw new FakeOracleError('ORA-01017', 'invalid credential or not authorized; logon denied');
    }
    this.connectionsOpened++;
    return new FakeConnection(this, user);
  }

  #createPool(options: PoolOptions): Pool {
    let isClosed = false;
    const open = new Set<FakeConnection>();
    const free: FakeConnection[] = [];
    const waiting: (() => void)[] = [];
    const { gone } = this;
    this.gone = (connection) => {
      gone(connection);
      if (!open.delete(connection)) return;
      if (!connection.isCutOff) free.push(connection);
      waiting.shift()?.();
    };
    return {
      getConnection: async () => {
        if (isClosed) throw new FakeOracleError('NJS-065', 'the connection pool was closed');
        while (open.size >= options.poolMax) await new Promise<void>((resolve) => waiting.push(resolve));
        const idle = free.pop();
        if (idle !== undefined) {
          idle.reopen();
          open.add(idle);
          return idle;
        }
        const connection = new FakeConnection(this, options.user ?? '');
        open.add(connection);
        this.connectionsOpened++;
        await new Promise<void>((resolve, reject) =>
          options.sessionCallback(connection, '', (error) => (error === undefined ? resolve() : reject(error))),
        );
        return connection;
      },
      close: async () => {
        isClosed = true;
      },
    };
  }

  gone: (connection: FakeConnection) => void = () => {};

  async beforeRoundTrip(connection: FakeConnection): Promise<void> {
    this.onCall(connection);
    await this.onCallWait();
    const fault = this.nextFaults.shift();
    if (fault === undefined) return;
    this.release(connection);
    throw fault;
  }

  async connectBehind(user: string): Promise<pg.PoolClient> {
    if (this.#behind === null) throw new FakeOracleError('ORA-00942', `nothing is stored here for ${user}`);
    return this.#behind.connect();
  }

  isFree(connection: Connection, id: number): boolean {
    const owner = this.#owners.get(id);
    return owner === undefined || owner === connection;
  }

  own(connection: Connection, id: number): void {
    this.#owners.set(id, connection);
  }

  release(connection: Connection): void {
    for (const [id, owner] of this.#owners) if (owner === connection) this.#owners.delete(id);
    this.catalog.release(connection);
  }

  async close(): Promise<void> {
    await this.#behind?.end();
  }
}

/** The owner's schema of the stand-in. */
export const OWNER = 'RAG_OWNER';

/** The product's own adapter on the stand-in, with a pool of its own. */
export function connectFakeOracle(oracle: FakeOracle): OracleDatabase {
  const { driver } = oracle;
  const pool = createPool(driver, {
    connect: { user: 'RAG_RUNTIME', password: 'secret', connectString: 'stand-in' },
    poolMax: 4,
    owner: OWNER,
  });
  const database = new OracleDatabase({
    driver,
    owner: OWNER,
    pool: {
      getConnection: async () => (await pool).getConnection(),
      close: async (drainTime) => (await pool).close(drainTime),
    },
  });
  return noteCallers(database, oracle.recorder);
}
