import { oracleNumber } from '../../../functions/adapters/oracle/errors.ts';
import type { Outcome } from '../../../functions/adapters/oracle/session.ts';
import type { ProbeContext } from '../context.ts';
import { refusalOf } from '../errors.ts';
import type { Finding } from '../finding.ts';
import type { Probe } from '../probe.ts';
import { change, type ProbeSession, query } from '../session.ts';
import { type Actor, makeActor } from './actor.ts';
import { indexedWhileHidden } from './hidden-rows.ts';
import { approximateSearch, lockMissing, writeMany } from './policy-statements.ts';
import { isWithoutPolicies, makePolicyFunction, POLICY_RIGHTS, refuseExempt } from './row-policy.ts';

const TASKS = 'CREATE TABLE <tasks> (task_id NUMBER PRIMARY KEY, assignee_id NUMBER)';
const CHUNKS = `CREATE TABLE <chunks> (
    id NUMBER PRIMARY KEY, owner_id NUMBER, content VARCHAR2(4000), embedding VECTOR(8, FLOAT32), metadata JSON
  )`;
const INSERT_TASK = 'INSERT INTO <tasks> (task_id, assignee_id) VALUES (:task_id, :assignee_id)';
const INSERT_CHUNK = `INSERT INTO <chunks> (id, owner_id, content, embedding)
  VALUES (:id, :owner_id, :content, :embedding)`;

/** As V2__row_security.sql: the system sees all, others what is theirs, by the record itself as well. */
const READ_TASKS = `CREATE FUNCTION <read_tasks> (p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
BEGIN
  RETURN q'[<who> = 'system' OR TO_CHAR(assignee_id) = <who>]';
END;`;
const READ_CHUNKS = `CREATE FUNCTION <read_chunks> (p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
BEGIN
  RETURN q'[<who> = 'system' OR (TO_CHAR(owner_id) = <who>
    AND id IN (SELECT t.task_id FROM <tasks> t WHERE TO_CHAR(t.assignee_id) = <who>))]';
END;`;
const SYSTEM_ONLY = `CREATE FUNCTION <system_only> (p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
BEGIN
  RETURN q'[<who> = 'system']';
END;`;

const ADD_POLICIES = `BEGIN
  DBMS_RLS.ADD_POLICY(
    object_schema => USER, object_name => '<tasks>', policy_name => '<tasks>_READ',
    function_schema => USER, policy_function => '<read_tasks>',
    statement_types => 'SELECT', update_check => FALSE, policy_type => DBMS_RLS.STATIC);
  DBMS_RLS.ADD_POLICY(
    object_schema => USER, object_name => '<tasks>', policy_name => '<tasks>_WRITE',
    function_schema => USER, policy_function => '<system_only>',
    statement_types => 'INSERT,UPDATE,DELETE', update_check => TRUE, policy_type => DBMS_RLS.STATIC);
  DBMS_RLS.ADD_POLICY(
    object_schema => USER, object_name => '<chunks>', policy_name => '<chunks>_READ',
    function_schema => USER, policy_function => '<read_chunks>',
    statement_types => 'SELECT', update_check => FALSE, policy_type => DBMS_RLS.STATIC);
  DBMS_RLS.ADD_POLICY(
    object_schema => USER, object_name => '<chunks>', policy_name => '<chunks>_WRITE',
    function_schema => USER, policy_function => '<system_only>',
    statement_types => 'INSERT,UPDATE,DELETE', update_check => TRUE, policy_type => DBMS_RLS.STATIC);
END;`;

const READ = 'SELECT id FROM <chunks> ORDER BY id';
const LOCK = 'SELECT id FROM <chunks> ORDER BY id FOR UPDATE SKIP LOCKED';
const INSERT_OWN = "INSERT INTO <chunks> (id, owner_id, content) VALUES (:id, :owner_id, 'mine')";

const CHUNK_COUNT = 12;
/** A task of 9, who has no chunks. */
const TASK_WITHOUT_CHUNK = 900;
const REFUSED_BY_POLICY = 28115;

