import { setTimeout as sleep } from 'node:timers/promises';
import type { ProbeContext } from '../context.ts';
import { refusalOf } from '../errors.ts';
import type { ProbeSession } from '../session.ts';
import { groupedVectors, randomOf } from './vectors.ts';

/** Part of P10, told as information: what the making of a vector index does while another session writes. */

const ROWS = 50;

const TABLE = 'CREATE TABLE <busy> (id NUMBER PRIMARY KEY, embedding VECTOR(384, FLOAT32))';
const INSERT = 'INSERT INTO <busy> (id, embedding) VALUES (:id, :embedding)';

/** As V4__vector_index.sql makes it. */
const INDEX = `CREATE VECTOR INDEX <busy_ivf> ON <busy> (embedding)
  ORGANIZATION NEIGHBOR PARTITIONS DISTANCE COSINE WITH TARGET ACCURACY 90`;
const INDEX_ONLINE = `CREATE VECTOR INDEX <busy_ivf> ON <busy> (embedding)
  ORGANIZATION NEIGHBOR PARTITIONS DISTANCE COSINE WITH TARGET ACCURACY 90 ONLINE`;
const DROP_INDEX = 'DROP INDEX <busy_ivf>';

const LOCK_TIMEOUT = 'ALTER SESSION SET DDL_LOCK_TIMEOUT = 2';
/** When the writer ends. Longer than the timeout of the lock, which ONLINE may not heed. */
const WRITER_MS = 6000;

export async function madeBesideWriter(context: ProbeContext, session: ProbeSession): Promise<string> {
  const { scratch } = context;
  const writer = await context.open();
  await scratch.create(session, 'table', 'busy', TABLE);
  const [own, ...others] = groupedVectors(ROWS, 384, randomOf(104));
  await session.changes(
    INSERT,
    others.map(({ id, embedding }) => ({ id, embedding })),
  );
  await session.commit();
  scratch.reserve('index', 'busy_ivf');
  await session.block(LOCK_TIMEOUT).catch((error: unknown) => refusalOf(error, session.signal));
  const make = async (sql: string) => {
    await writer.change(INSERT, { id: 1, embedding: own?.embedding ?? null });
    return makeWhile(session, writer, sql);
  };
  const plain = await make(INDEX);
  const online = await make(INDEX_ONLINE);
  return `while another session has an uncommitted row, the index ${plain}, with ONLINE it ${online}`;
}

/** Ends the writer's transaction when that has lasted long enough. */
async function makeWhile(session: ProbeSession, writer: ProbeSession, sql: string): Promise<string> {
  const start = performance.now();
  const making = session.block(sql).then(
    () => null,
    (reason: unknown) => reason,
  );
  const hasWaited = await Promise.race([making.then(() => false), sleep(WRITER_MS, true, { ref: false })]);
  await writer.rollback();
  const error = await making;
  const seconds = `${Math.round((performance.now() - start) / 100) / 10} s`;
  if (error !== null) return `is refused (${refusalOf(error, session.signal)}, ${seconds})`;
  await session.block(DROP_INDEX);
  return hasWaited ? 'waits for the end of that transaction' : `is made without a wait (${seconds})`;
}
