/**
 * What is used of oracledb (26, thin mode), as types. A connection's calls run one after the other; a pipeline sends its
 * operations in one message where the server can take it so (23ai and newer), one by one elsewhere.
 */
export type DbType = object;

export interface BindUnit {
  val: unknown;
  type: DbType;
}

export interface BindDefinition {
  type: DbType;
  /** In bytes; for text alone. */
  maxSize?: number;
}

interface ColumnMetadata {
  name: string;
  dbType: DbType;
}

export interface ExecuteOptions {
  outFormat?: number;
  prefetchRows?: number;
  fetchArraySize?: number;
  maxRows?: number;
  fetchTypeHandler?: (column: ColumnMetadata) => { type: DbType } | undefined;
}

export interface ExecuteManyOptions {
  bindDefs?: Record<string, BindDefinition>;
}

export interface ExecuteResult {
  rows?: Record<string, unknown>[];
  rowsAffected?: number;
  /** Of stored code that was kept, but does not compile. */
  warning?: Error;
}

export interface Pipeline {
  addExecute(sql: string, binds?: Record<string, BindUnit>, options?: ExecuteOptions): void;
  addExecuteMany(sql: string, binds: Record<string, unknown>[], options?: ExecuteManyOptions): void;
  addFetchAll(
    sql: string,
    binds?: Record<string, BindUnit>,
    options?: ExecuteOptions,
    fetchArraySize?: number,
    fetchLobs?: boolean,
  ): void;
  addCommit(): void;
}

export interface Connection {
  /** Milliseconds; 0 for no limit. Holds for each call, but for no pipeline. */
  callTimeout: number;
  /** Names without a schema are looked up in it. */
  currentSchema: string;
  /** Shown in V$SESSION. */
  module: string;
  readonly oracleServerVersionString: string;
  execute(sql: string, binds?: Record<string, BindUnit>, options?: ExecuteOptions): Promise<ExecuteResult>;
  executeMany(sql: string, binds: Record<string, unknown>[], options?: ExecuteManyOptions): Promise<ExecuteResult>;
  /** Throws at the first operation that fails; those after it are not carried out. A commit has no result. */
  runPipeline(pipeline: Pipeline): Promise<(ExecuteResult | undefined)[]>;
  getStatementInfo(sql: string): Promise<{ bindNames?: string[]; statementType?: number }>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Gives the connection back to its pool. In thin mode there is no other way: `drop` is not heeded. */
  close(): Promise<void>;
  /** The driver's own parts, of which one is used: see {@link destroyConnection}. */
  readonly _impl?: { nscon?: { forceDisconnect?(): void } };
}

/**
 * Cuts a connection off, so that its pool forgets it and the server undoes what was not committed. What the driver's own
 * pool does with a connection that does not answer (26.0.0, thin/pool.js); there is no public call for it.
 */
export function destroyConnection(connection: Connection): void {
  const session = connection._impl?.nscon;
  if (typeof session?.forceDisconnect !== 'function') throw new Error('oracledb has no forceDisconnect any more');
  session.forceDisconnect();
}

export interface Pool {
  getConnection(): Promise<Connection>;
  close(drainTime: number): Promise<void>;
}

export interface ConnectOptions {
  user?: string;
  password?: string;
  connectString: string;
  walletLocation?: string;
  walletPassword?: string;
  configDir?: string;
  sslServerDNMatch?: boolean;
  /** Seconds. */
  connectTimeout?: number;
  /** Seconds. */
  transportConnectTimeout?: number;
  retryCount?: number;
  /** Seconds. */
  retryDelay?: number;
  /** Minutes. */
  expireTime?: number;
  externalAuth?: boolean;
  tokenAuthConfigOci?: { authType: string; scope: string };
}

export interface PoolOptions extends ConnectOptions {
  poolMin: number;
  poolMax: number;
  poolIncrement: number;
  /** Seconds. */
  poolTimeout: number;
  /** Seconds. */
  poolPingInterval: number;
  /** Milliseconds. */
  poolPingTimeout: number;
  /** Milliseconds. */
  queueTimeout: number;
  queueMax: number;
  stmtCacheSize: number;
  homogeneous: boolean;
  sessionCallback(connection: Connection, tag: string, done: (error?: Error) => void): void;
}

export interface TraceHandler {
  TraceHandlerBase: new () => {
    enable(): void;
    onEnterFn(context: TraceContext): void;
    onExitFn(context: TraceContext): void;
  };
  setTraceInstance(instance: object): void;
}

export interface TraceContext {
  operation: string;
  error?: { code?: string };
}

export interface Driver {
  Pipeline: new () => Pipeline;
  OUT_FORMAT_OBJECT: number;
  DB_TYPE_NUMBER: DbType;
  DB_TYPE_VARCHAR: DbType;
  DB_TYPE_CLOB: DbType;
  DB_TYPE_VECTOR: DbType;
  createPool(options: PoolOptions): Promise<Pool>;
  getConnection(options: ConnectOptions): Promise<Connection>;
  traceHandler: TraceHandler;
}

/** Loads oracledb, which nothing needs where another database is used. */
export const loadDriver = async (): Promise<Driver> => (await import('oracledb')).default;
