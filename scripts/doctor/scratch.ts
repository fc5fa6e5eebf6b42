import { randomInt } from 'node:crypto';
import { isConnectionLost, oracleNumber } from '../../functions/adapters/oracle/errors.ts';
import { requireName } from '../../functions/adapters/oracle/names.ts';
import type { Session } from '../../functions/adapters/oracle/session.ts';
import type { Names } from './names.ts';
import type { ProbeSession } from './session.ts';

/** How every name that a probe makes begins. */
export const SCRATCH_PREFIX = 'OCI_RAG_PROBE_';

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

export const newPrefix = (): string =>
  SCRATCH_PREFIX + Array.from({ length: 5 }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** How an object of each kind is dropped. A domain index that was cut off while it was made goes by force alone. */
const DROP = {
  table: (name: string) => `DROP TABLE ${name} CASCADE CONSTRAINTS PURGE`,
  index: (name: string) => `DROP INDEX ${name}`,
  'text index': (name: string) => `DROP INDEX ${name} FORCE`,
  function: (name: string) => `DROP FUNCTION ${name}`,
  package: (name: string) => `DROP PACKAGE ${name}`,
  context: (name: string) => `DROP CONTEXT ${name}`,
  'text preference': (name: string) => `BEGIN CTX_DDL.DROP_PREFERENCE('${name}'); END;`,
  model: (name: string) => `BEGIN DBMS_VECTOR.DROP_ONNX_MODEL(model_name => '${name}', force => TRUE); END;`,
};

export type Kind = keyof typeof DROP;

export interface ScratchObject {
  name: string;
  drop: string;
}

/** No such table, index, object or model: it was never made, or went with its table. */
const NOT_THERE = new Set([942, 1418, 4043, 40284]);
/** What has no number of its own: a preference, a context. */
const SAYS_NOT_THERE = /DRG-10700|does not exist/;

/** The objects that probes made and that are not dropped yet; names are added before the object is made. */
export class Ledger {
  readonly #objects = new Set<ScratchObject>();

  add(object: ScratchObject): void {
    this.#objects.add(object);
  }

  remove(object: ScratchObject): void {
    this.#objects.delete(object);
  }

  /** What must go first, first. */
  get objects(): ScratchObject[] {
    return [...this.#objects].reverse();
  }
}

/** Makes the objects of one probe, and takes note of them. */
export class Scratch {
  readonly #prefix: string;
  readonly #names: Names;
  readonly #ledger: Ledger;

  constructor(prefix: string, names: Names, ledger: Ledger) {
    this.#prefix = prefix;
    this.#names = names;
    this.#ledger = ledger;
  }

  /** Makes `<label>` by one statement, or by several that belong together. */
  async create(session: ProbeSession, kind: Kind, label: string, ...statements: string[]): Promise<void> {
    this.reserve(kind, label);
    for (const sql of statements) await session.block(sql);
  }

  /** A name for what will be made otherwise. */
  reserve(kind: Kind, label: string): string {
    const name = requireName(`${this.#prefix}_${label.toUpperCase()}`);
    this.#names.set(label, name);
    this.#ledger.add({ name, drop: DROP[kind](name) });
    return name;
  }
}

/** Seconds that a drop waits for a session that was just given up and still holds a lock. */
const LOCK_TIMEOUT = 30;

/** Drops everything in the ledger; what stays there could not be dropped. */
export async function dropAll(ledger: Ledger, open: () => Promise<Session>): Promise<void> {
  if (ledger.objects.length === 0) return;
  let session: Session | undefined;
  try {
    session = await begin(open);
    await dropOnce(ledger, session);
    // What failed may have gone with its table.
    await dropOnce(ledger, session);
  } catch {
    // No session to drop anything with: the caller sees what is left.
  } finally {
    await session?.release();
  }
}

/** Throws where the connection is gone. */
async function dropOnce(ledger: Ledger, session: Session): Promise<void> {
  for (const object of ledger.objects) {
    try {
      await session.run([{ kind: 'block', sql: object.drop, binds: {} }]);
      ledger.remove(object);
    } catch (error) {
      if (isGone(error)) ledger.remove(object);
      else if (isConnectionLost(error)) throw error;
    }
  }
}

async function begin(open: () => Promise<Session>): Promise<Session> {
  const session = await open();
  await session
    .run([{ kind: 'block', sql: `ALTER SESSION SET DDL_LOCK_TIMEOUT = ${LOCK_TIMEOUT}`, binds: {} }])
    .catch(() => {});
  return session;
}

function isGone(error: unknown): boolean {
  return NOT_THERE.has(oracleNumber(error) ?? 0) || SAYS_NOT_THERE.test((error as Error).message);
}
