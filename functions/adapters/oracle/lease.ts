import type { Actor } from '../../ports/database.ts';
import { isConnectionLost } from './errors.ts';
import type { Operation, Outcome, Session } from './session.ts';

/** A session that is lent, and as whom its statements act now: what its application context says. */
export class Lease {
  readonly #open: () => Promise<Session>;
  readonly #owner: string;
  #session: Session | undefined;
  /** As whom the session's statements act for certain; null where that is not known, or for nobody. */
  #actor: Actor | null = null;
  /** Whether some actor's context may be set. */
  #mayHaveContext = false;
  #isLocked = false;

  constructor(owner: string, open: () => Promise<Session>) {
    this.#owner = owner;
    this.#open = open;
  }

  /** One unit of work at a time: two would act for each other's actors. Throws where another is under way. */
  lock(): () => void {
    if (this.#isLocked) throw new Error('a held connection does one thing after the other');
    this.#isLocked = true;
    return () => {
      this.#isLocked = false;
    };
  }

  get session(): Session {
    if (this.#session === undefined) throw new Error('a lease is used before its first operation');
    return this.#session;
  }

  /**
   * The first operations of a unit of work, with the context of its actor before them: tried once more, on another
   * connection, where this one is gone, unless they commit or call stored code, which may.
   */
  async begin(actor: Actor, operations: Operation[], end: Operation[] = []): Promise<Outcome[]> {
    this.#session ??= await this.#open();
    try {
      return await this.#act(actor, operations, end);
    } catch (error) {
      const isRepeatable = operations.every(({ kind }) => kind !== 'commit' && kind !== 'block');
      if (!isRepeatable || !isConnectionLost(error)) throw error;
      await this.#giveUp();
      this.#session = await this.#open();
      return this.#act(actor, operations, end);
    }
  }

  /** The end of the context, for operations that are the last. */
  leave(): Operation[] {
    return [{ kind: 'block', sql: `BEGIN ${this.#owner}.rag_security.leave; END;`, binds: {} }];
  }

  /** Undoes what is not committed; a connection that is gone makes room for another. */
  async undo(error: unknown): Promise<void> {
    if (this.#session === undefined) return;
    if (isConnectionLost(error)) this.#session.giveUp();
    await this.#session.rollback();
    if (!this.#session.isUsable) await this.#giveUp();
  }

  /** Gives the session back, with no context left in it. */
  async release(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    if (this.#mayHaveContext && session.isUsable) await session.run(this.leave()).catch(() => session.giveUp());
    this.#session = undefined;
    await session.release();
  }

  async #act(actor: Actor, operations: Operation[], end: Operation[]): Promise<Outcome[]> {
    const isKnown = this.#actor !== null && isSame(this.#actor, actor);
    const before = isKnown ? [] : [enter(this.#owner, actor)];
    this.#actor = null;
    this.#mayHaveContext = true;
    const outcomes = await this.session.run([...before, ...operations, ...end]);
    this.#actor = end.length > 0 ? null : actor;
    this.#mayHaveContext = end.length === 0;
    return outcomes.slice(before.length, before.length + operations.length);
  }

  async #giveUp(): Promise<void> {
    this.#session?.giveUp();
    await this.#session?.release();
    this.#session = undefined;
    this.#actor = null;
    this.#mayHaveContext = false;
  }
}

const isSame = (one: Actor, other: Actor) =>
  one === other ||
  (one !== 'system' && other !== 'system' && one.employeeId === other.employeeId && one.role === other.role);

/** Sets the context by the one package that may. */
function enter(owner: string, actor: Actor): Operation {
  if (actor === 'system') return { kind: 'block', sql: `BEGIN ${owner}.rag_security.enter_system; END;`, binds: {} };
  return {
    kind: 'block',
    sql: `BEGIN ${owner}.rag_security.enter_employee(:employee_id, :role); END;`,
    binds: { employee_id: actor.employeeId, role: actor.role },
  };
}
