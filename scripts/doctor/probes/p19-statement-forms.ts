import type { ProbeContext } from '../context.ts';
import { refusalOf } from '../errors.ts';
import type { Probe } from '../probe.ts';
import { block, type ProbeSession, query } from '../session.ts';
import { bindOrders } from './bind-orders.ts';

const TABLE = `CREATE TABLE <items> (
    id NUMBER PRIMARY KEY, metadata JSON, enqueued_at TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL
  )`;

const INSERT_JSON = 'INSERT INTO <items> (id, metadata) VALUES (:id, :metadata)';
const UPDATE_JSON = 'UPDATE <items> SET metadata = :metadata WHERE id = :id';
const READ_JSON = "SELECT JSON_VALUE(metadata, '$.status') AS status FROM <items> WHERE id = :id";

const OLDEST = `SELECT TO_CHAR(MIN(CASE WHEN id > :id THEN NULL ELSE enqueued_at END) AT TIME ZONE 'UTC',
    'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS oldest FROM <items>`;
const MIN_TS = `SELECT TO_CHAR(MIN(enqueued_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS oldest FROM <items>`;

const LEASE = `UPDATE <items> SET enqueued_at = CURRENT_TIMESTAMP + CAST(:seconds AS INTEGER) * INTERVAL '1' SECOND
  WHERE id = :id`;
const IN_FUTURE = `SELECT COUNT(*) AS n FROM <items>
  WHERE id = :id AND enqueued_at > CURRENT_TIMESTAMP + INTERVAL '50' SECOND
    AND enqueued_at < CURRENT_TIMESTAMP + INTERVAL '70' SECOND`;

const CURRENT_SCHEMA = "SELECT SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA') AS current_schema FROM dual";
/** A schema that every database has, and that is not the user's. */
const ANOTHER_SCHEMA = 'SYS';

export const statementForms: Probe = {
  id: 'P19',
  question:
    'Do JSON columns take text, also beside a long one; do times compute; does currentSchema hold from the first on?',
  needs: 'CREATE TABLE',
  means: {
    holds: 'the statements that both databases share run here as they are written',
    differs: 'the part of the product that sends such statements fails on this version; report them',
    open: 'the statements that both databases share are written in these forms',
  },
  async run(context) {
    const session = await context.open();
    await context.scratch.create(session, 'table', 'items', TABLE);
    const parts: [string, string][] = [
      ['JSON by INSERT', await attempt(session, () => json(session, 1))],
      ['JSON by array INSERT and UPDATE', await attempt(session, () => manyJson(session))],
      ["MIN(…) AT TIME ZONE 'UTC'", await attempt(session, () => times(session))],
      ['CAST(:n AS INTEGER) * INTERVAL', await attempt(session, () => lease(session))],
      ['currentSchema, first statement', await attempt(session, () => schema(context, false))],
      ['currentSchema, first pipeline', await attempt(session, () => schema(context, true))],
    ];
    const orders = await bindOrders(context, session);
    return {
      holds: parts.every(([, answer]) => answer === 'yes') && orders.holds,
      seen: [...parts.map(([what, answer]) => `${what}: ${answer}`), orders.seen].join('; '),
    };
  },
};

/** yes, no (it runs, with another result), or the refusal. */
async function attempt(session: ProbeSession, work: () => Promise<boolean>): Promise<string> {
  try {
    return (await work()) ? 'yes' : 'no, the result is another';
  } catch (error) {
    return `refused (${refusalOf(error, session.signal)})`;
  }
}

const statusOf = (session: ProbeSession, id: number) => session.value(READ_JSON, { id });

async function json(session: ProbeSession, id: number): Promise<boolean> {
  await session.change(INSERT_JSON, { id, metadata: '{"status":"todo"}' });
  const inserted = await statusOf(session, id);
  await session.change(UPDATE_JSON, { id, metadata: '{"status":"done"}' });
  return inserted === 'todo' && (await statusOf(session, id)) === 'done';
}

async function manyJson(session: ProbeSession): Promise<boolean> {
  await session.changes(INSERT_JSON, [
    { id: 11, metadata: '{"status":"todo"}' },
    { id: 12, metadata: null },
  ]);
  const inserted = await statusOf(session, 11);
  await session.changes(UPDATE_JSON, [
    { id: 11, metadata: '{"status":"done"}' },
    { id: 12, metadata: '{"status":"blocked"}' },
  ]);
  return inserted === 'todo' && (await statusOf(session, 11)) === 'done' && (await statusOf(session, 12)) === 'blocked';
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

async function times(session: ProbeSession): Promise<boolean> {
  await session.change(INSERT_JSON, { id: 31, metadata: '{}' });
  const [all, some] = [await session.value(MIN_TS), await session.value(OLDEST, { id: 1000 })];
  return ISO.test(String(all)) && ISO.test(String(some));
}

async function lease(session: ProbeSession): Promise<boolean> {
  await session.change(INSERT_JSON, { id: 41, metadata: '{}' });
  await session.changes(LEASE, [
    { seconds: 60, id: 41 },
    { seconds: 60, id: 0 },
  ]);
  return Number(await session.value(IN_FUTURE, { id: 41 })) === 1;
}

/** In a session that has sent nothing yet. */
async function schema(context: ProbeContext, inPipeline: boolean): Promise<boolean> {
  const session = await context.open();
  session.connection.currentSchema = ANOTHER_SCHEMA;
  if (!inPipeline) return (await session.value(CURRENT_SCHEMA)) === ANOTHER_SCHEMA;
  const [, found] = await session.run([block('BEGIN NULL; END;'), query(CURRENT_SCHEMA, 1)]);
  return found?.rows[0]?.current_schema === ANOTHER_SCHEMA;
}
