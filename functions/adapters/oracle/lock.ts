import { Unavailable } from '../../core/errors.ts';
import type { Connection, Driver } from './driver.ts';
import { oracleNumber, translate, unreachable } from './errors.ts';
import { Session } from './session.ts';

interface LockOptions {
  driver: Driver;
  /** Logs in as the schema's owner. */
  connect(): Promise<Connection>;
}

/** Often enough that the holder's session does not count as idle. */
const KEEP_ALIVE_MS = 60_000;
/** Less than a function may run. */
const LOCK_WAIT_SECONDS = 240;
const NAME_IS_TAKEN = 955;
const KEY_IS_TAKEN = 1;
const WAITED_IN_VAIN = 30_006;

/**
 * Runs work as the schema's owner while no other process does. The lock is a row lock in a session of its own, since every
 * statement of DDL ends the transaction of the session it runs in; it goes when that session goes, however it ends.
 */
export async function withLock<T>(
  { driver, connect }: LockOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const open = async () => {
    try {
      return new Session(driver, await connect(), null);
    } catch (error) {
      throw unreachable(error);
    }
  };
  const holder = await open();
  let worker: Session | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    await makeLock(holder);
    await take(holder);
    timer = setInterval(() => {
      // With the holder's session the lock is gone, and the work must not go on.
      holder.run([{ kind: 'query', sql: 'SELECT 1 AS alive FROM dual', binds: {} }]).catch(() => worker?.giveUp());
    }, KEEP_ALIVE_MS);
    worker = await open();
    return await work(worker);
  } catch (error) {
    throw translate(error);
  } finally {
    clearInterval(timer);
    await worker?.release();
    await holder.rollback();
    await holder.release();
  }
}

async function take(session: Session): Promise<void> {
  const sql = `SELECT lock_id FROM rag_bootstrap_lock WHERE lock_id = 1 FOR UPDATE WAIT ${LOCK_WAIT_SECONDS}`;
  try {
    await session.run([{ kind: 'query', sql, binds: {} }]);
  } catch (cause) {
    if (oracleNumber(cause) !== WAITED_IN_VAIN) throw cause;
    throw new Unavailable('Another bootstrap is running, and has not ended in time', { cause, retryAfterSeconds: 60 });
  }
}

/** Makes the row that is locked; another process may be making it at the same moment. */
async function makeLock(session: Session): Promise<void> {
  await tolerating(
    session,
    NAME_IS_TAKEN,
    'CREATE TABLE IF NOT EXISTS rag_bootstrap_lock (lock_id NUMBER(1) CONSTRAINT rag_bootstrap_lock_pk PRIMARY KEY)',
  );
  await tolerating(
    session,
    KEY_IS_TAKEN,
    `INSERT INTO rag_bootstrap_lock (lock_id)
     SELECT 1 FROM dual WHERE NOT EXISTS (SELECT 1 FROM rag_bootstrap_lock WHERE lock_id = 1)`,
  );
}

/** One call each, since a pipeline that fails takes its session along. */
async function tolerating(session: Session, errorNumber: number, sql: string): Promise<void> {
  try {
    await session.run([{ kind: 'change', sql, binds: {} }]);
    await session.run([{ kind: 'commit' }]);
  } catch (error) {
    if (oracleNumber(error) !== errorNumber) throw error;
    await session.rollback();
  }
}
