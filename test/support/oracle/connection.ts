import oracledb from 'oracledb';
import type pg from 'pg';
import type {
  BindDefinition,
  BindUnit,
  Connection,
  DbType,
  ExecuteManyOptions,
  ExecuteOptions,
  ExecuteResult,
  Pipeline,
} from '../../../functions/adapters/oracle/driver.ts';
import { positionalValues, toPositional } from '../../../functions/adapters/postgres/binds.ts';
import { runAsSet } from '../../../functions/adapters/postgres/set-statement.ts';
import type { Bind, Binds } from '../../../functions/ports/database.ts';
import type { FakeCatalog } from './catalog.ts';
import { FakeOracleError, toOracle } from './errors.ts';
import { parseStatement } from './parse.ts';
import type { Recorder } from './recorder.ts';
import { toPostgres } from './translate.ts';

const MAX_VARCHAR_BYTES = 32_767;
const PG_TEXT = 25;
/** What is a CLOB in Oracle's tables; RAG_CHUNK.CONTENT, of the same name as a comment's, is not. */
const CLOB_COLUMNS = new Set(['description', 'goal', 'comment_text', 'question', 'standalone_question', 'answer']);

type Operation = {
  opType: 'execute' | 'executeMany' | 'fetchAll' | 'commit';
  statement: string;
  parameters: never;
  options: ExecuteOptions & ExecuteManyOptions;
};

/** The database that a connection is to: what all connections share. */
export interface Server {
  readonly recorder: Recorder;
  readonly catalog: FakeCatalog;
  readonly leftBehind: object[];
  embed(text: string): Float32Array;
  beforeRoundTrip(connection: FakeConnection): Promise<void>;
  connectBehind(user: string): Promise<pg.PoolClient>;
  isFree(connection: FakeConnection, dirtyId: number): boolean;
  own(connection: FakeConnection, dirtyId: number): void;
  /** The connection's transaction has ended. */
  release(connection: FakeConnection): void;
  gone(connection: FakeConnection): void;
}

/** As whom the statements act: what the package RAG_SECURITY has set. */
type Context = { role: string; employeeId: string; employeeRole: string };
const NOBODY: Context = { role: 'none', employeeId: '', employeeRole: '' };

/**
 * A connection as oracledb's, before PostgreSQL: the driver's quirks are kept, the SQL that only Oracle has is translated,
 * stored code is done by hand. Rows that a FOR UPDATE SKIP LOCKED has fetched belong to this connection until its transaction
 * ends; others neither see nor wait for them.
 */
export class FakeConnection implements Connection {
  callTimeout = 0;
  currentSchema = '';
  module = '';
  readonly oracleServerVersionString = '23.26.2.0.0';
  readonly #oracle: Server;
  readonly #user: string;
  #client: pg.PoolClient | undefined;
  #context: Context = NOBODY;
  #isInTransaction = false;
  /** Whether there are changes or locks that others must not yet see, or wait for. */
  #isOpen = false;
  /** Whether a call is a part of a pipeline that has not ended. */
  #isInPipeline = false;
  /** What the driver has heard of last: it rolls back of itself only then. */
  #knowsOfTransaction = false;
  isClosed = false;
  isCutOff = false;

  constructor(oracle: Server, user: string) {
    this.#oracle = oracle;
    this.#user = user;
  }

  async execute(sql: string, binds: Record<string, BindUnit> = {}, options: ExecuteOptions = {}) {
    await this.#roundTrip();
    const { result, isLob } = await this.#execute(sql, binds, options);
    // LOB columns switch prefetching off: they are asked for once they are known.
    if (isLob) await this.#roundTrip();
    return result;
  }

  async executeMany(sql: string, binds: Record<string, unknown>[], options: ExecuteManyOptions = {}) {
    await this.#roundTrip();
    return this.#executeMany(sql, binds, options);
  }

