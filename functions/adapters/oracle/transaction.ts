import type { Actor, Binds, Dialect, Transaction } from '../../ports/database.ts';
import { translate } from './errors.ts';
import type { Lease } from './lease.ts';
import type { Operation, Outcome } from './session.ts';

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

  constructor(dialect: Dialect, lease: Lease, actor: Actor) {
    this.dialect = dialect;
    this.#lease = lease;
    this.#actor = actor;
  }

  async rows<T>(sql: string, binds: Binds = {}): Promise<T[]> {
    return (await this.#ask({ kind: 'query', sql, binds })).rows as T[];
  }

  /** At most `limit` rows, and no more than these are locked. */
  async firstRows<T>(sql: string, binds: Binds, limit: number): Promise<T[]> {
    return (await this.#ask({ kind: 'query', sql, binds, limit })).rows as T[];
  }

  async execute(sql: string, binds: Binds = {}): Promise<number> {
    return (await this.#ask({ kind: 'change', sql, binds })).rowsAffected;
  }

  async executeMany(sql: string, many: Binds[]): Promise<number> {
    return many.length === 0 ? 0 : (await this.#ask(toChange(sql, many))).rowsAffected;
  }

  defer(sql: string, many: Binds[]): void {
    if (many.length > 0) this.#deferred.push(toChange(sql, many));
  }

  /** Sends what was deferred, the commit, and where it is the last unit of work the end of the context: in one round trip. */
  async commit(isLast: boolean): Promise<void> {
    await this.#sent;
    const changes: Operation[] =
      this.#isOpen || this.#deferred.length > 0 ? [...this.#deferred, { kind: 'commit' }] : [];
    if (changes.length === 0 && !(isLast && this.#hasBegun)) return;
    await this.#lease.begin(this.#actor, changes, isLast ? this.#lease.leave() : []);
  }

  #ask(operation: Operation): Promise<Outcome> {
    this.#isOpen ||= operation.kind !== 'query' || /\bFOR UPDATE\b/i.test(operation.sql);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operation, resolve, reject });
      if (this.#waiting.length === 1) this.#sent = this.#sent.then(() => this.#send());
    });
  }

  async #send(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    const operations = batch.map(({ operation }) => operation);
    try {
      const outcomes = this.#hasBegun
        ? await this.#lease.session.run(operations)
        : await this.#lease.begin(this.#actor, operations);
      for (const [i, { resolve }] of batch.entries()) resolve(outcomes[i] ?? { rows: [], rowsAffected: 0 });
    } catch (error) {
      // Which of them failed is not known, and the transaction is not kept.
      for (const { reject } of batch) reject(translate(error));
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