export const policyDetails: Probe = {
  id: 'P17',
  question:
    'Do static policies follow the context, ask other tables, refuse writes, allow locks and arrays, and spare indexes?',
  needs: `${POLICY_RIGHTS}; CTXAPP or EXECUTE on CTXSYS.CTX_DDL for the text index; two sessions`,
  means: {
    holds: 'the row policies of the migrations do what the product relies on',
    differs:
      'where a context is not followed or a write not refused, do not run the product here; where an index lacks ' +
      'hidden rows, make it while the context is the system; where a statement is refused, report its code',
    open: 'the row policies of the migrations rest on this',
  },
  seconds: () => 240,
  async run(context) {
    const session = await context.open();
    await refuseExempt(context, session);
    const actor = await makeActor(context, session);
    await makeTables(context, session);
    try {
      await session.block(ADD_POLICIES);
    } catch (error) {
      if (!isWithoutPolicies(error)) throw error;
      return { holds: false, seen: 'ORA-00439: the feature is not in this database' };
    }
    const rights = await readRights(session, actor);
    const write = await writeAsEmployee(session, actor);
    const locks = await lockAs(session, actor);
    const missing = await lockMissing(session, actor, TASK_WITHOUT_CHUNK);
    const many = await writeMany(context, actor);
    const indexes = await indexedWhileHidden(context, session, actor, CHUNK_COUNT + many.added);
    const approximate = await approximateSearch(session, actor);
    return decide([rights, write, locks, missing, many, indexes, approximate]);
  },
};

/** Chunk 1 is of 7 and so is its task, chunk 2 of 8; the others are of 7, who has no such task. */
async function makeTables(context: ProbeContext, session: ProbeSession): Promise<void> {
  const { scratch } = context;
  await scratch.create(session, 'table', 'tasks', TASKS);
  await scratch.create(session, 'table', 'chunks', CHUNKS);
  await session.changes(INSERT_TASK, [
    { task_id: 1, assignee_id: 7 },
    { task_id: 2, assignee_id: 8 },
    { task_id: TASK_WITHOUT_CHUNK, assignee_id: 9 },
  ]);
  await session.changes(
    INSERT_CHUNK,
    Array.from({ length: CHUNK_COUNT }, (_, i) => ({
      id: i + 1,
      owner_id: i === 1 ? 8 : 7,
      content: `hidden passage ${i + 1}`,
      embedding: Float32Array.from({ length: 8 }, (_, at) => ((i * 5 + at * 3) % 11) - 5),
    })),
  );
  await session.commit();
  await makePolicyFunction(context, session, 'read_tasks', READ_TASKS);
  await makePolicyFunction(context, session, 'read_chunks', READ_CHUNKS);
  await makePolicyFunction(context, session, 'system_only', SYSTEM_ONLY);
}

interface Part {
  holds: boolean;
  seen: string;
}

/** One text in one session, so one cursor, under one context after another. */
async function readRights(session: ProbeSession, actor: Actor): Promise<Part> {
  const readAs = async (who: string) => {
    const [, found] = (await session.run([actor.enter(who), query(READ, 256), actor.leave])) as [Outcome, Outcome];
    return found.rows.map(({ id }) => String(id)).join(' ');
  };
  const nobody = (await session.rows(READ)).length;
  const seven = await readAs('7');
  const eight = await readAs('8');
  const all = (await readAs('system')).split(' ').length;
  const nobodyAgain = (await session.rows(READ)).length;
  return {
    holds: nobody === 0 && seven === '1' && eight === '2' && all === CHUNK_COUNT && nobodyAgain === 0,
    seen:
      `one cursor, by ${actor.by}: nobody sees ${nobody} rows, employee 7 {${seven}} (wanted {1}, by a policy that asks ` +
      `another table), 8 {${eight}} (wanted {2}), the system ${all} of ${CHUNK_COUNT}, nobody ${nobodyAgain} again`,
  };
}

async function writeAsEmployee(session: ProbeSession, actor: Actor): Promise<Part> {
  // By itself: an error in a pipeline would be the end of the session.
  await session.run([actor.enter('7')]);
  const error: unknown = await session.change(INSERT_OWN, { id: 50, owner_id: 7 }).then(
    () => null,
    (reason: unknown) => reason,
  );
  const refusal = error === null ? 'is not refused' : `is refused with ${refusalOf(error, session.signal)}`;
  await session.rollback();
  await session.run([actor.enter('system'), change(INSERT_OWN, { id: 51, owner_id: 7 })]);
  await session.rollback();
  await session.run([actor.leave]);
  return {
    holds: oracleNumber(error) === REFUSED_BY_POLICY,
    seen: `an employee's INSERT ${refusal}, the system's is taken`,
  };
}

async function lockAs(session: ProbeSession, actor: Actor): Promise<Part> {
  const lock = async (who: string) => {
    await session.run([actor.enter(who)]);
    const answer = await session.rows(LOCK, {}, 5).then(
      (rows) => `${rows.length}`,
      (error: unknown) => refusalOf(error, session.signal),
    );
    await session.rollback();
    await session.run([actor.leave]);
    return answer;
  };
  const system = await lock('system');
  const employee = await lock('7');
  return {
    holds: system === '5',
    seen: `FOR UPDATE SKIP LOCKED brings the system ${system} of 5 rows, employee 7 ${employee}`,
  };
}

const decide = (parts: Part[]): Finding => ({
  holds: parts.every(({ holds }) => holds),
  seen: parts.map(({ seen }) => seen).join('; '),
});