  async runPipeline(pipeline: Pipeline): Promise<(ExecuteResult | undefined)[]> {
    if (pipeline.constructor.name !== 'Pipeline') throw new FakeOracleError('NJS-005', 'invalid value for parameter 1');
    await this.#roundTrip();
    // Where it fails, the driver neither hears whether a transaction is open, nor takes the pipeline for ended.
    const knewOfTransaction = this.#knowsOfTransaction;
    this.#isInPipeline = true;
    const results = await this.#runOperations((pipeline as unknown as { operations: Operation[] }).operations).catch(
      (error: unknown) => {
        this.#knowsOfTransaction = knewOfTransaction;
        throw error;
      },
    );
    this.#isInPipeline = false;
    return results;
  }

  async #runOperations(operations: Operation[]): Promise<(ExecuteResult | undefined)[]> {
    const results: (ExecuteResult | undefined)[] = [];
    /** What has LOBs to fetch when the pipeline has ended, and the context that it needs for it. */
    let open: { sql: string; context: Context } | null = null;
    for (const { opType, statement, parameters, options } of operations) {
      if (opType === 'commit') {
        await this.#end('COMMIT');
        // As the driver has it.
        results.push(undefined);
      } else if (opType === 'executeMany') {
        results.push(await this.#executeMany(statement, parameters, options));
      } else {
        const { result, isLob } = await this.#execute(statement, parameters, options);
        if (isLob) open = { sql: statement, context: this.#context };
        // A query that is merely executed gives no rows.
        results.push(opType === 'execute' ? { ...result, rows: undefined as never } : result);
      }
    }
    if (open !== null) {
      this.#oracle.recorder.roundTrips++;
      const isLate = open.context !== this.#context && this.#oracle.recorder.isProduct(open.sql);
      if (isLate) throw new Error(`LOBs are fetched after the context has changed: ${open.sql}`);
    }
    return results;
  }

  async getStatementInfo(sql: string) {
    return { bindNames: parseStatement(sql).names };
  }

  async commit(): Promise<void> {
    await this.#roundTrip();
    await this.#end('COMMIT');
  }

  async rollback(): Promise<void> {
    await this.#roundTrip();
    await this.#end('ROLLBACK');
  }

  /** Cut off: the server undoes what was not committed, and the pool forgets the connection. */
  readonly _impl = {
    nscon: {
      forceDisconnect: () => {
        this.isCutOff = true;
        this.#context = NOBODY;
        this.#isInPipeline = false;
        const client = this.#client;
        this.#client = undefined;
        this.#isInTransaction = false;
        this.#isOpen = false;
        this.#oracle.release(this);
        // The database behind is told before anybody else can ask it for anything.
        client?.query('ROLLBACK').then(
          () => client.release(),
          (error: Error) => client.release(error),
        );
      },
    },
  };

  /** Goes back to its pool as oracledb has it: undone is what the driver knows of, and the context stays. */
  async close(): Promise<void> {
    if (this.isClosed) throw new FakeOracleError('NJS-003', 'invalid or closed connection');
    if (!this.isCutOff) {
      if (this.#knowsOfTransaction) await this.#end('ROLLBACK').catch(() => {});
      if (this.#context !== NOBODY || this.#isOpen || this.#isInPipeline) {
        this.#oracle.leftBehind.push({
          context: this.#context,
          isOpen: this.#isOpen,
          isInPipeline: this.#isInPipeline,
        });
      }
    }
    this.isClosed = true;
    this.#client?.release();
    this.#client = undefined;
    this.#oracle.gone(this);
  }

  /** Lent again by its pool. */
  reopen(): void {
    this.isClosed = false;
  }

  async #roundTrip(): Promise<void> {
    if (this.isCutOff) throw new FakeOracleError('NJS-500', 'connection to the Oracle Database was broken', true);
    if (this.#isInPipeline) throw new Error('a pipeline that failed is taken for open by the driver');
    if (this.isClosed) throw new FakeOracleError('NJS-003', 'invalid or closed connection');
    this.#oracle.recorder.roundTrips++;
    await this.#oracle.beforeRoundTrip(this);
  }

  async #execute(
    sql: string,
    units: Record<string, BindUnit>,
    options: ExecuteOptions,
  ): Promise<{ result: ExecuteResult; isLob: boolean }> {
    this.#oracle.recorder.noteUnits(sql, units);
    const parsed = parseStatement(sql);
    checkNames(parsed.names, Object.keys(units));
    for (const [name, unit] of Object.entries(units)) checkValue(name, unit.val, unit);
    this.#oracle.catalog.throwIfTold(sql);
    if (/\bIS NULL OR\b.*FETCH.*FOR UPDATE/s.test(sql))
      throw new FakeOracleError('ORA-02014', 'cannot select FOR UPDATE');

    if (await this.#security(sql, units)) return { result: {}, isLob: false };
    const answer = await this.#oracle.catalog.answer(this, sql, units);
    if (answer !== null) return { result: answer, isLob: false };
    if (parsed.isPlSql) throw new FakeOracleError('ORA-06550', `no such stored code: ${sql.slice(0, 80)}`);

    const binds = Object.fromEntries(Object.entries(units).map(([name, { val }]) => [name, toBind(val)]));
    if (/FOR UPDATE SKIP LOCKED\s*$/.test(sql))
      return { result: await this.#skipLocked(sql, binds, options), isLob: false };
    this.#knowsOfTransaction ||= !parsed.isQuery || /FOR UPDATE\b/.test(sql);
    this.#isOpen ||= !parsed.isQuery || /FOR UPDATE\s*$/.test(sql);
    const { rows, rowCount, fields } = await this.#run(sql, binds);
    await this.#endOfRead();
    if (!parsed.isQuery) return { result: { rowsAffected: rowCount ?? 0 }, isLob: false };
    const isLob = fields.some((field) => field.dataTypeID === PG_TEXT && CLOB_COLUMNS.has(field.name));
    const fetched = options.maxRows === undefined ? rows : rows.slice(0, options.maxRows);
    this.#countFetches(fetched.length, options);
    return { result: { rows: fetched.map(toOracleRow) }, isLob };
  }

  /** What does not come with the execution is fetched in round trips of its own. */
  #countFetches(rows: number, { prefetchRows = 2, fetchArraySize = 100, maxRows }: ExecuteOptions): void {
    for (let got = prefetchRows; got <= rows && got !== maxRows; got += fetchArraySize)
      this.#oracle.recorder.roundTrips++;
  }

  async #skipLocked(sql: string, binds: Binds, options: ExecuteOptions): Promise<ExecuteResult> {
    const { prefetchRows = 2, fetchArraySize = 100, maxRows = Number.POSITIVE_INFINITY } = options;
    const { rows } = await this.#run(sql.replace(/FOR UPDATE SKIP LOCKED\s*$/, ''), binds);
    await this.#endOfRead();
    const free = rows.filter((row) => this.#oracle.isFree(this, Number(row.dirty_id)));
    let fetched = prefetchRows;
    while (fetched < Math.min(maxRows, free.length)) fetched += fetchArraySize;
    for (const row of free.slice(0, fetched)) this.#oracle.own(this, Number(row.dirty_id));
    return { rows: free.slice(0, maxRows).map(toOracleRow) };
  }

  /** A query opens no transaction in Oracle; in the database behind, it would hold up the others. */
  async #endOfRead(): Promise<void> {
    if (!this.#isOpen && this.#isInTransaction) await this.#pg('COMMIT');
  }

  async #executeMany(
    sql: string,
    sets: Record<string, unknown>[],
    { bindDefs = {} }: ExecuteManyOptions,
  ): Promise<ExecuteResult> {
    const parsed = parseStatement(sql);
    if (parsed.isQuery) throw new FakeOracleError('NJS-157', 'executeMany() cannot be used with SELECT');
    if (sets.length === 0) throw new FakeOracleError('NJS-005', 'invalid value for parameter 2');
    this.#oracle.recorder.note(
      sql,
      Object.fromEntries(Object.entries(bindDefs).map(([name, { type }]) => [name, type])),
    );
    checkNames(parsed.names, Object.keys(bindDefs));
    for (const set of sets) {
      for (const [name, definition] of Object.entries(bindDefs)) checkValue(name, set[name], definition);
    }
    this.#oracle.catalog.throwIfTold(sql);
    const many = sets.map((set) =>
      Object.fromEntries(Object.entries(set).map(([name, value]) => [name, toBind(value)])),
    );
    const translated = many.map((binds) => toPostgres(sql, binds, this.#oracle.embed));
    const prepared = toPositional(translated[0]?.sql ?? '');
    const values = translated.map(({ binds }) => positionalValues(prepared, binds));
    this.#isOpen = true;
    this.#knowsOfTransaction = true;
    const rowsAffected = await this.#atomically((client) => runAsSet(client, prepared, values));
    return { rowsAffected };
  }

  /** The package RAG_SECURITY; true where the statement is a call of it. */
  async #security(sql: string, units: Record<string, BindUnit>): Promise<boolean> {
    const call = /^BEGIN (?:\w+\.)?rag_security\.(\w+)/.exec(sql)?.[1];
    if (call === undefined) return false;
    this.#context =
      call === 'leave'
        ? NOBODY
        : call === 'enter_system'
          ? { role: 'rag_system', employeeId: '', employeeRole: '' }
          : {
              role: 'rag_reader',
              employeeId: String(units.employee_id?.val),
              employeeRole: String(units.role?.val),
            };
    if (this.#isInTransaction) await this.#applyContext();
    return true;
  }

  async #run(sql: string, binds: Binds): Promise<pg.QueryResult> {
    const translated = toPostgres(sql, binds, this.#oracle.embed);
    const prepared = toPositional(translated.sql);
    const values = positionalValues(prepared, translated.binds);
    return this.#atomically((client) => client.query(prepared.text, values));
  }

  /** A statement that fails undoes itself alone, and leaves the transaction open. */
  async #atomically<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (!this.#isInTransaction) {
      await this.#pg('BEGIN');
      this.#isInTransaction = true;
      await this.#applyContext();
    }
    const client = await this.#lend();
    await client.query('SAVEPOINT statement');
    try {
      const result = await work(client);
      await client.query('RELEASE SAVEPOINT statement');
      return result;
    } catch (error) {
      await client.query('ROLLBACK TO SAVEPOINT statement');
      throw toOracle(error);
    }
  }

  async #applyContext(): Promise<void> {
    const { role, employeeId, employeeRole } = this.#context;
    const client = await this.#lend();
    await client.query(
      `SELECT set_config('role', $1, true), set_config('rag.employee_id', $2, true), set_config('rag.role', $3, true)`,
      [role === 'none' ? 'rag_reader' : role, employeeId, employeeRole],
    );
  }

  async #end(command: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    if (this.#isInTransaction) await this.#pg(command);
    this.#isOpen = false;
    this.#knowsOfTransaction = false;
    this.#oracle.release(this);
  }

  async #pg(command: 'BEGIN' | 'COMMIT' | 'ROLLBACK'): Promise<void> {
    const client = await this.#lend();
    if (command !== 'BEGIN') this.#isInTransaction = false;
    await client.query(command);
  }

  async #lend(): Promise<pg.PoolClient> {
    this.#client ??= await this.#oracle.connectBehind(this.#user);
    return this.#client;
  }
}

