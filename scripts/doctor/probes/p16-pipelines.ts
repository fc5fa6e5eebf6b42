import { oracleNumber } from '../../../functions/adapters/oracle/errors.ts';
import type { Binds } from '../../../functions/ports/database.ts';
import type { ProbeContext } from '../context.ts';
import type { Finding } from '../finding.ts';
import type { Probe } from '../probe.ts';
import { change, type ProbeSession, query } from '../session.ts';
import { type Actor, makeActor } from './actor.ts';
import { cutOff } from './cut-off.ts';
import { ROUND_TRIP_RIGHTS, roundTripsInWords } from './round-trips.ts';

const ROWS = 10;

const TABLE = `CREATE TABLE <items> (
    id NUMBER PRIMARY KEY, note VARCHAR2(200), long_note CLOB, embedding VECTOR(4, FLOAT32)
  )`;
const INSERT = 'INSERT INTO <items> (id, note, embedding) VALUES (:id, :note, :embedding)';
const INSERT_LONG = "UPDATE <items> SET long_note = TO_CLOB('a longer note ') || note";
const INSERT_ONE = 'INSERT INTO <items> (id, note) VALUES (:id, :note)';
const COUNT_FROM = 'SELECT COUNT(*) AS n FROM <items> WHERE id >= :id';

/** Each row says as whom it was read. */
const READ = 'SELECT i.id, i.note, <who> AS who FROM <items> i ORDER BY i.id';
/** Such a column is fetched after the last operation of the pipeline. */
const READ_LONG = 'SELECT i.id, i.long_note FROM <items> i WHERE <who> IS NOT NULL ORDER BY i.id';
const WHO = 'SELECT <who> AS who FROM dual';

const DUPLICATE_KEY = 1;

export const pipelines: Probe = {
  id: 'P16',
  question:
    'Does a pipeline keep its order: context, query, end of context; changes, commit; nothing after an error or a cut?',
  needs:
    `CREATE TABLE; four sessions; CREATE and DROP ANY CONTEXT with CREATE PROCEDURE for a context of its own (else the ` +
    `client identifier); ${ROUND_TRIP_RIGHTS} for the count; EXECUTE on SYS.DBMS_SESSION, which PUBLIC has`,
  means: {
    holds: 'each unit of work takes one round trip with its context, and an error commits nothing',
    differs:
      'do not run the product on this version: a statement might run as somebody else or half of a change be kept',
    open: 'each unit of work is sent as one pipeline',
  },
  seconds: () => 180,
  async run(context) {
    const [session, other] = [await context.open(), await context.open()];
    const actor = await makeActor(context, session);
    await context.scratch.create(session, 'table', 'items', TABLE);
    await session.changes(INSERT, rowsFrom(1, ROWS));
    await session.change(INSERT_LONG);
    await session.commit();
    const parts = [
      await readsAsActor(session, actor),
      await commits(session, other),
      await stopsAtError(await context.open(), other, actor),
      // Where it is refused it is the last that the session does.
      await longColumns(context, session, actor),
    ];
    return decide(parts, await cutOff(context, other));
  },
};

interface Part {
  /** Null where it decides nothing. */
  holds: boolean | null;
  seen: string;
}

const rowsFrom = (first: number, count: number): Binds[] =>
  Array.from({ length: count }, (_, i) => ({
    id: first + i,
    note: `note ${first + i}`,
    embedding: Float32Array.of(1, 0, 0, first + i),
  }));

async function readsAsActor(session: ProbeSession, actor: Actor): Promise<Part> {
  const work = () => session.run([actor.enter('alice'), query(READ, 256), actor.leave]);
  const [, found] = await work();
  const rows = found?.rows ?? [];
  const after = await session.value(WHO);
  const trips = await roundTripsInWords(session, work);
  const seenByActor = rows.filter(({ who }) => who === 'alice').length;
  return {
    holds: rows.length === ROWS && seenByActor === ROWS && after === null && (trips === '1' || trips === 'not counted'),
    seen:
      `${seenByActor} of ${ROWS} rows are read as the actor (by ${actor.by}), which is ` +
      `${after === null ? 'empty' : 'still set'} afterwards; round trips: ${trips}`,
  };
}

async function commits(session: ProbeSession, other: ProbeSession): Promise<Part> {
  await session.run([{ kind: 'changes', sql: INSERT, many: rowsFrom(101, 3) }, { kind: 'commit' }]);
  const n = Number(await other.value(COUNT_FROM, { id: 101 }));
  return { holds: n === 3, seen: `an array INSERT and the commit leave ${n} of 3 rows for another session` };
}

async function stopsAtError(session: ProbeSession, other: ProbeSession, actor: Actor): Promise<Part> {
  const error: unknown = await session
    .run([
      actor.enter('bob'),
      { kind: 'changes', sql: INSERT, many: rowsFrom(201, 2) },
      change(INSERT_ONE, { id: 1, note: 'there already' }),
      change(INSERT_ONE, { id: 203, note: 'after the error' }),
      { kind: 'commit' },
      actor.leave,
    ])
    .then(
      () => null,
      (reason: unknown) => reason,
    );
  if (error !== null && oracleNumber(error) !== DUPLICATE_KEY) throw error;
  // It cost the session its connection, as in the product.
  await session.close();
  const committed = Number(await other.value(COUNT_FROM, { id: 201 }));
  return {
    holds: error !== null && committed === 0,
    seen:
      `an error in the middle is ${error === null ? 'not told' : 'told'}; of the 2 rows before it and the one after it ` +
      `${committed} are committed`,
  };
}

/** Why the product reads its long columns in a transaction. */
async function longColumns({ signal }: ProbeContext, session: ProbeSession, actor: Actor): Promise<Part> {
  const found = await session.run([actor.enter('alice'), query(READ_LONG, 256), actor.leave]).then(
    ([, outcome]) => `${outcome?.rows.length ?? 0} of ${ROWS} rows`,
    (error: unknown) => {
      signal.throwIfAborted();
      return `an error (${String((error as { code?: string }).code)})`;
    },
  );
  return { holds: null, seen: `with a CLOB column such a pipeline brings ${found}` };
}

function decide(parts: Part[], cut: Part): Finding {
  const seen = [...parts, cut].map((part) => part.seen).join('; ');
  if (parts.some(({ holds }) => holds === false)) return { holds: false, seen };
  if (cut.holds !== false) return { holds: true, seen };
  return {
    holds: false,
    seen,
    means:
      'a write that was answered with a time-out may be carried out all the same, or lock its records for a while: ' +
      'look at the records before it is made again',
  };
}
