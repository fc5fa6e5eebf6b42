import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, Driver } from '../../functions/adapters/oracle/driver.ts';
import { connectHint } from '../../functions/adapters/oracle/errors.ts';
import { codeOf } from './errors.ts';
import { NotTried } from './finding.ts';
import { Names } from './names.ts';
import type { ProbeOptions } from './options.ts';
import { type Ledger, newPrefix, Scratch } from './scratch.ts';
import { ProbeSession } from './session.ts';
import type { DoctorSettings } from './settings.ts';

interface ContextOptions {
  driver: Driver;
  connect(): Promise<Connection>;
  settings: DoctorSettings;
  options: ProbeOptions;
  ledger: Ledger;
  deadline: Date;
  signal: AbortSignal;
}

const CLOSE_MS = 10_000;

const DIMENSION =
  "SELECT VECTOR_DIMENSION_COUNT(VECTOR_EMBEDDING(<model> USING 'ping' AS DATA)) AS dimension FROM dual";
const PRIVILEGES = 'SELECT privilege FROM session_privs';

/** What a probe works with: sessions and scratch objects of its own, which are gone when it ends. */
export class ProbeContext {
  readonly settings: DoctorSettings;
  readonly options: ProbeOptions;
  readonly signal: AbortSignal;
  readonly names = new Names();
  readonly scratch: Scratch;
  readonly #context: ContextOptions;
  readonly #sessions: ProbeSession[] = [];

  constructor(context: ContextOptions) {
    this.#context = context;
    this.settings = context.settings;
    this.options = context.options;
    this.signal = context.signal;
    const prefix = newPrefix();
    this.names.set('prefix', prefix);
    this.names.set('model', `${context.settings.owner}.${context.settings.model}`);
    this.scratch = new Scratch(prefix, this.names, context.ledger);
  }

  get driver(): Driver {
    return this.#context.driver;
  }

  /** One more session, which ends with the probe. */
  async open(): Promise<ProbeSession> {
    const { driver, connect, deadline, signal } = this.#context;
    signal.throwIfAborted();
    const connection = await connect().catch((error: unknown) => {
      throw new Error(`no further session: ${connectHint(error)}`, { cause: error });
    });
    const session = new ProbeSession({ driver, connection, deadline, names: this.names, signal });
    this.#sessions.push(session);
    return session;
  }

  /** The dimension of the model's vectors, `<dimension>` from now on. Without the model a probe of it cannot be tried. */
  async requireModel(session: ProbeSession): Promise<number> {
    try {
      const dimension = Number(await session.value(DIMENSION));
      this.names.set('dimension', String(dimension));
      return dimension;
    } catch (error) {
      this.signal.throwIfAborted();
      const { owner, model } = this.settings;
      throw new NotTried(
        `the model ${owner}.${model} does not answer (${codeOf(error) || 'no code'}): run bootstrap first, or name it ` +
          'with RAG_EMBEDDING_MODEL and RAG_DATABASE_OWNER',
      );
    }
  }

  /** The system privileges of the login, with those of its roles. */
  async privileges(session: ProbeSession): Promise<Set<string>> {
    return new Set((await session.rows(PRIVILEGES)).map(({ privilege }) => String(privilege)));
  }

  /** Ends the sessions; what they did not commit is undone. One that does not end is not waited for. */
  async close(): Promise<void> {
    const patience = sleep(CLOSE_MS, undefined, { ref: false });
    await Promise.race([Promise.all(this.#sessions.map((session) => session.close())), patience]);
  }
}
