import type { Actor, Binds, Dialect, Transaction } from '../../ports/database.ts';
import { translate } from './errors.ts';
import type { Lease } from './lease.ts';
import type { Operation, Outcome } from './session.ts';

const NOTHING: Outcome = { rows: [], rowsAffected: 0, isInvalid: false };

interface Waiting {
  operation: Operation;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** Operations that are asked for at once go out at once; the first ones take the actor's context along. */
export class OracleTransaction implements Transaction {
  readonly dialect: Dialect;
  readonly #lease: Lease;
  readonly #actor: Actor;
  readonly #deferred: Operation[] = [];
  #waiting: Waiting[] = [];
  #sent: Promise<void> = Promise.resolve();
  #hasBegun = false;
  /** Whether there is anything to commit: a change, or locks. */
  #isOpen = false;
  /** The first failure: Oracle undoes a failed statement alone, so that what came before it would be kept. */
  #failure: { error: unknown } | null = null;
  #isEnded = false;

  constructor(dialect: Dialect, lease: Lease, actor: Actor) {
    this.dialect = dialect;
    this.#lease = lease;
    this.#actor = actor;
  }

  rows<T>(sql: string, binds: Binds = {}): Promise<T[]> {
    return this.#ask({ kind: 'query', sql, binds }, ({ rows }) => rows as T[]);
  }

  /** At most `limit` rows, and no more than these are locked. */
  firstRows<T>(sql: string, binds: Binds, limit: number): Promise<T[]> {
    return this.#ask({ kind: 'query', sql, binds, limit }, ({ rows }) => rows as T[]);
  }

  execute(sql: string, binds: Binds = {}): Promise<number> {
    const kind = /^\s*BEGIN\b/i.test(sql) ? 'block' : 'change';
    return this.#ask({ kind, sql, binds }, ({ rowsAffected }) => rowsAffected);
  }

  executeMany(sql: string, many: Binds[]): Promise<number> {
    if (many.length === 0) return Promise.resolve(0);
    return this.#ask(toChange(sql, many), ({ rowsAffected }) => rowsAffected);
  }

  defer(sql: string, many: Binds[]): void {
    if (many.length > 0) this.#deferred.push(toChange(sql, many));
  }

  /** Sends what was deferred, the commit, and where it is the last unit of work the end of the context: in one round trip. */
  async commit(isLast: boolean): Promise<void> {
    await this.#sent;
    if (this.#failure !== null) throw this.#failure.error;
    const changes: Operation[] =
      this.#isOpen || this.#deferred.length > 0 ? [...this.#deferred, { kind: 'commit' }] : [];
    if (changes.length === 0 && !(isLast && this.#hasBegun)) return;
    await this.#lease.begin(this.#actor, changes, isLast ? this.#lease.leave() : []);
  }

  /** Nothing more is sent from here on, nor under way. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#sent;
  }

  #ask<T>(operation: Operation, read: (outcome: Outcome) => T): Promise<T> {
    if (this.#isEnded) return Promise.reject(new Error('a statement was asked of a transaction that has ended'));
    if (this.#failure !== null) return Promise.reject(this.#failure.error);
    this.#isOpen ||= operation.kind !== 'query' || /\bFOR UPDATE\b/i.test(operation.sql);
    const asked = new Promise<Outcome>((resolve, reject) => {
      this.#waiting.push({ operation, resolve, reject });
      if (this.#waiting.length === 1) this.#sent = this.#sent.then(() => this.#send());
    }).then(read);
    // Where nobody waits for it, the commit tells of the failure.
    asked.catch(() => {});
    return asked;
  }

  async #send(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    const operations = batch.map(({ operation }) => operation);
    try {
      const outcomes = this.#hasBegun
        ? await this.#lease.session.run(operations)
        : await this.#lease.begin(this.#actor, operations);
      for (const [i, { resolve }] of batch.entries()) resolve(outcomes[i] ?? NOTHING);
    } catch (error) {
      // Which of them failed is not known, and the transaction is not kept.
      this.#failure ??= { error: translate(error) };
      for (const { reject } of batch) reject(this.#failure.error);
    } finally {
      this.#hasBegun = true;
    }
  }
}

function toChange(sql: string, many: Binds[]): Operation {
  const [first] = many;
  return many.length === 1 && first !== undefined
    ? { kind: 'change', sql, binds: first }
    : { kind: 'changes', sql, many };
}
