import { createRequire } from 'node:module';
import oracledb from 'oracledb';
import type {
  BindUnit,
  Connection,
  ConnectOptions,
  Driver,
  ExecuteOptions,
  ExecuteResult,
  Pipeline,
} from '../../functions/adapters/oracle/driver.ts';

type Binds = Record<string, unknown>;

/** What one session of the stand-in is, to whoever answers for it. */
export interface StandInSession extends Connection {
  readonly number: number;
  /** As whom its statements run; null for nobody. */
  who: string | null;
  /** Closed or cut off: what it did not commit is undone. */
  isGone: boolean;
  break(): Promise<void>;
}

interface AnswerOptions extends ExecuteOptions {
  /** Only whether it parses is asked. */
  parseOnly?: boolean;
}

/** An answer, an error to be thrown, or undefined where another answers. */
export type Answer = (
  sql: string,
  binds: Binds,
  session: StandInSession,
  options: AnswerOptions,
) => ExecuteResult | Error | undefined | Promise<ExecuteResult | undefined>;

interface Sent {
  sql: string;
  binds: Binds;
  parseOnly: boolean;
  session: number;
}

/** An error as oracledb throws it. */
export function oracleError(code: string, text = 'a message'): Error {
  const errorNum = code.startsWith('ORA-') ? Number(code.slice(4)) : 0;
  return Object.assign(new Error(`${code}: ${text}\nHelp: https://docs.oracle.com/error-help/db/${code}/`), {
    code,
    errorNum,
    isRecoverable: false,
  });
}

interface PipelineOperation {
  opType: string;
  statement: string;
  parameters: Binds | Binds[];
  options: ExecuteOptions;
}

interface DriverStatement {
  _prepare(sql: string): void;
  bindInfoList: { bindName: string }[];
  isDdl: boolean;
}

const { Statement } = createRequire(import.meta.url)('oracledb/lib/thin/statement.js') as {
  Statement: new () => DriverStatement;
};

/** The names of a statement's binds as the driver reads them. */
export function bindNamesOf(sql: string): string[] {
  const statement = new Statement();
  statement._prepare(sql);
  return [...new Set(statement.bindInfoList.map(({ bindName }) => bindName.toLowerCase()))].sort();
}

const MADE = /^CREATE (?:VECTOR )?(?:TABLE|INDEX|FUNCTION|PACKAGE(?: BODY)?|CONTEXT) (\w+)|CREATE_PREFERENCE\('(\w+)'/;
const DROPPED =
  /^DROP (?:TABLE|INDEX|FUNCTION|PACKAGE|CONTEXT) (\w+)|DROP_PREFERENCE\('(\w+)'|DROP_ONNX_MODEL\(model_name => '(\w+)'/;

/** A database and its driver that record what is sent, keep the names of the objects, and answer as they are told. */
export class StandIn {
  readonly sent: Sent[] = [];
  /** The objects that are there. */
  readonly objects = new Set<string>();
  /** The names of all objects that were ever made. */
  readonly made: string[] = [];
  readonly connectOptions: ConnectOptions[] = [];
  opened = 0;
  closed = 0;
  breaks = 0;
  cuts = 0;
  /** Thrown by the next login where it is set. */
  refusal: Error | null = null;
  readonly #answers: Answer[];

  constructor(...answers: Answer[]) {
    this.#answers = answers;
  }

  get driver(): Driver {
    return {
      ...(oracledb as unknown as Driver),
      Pipeline: oracledb.Pipeline as Driver['Pipeline'],
      getConnection: async (options) => {
        this.connectOptions.push(options);
        if (this.refusal !== null) throw this.refusal;
        return this.#connect();
      },
    };
  }

  #connect(): Connection {
    const ended: ((error: Error) => void)[] = [];
    const number = ++this.opened;
    let isClosed = false;
    const end = (error: Error) => {
      for (const reject of ended) reject(error);
    };
    const answer = async (sql: string, binds: Binds, options: AnswerOptions = {}) => {
      if (session.isGone) throw oracleError('NJS-500', 'connection to the Oracle Database was broken');
      const interrupted = new Promise<never>((_, reject) => ended.push(reject));
      return Promise.race([this.#answer(sql, binds, session, options), interrupted]);
    };
    const session: StandInSession = {
      number,
      who: null,
      isGone: false,
      callTimeout: 0,
      currentSchema: '',
      module: '',
      oracleServerVersionString: '23.26.2.0.0',
      execute: (sql, binds = {}, options = {}) => answer(sql, valuesOf(binds), options),
      executeMany: async (sql, many) => {
        for (const binds of many) await answer(sql, binds);
        return { rowsAffected: many.length };
      },
      async runPipeline(pipeline: Pipeline) {
        const results: (ExecuteResult | undefined)[] = [];
        for (const { opType, statement, parameters, options } of (
          pipeline as unknown as { operations: PipelineOperation[] }
        ).operations) {
          if (opType === 'commit') await session.commit();
          else if (opType === 'executeMany') await session.executeMany(statement, parameters as Binds[]);
          else results.push(await session.execute(statement, parameters as Record<string, BindUnit>, options));
          if (opType === 'commit') results.push(undefined);
          else if (opType === 'executeMany') results.push({});
        }
        return results;
      },
      getStatementInfo: async (sql) => {
        return { bindNames: [], ...(await answer(sql, {}, { parseOnly: true })) };
      },
      commit: async () => void (await answer('COMMIT', {})),
      rollback: async () => void (await answer('ROLLBACK', {})),
      break: async () => {
        this.breaks++;
        end(oracleError('ORA-01013', 'user requested cancel of current operation'));
      },
      close: async () => {
        if (!isClosed) this.closed++;
        isClosed = true;
        session.isGone = true;
      },
      _impl: {
        nscon: {
          forceDisconnect: () => {
            this.cuts++;
            session.isGone = true;
            end(oracleError('NJS-500', 'connection to the Oracle Database was broken'));
          },
        },
      },
    };
    return session;
  }

  async #answer(sql: string, binds: Binds, session: StandInSession, options: AnswerOptions): Promise<ExecuteResult> {
    const { parseOnly = false } = options;
    this.sent.push({ sql, binds, session: session.number, parseOnly });
    for (const answer of this.#answers) {
      const result = await answer(sql, binds, session, options);
      if (result instanceof Error) throw result;
      if (result !== undefined) return parseOnly ? {} : this.#keep(sql, binds, result);
    }
    return parseOnly ? {} : this.#keep(sql, binds, { rows: [], rowsAffected: 0 });
  }

  #keep(sql: string, binds: Binds, result: ExecuteResult): ExecuteResult {
    const made = MADE.exec(sql)?.slice(1).find(Boolean) ?? (/LOAD_ONNX/.test(sql) ? String(binds.model_name) : null);
    if (made !== null) {
      this.objects.add(made);
      this.made.push(made);
    }
    const dropped = DROPPED.exec(sql)?.slice(1).find(Boolean);
    if (dropped !== undefined && !this.objects.delete(dropped)) throw oracleError('ORA-04043', 'does not exist');
    return result;
  }
}

const valuesOf = (binds: Record<string, BindUnit>): Binds =>
  Object.fromEntries(Object.entries(binds).map(([name, { val }]) => [name, val]));
