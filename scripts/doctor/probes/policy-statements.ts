import { oracleNumber } from '../../../functions/adapters/oracle/errors.ts';
import type { Binds } from '../../../functions/ports/database.ts';
import type { ProbeContext } from '../context.ts';
import { refusalOf } from '../errors.ts';
import { type ProbeSession, query } from '../session.ts';
import type { Actor } from './actor.ts';
import { planOf } from './plan.ts';

/** Part of P17: forms of statements that the product sends, on tables with row policies. */

const INSERT_MANY = `INSERT INTO <chunks> (id, owner_id, content, embedding, metadata)
  VALUES (:id, :owner_id, :content, :embedding, :metadata)`;
const UPDATE_JSON = 'UPDATE <chunks> SET metadata = :metadata WHERE id = :id';
const READ_BACK = `SELECT JSON_VALUE(c.metadata, '$.status') AS status, VECTOR_DIMENSION_COUNT(c.embedding) AS dimension
  FROM <chunks> c WHERE c.id = :id`;

/** As the backfill asks for records that have no chunk. */
const LOCK_MISSING = `SELECT r.task_id AS id FROM <tasks> r
  WHERE NOT EXISTS (SELECT 1 FROM <chunks> o
    WHERE CAST(o.id AS VARCHAR(64)) = CAST(r.task_id AS VARCHAR(64)) AND o.owner_id <> :nobody)
  AND NOT EXISTS (SELECT 1 FROM <tasks> o WHERE o.task_id = r.task_id AND o.assignee_id IS NULL)
  ORDER BY r.task_id FOR UPDATE`;

const APPROX = `SELECT c.id, VECTOR_DISTANCE(c.embedding, :question, COSINE) AS distance
  FROM <chunks> c
  ORDER BY distance
  FETCH APPROX FIRST :k ROWS ONLY WITH TARGET ACCURACY 90`;
const EXPLAIN_APPROX = `EXPLAIN PLAN SET STATEMENT_ID = '<prefix>' FOR
  SELECT c.id FROM <chunks> c
  ORDER BY VECTOR_DISTANCE(c.embedding, TO_VECTOR('[5,1,-2,0,3,-1,4,2]', 8, FLOAT32), COSINE)
  FETCH APPROX FIRST 5 ROWS ONLY WITH TARGET ACCURACY 90`;
const QUESTION = Float32Array.of(5, 1, -2, 0, 3, -1, 4, 2);
const K = 5;

const END_READ_POLICY = `BEGIN
  DBMS_RLS.ENABLE_POLICY(
    object_schema => USER, object_name => '<chunks>', policy_name => '<chunks>_READ', enable => FALSE);
END;`;

const FIRST_ID = 1001;
/** So many that an index is worth its while. */
const ADDED = 500;
const REFUSED_BY_POLICY = 28115;

interface Part {
  holds: boolean;
  seen: string;
}

/** Array statements as the product commits them; each one that is refused is the end of its session. */
export async function writeMany(context: ProbeContext, actor: Actor): Promise<Part & { added: number }> {
  const write = async (sql: string, many: Binds[]) => {
    const session = await context.open();
    try {
      await session.run([actor.enter('system'), { kind: 'changes', sql, many }, { kind: 'commit' }, actor.leave]);
      return null;
    } catch (error) {
      return `refused (${refusalOf(error, session.signal)})`;
    } finally {
      await session.close();
    }
  };
  const inserted = await write(
    INSERT_MANY,
    Array.from({ length: ADDED }, (_, i) => rowOf(FIRST_ID + i)),
  );
  const updated = await write(UPDATE_JSON, [
    { id: FIRST_ID, metadata: '{"status":"done"}' },
    { id: FIRST_ID + 1, metadata: '{"status":"blocked"}' },
  ]);
  const session = await context.open();
  const [one, two, three] = [
    await readBack(session, actor, FIRST_ID),
    await readBack(session, actor, FIRST_ID + 1),
    await readBack(session, actor, FIRST_ID + 2),
  ];
  const isRight = one === 'done 8' && two === 'blocked 8' && three === 'todo 8';
  const refusal = await insertAsEmployee(session, actor);
  return {
    holds: isRight && oracleNumber(refusal) === REFUSED_BY_POLICY,
    seen:
      `an array INSERT with JSON and vectors: ${inserted ?? 'taken'}; an array UPDATE of the JSON: ${updated ?? 'taken'}; ` +
      `read back: ${isRight ? 'right' : `{${one}} {${two}} {${three}}`}; an employee's array INSERT ` +
      (refusal === null ? 'is not refused' : `is refused with ${refusalOf(refusal, session.signal)}`),
    added: inserted === null ? ADDED : 0,
  };
}