const toBind = (value: unknown): Bind => (value === '' ? null : (value as Bind));

function toOracleRow(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toUpperCase(), value]));
}

function checkNames(used: string[], supplied: string[]): void {
  const names = supplied.map((name) => name.toUpperCase());
  const unknown = names.filter((name) => !used.includes(name));
  if (unknown.length > 0) throw new FakeOracleError('NJS-097', `no bind placeholder named: ":${unknown}" was found`);
  const missing = used.filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new FakeOracleError('NJS-098', `${used.length} bind placeholders, ${names.length} values`);
}

/** That a value is of the type that it is declared with. */
function checkValue(
  name: string,
  value: unknown,
  { type, maxSize }: BindDefinition | (BindUnit & { maxSize?: number }),
): void {
  if (type === undefined) throw new Error(`:${name} has no type: a null would go as a VARCHAR2`);
  if (value === null || value === undefined) return;
  const wrong = new FakeOracleError('NJS-011', `encountered bind value and type mismatch: ${name}`);
  const isText: DbType[] = [oracledb.DB_TYPE_VARCHAR, oracledb.DB_TYPE_CLOB];
  if (type === oracledb.DB_TYPE_NUMBER && typeof value !== 'number') throw wrong;
  if (type === oracledb.DB_TYPE_VECTOR && !(value instanceof Float32Array)) throw wrong;
  if (isText.includes(type) && typeof value !== 'string') throw wrong;
  if (type !== oracledb.DB_TYPE_VARCHAR) return;
  const bytes = Buffer.byteLength(String(value));
  if (bytes > MAX_VARCHAR_BYTES) throw new FakeOracleError('ORA-01461', 'can bind a LONG value only for a LONG column');
  if (maxSize !== undefined && bytes > maxSize) throw new FakeOracleError('NJS-058', `maxSize of ${name} is too small`);
}