const rowOf = (id: number): Binds => ({
  id,
  owner_id: 7,
  content: `hidden passage ${id}`,
  embedding: Float32Array.from({ length: 8 }, (_, at) => ((id * 7 + at * at * 3) % 13) - 6),
  metadata: '{"status":"todo"}',
});

async function readBack(session: ProbeSession, actor: Actor, id: number): Promise<string> {
  const [, found] = await session.run([actor.enter('system'), query(READ_BACK, 1, { id }), actor.leave]);
  const row = found?.rows[0];
  return row === undefined ? '' : `${row.status} ${row.dimension}`;
}

async function insertAsEmployee(session: ProbeSession, actor: Actor): Promise<unknown> {
  await session.run([actor.enter('7')]);
  const refusal: unknown = await session.changes(INSERT_MANY, [rowOf(1), rowOf(2)]).then(
    () => null,
    (reason: unknown) => reason,
  );
  await session.rollback();
  await session.run([actor.leave]);
  return refusal;
}

/** Of the tasks, `wanted` alone has no chunk. */
export async function lockMissing(session: ProbeSession, actor: Actor, wanted: number): Promise<Part> {
  await session.run([actor.enter('system')]);
  const answer = await session.rows(LOCK_MISSING, { nobody: 0 }).then(
    (rows) => `brings {${rows.map(({ id }) => String(id)).join(' ')}}`,
    (error: unknown) => `is refused (${refusalOf(error, session.signal)})`,
  );
  await session.rollback();
  await session.run([actor.leave]);
  return {
    holds: answer === `brings {${wanted}}`,
    seen: `NOT EXISTS (…) ORDER BY … FOR UPDATE ${answer} (wanted {${wanted}})`,
  };
}

/** Last of all, since the read policy is off afterwards. */
export async function approximateSearch(session: ProbeSession, actor: Actor): Promise<Part> {
  const find = async (who: string) => {
    await session.run([actor.enter(who)]);
    const answer = await session.rows(APPROX, { question: QUESTION, k: K }).then(
      (rows) => rows.map(({ id }) => String(id)),
      (error: unknown) => refusalOf(error, session.signal),
    );
    await session.run([actor.leave]);
    return answer;
  };
  const system = await find('system');
  const employee = await find('7');
  const under = await planOf(session, EXPLAIN_APPROX);
  await session.block(END_READ_POLICY);
  const without = await planOf(session, EXPLAIN_APPROX);
  const told = (answer: string[] | string, of: (ids: string[]) => string) =>
    typeof answer === 'string' ? `a refusal (${answer})` : of(answer);
  return {
    // Fewer than there are is what APPROX may bring; another's is not.
    holds: Array.isArray(system) && Array.isArray(employee) && employee.every((id) => id === '1'),
    seen:
      `FETCH APPROX goes ${under} under the policy and ${without} without it (by a scan it is exact and slower, not ` +
      `wrong); it brings the system ${told(system, (ids) => `${ids.length} of ${K} rows`)}, employee 7 ` +
      told(employee, (ids) => `{${ids.join(' ')}} (wanted none but 1)`),
  };
}
