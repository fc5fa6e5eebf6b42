import type { Probe } from '../probe.ts';
import type { ProbeSession } from '../session.ts';
import { makeActor } from './actor.ts';
import { isWithoutPolicies, makePolicyFunction, POLICY_RIGHTS, refuseExempt } from './row-policy.ts';

const TABLE = 'CREATE TABLE <items> (id NUMBER PRIMARY KEY, owner_id NUMBER NOT NULL)';
const INSERT = 'INSERT INTO <items> (id, owner_id) VALUES (:id, :owner_id)';

const SCOPE = `CREATE FUNCTION <scope> (p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
BEGIN
  RETURN q'[TO_CHAR(owner_id) = <who>]';
END;`;

const ADD_POLICY = `BEGIN
  DBMS_RLS.ADD_POLICY(
    object_schema => USER, object_name => '<items>', policy_name => '<items>_READ',
    function_schema => USER, policy_function => '<scope>',
    statement_types => 'SELECT', policy_type => DBMS_RLS.STATIC);
END;`;

const READ = 'SELECT id FROM <items> ORDER BY id';

export const rowPolicies: Probe = {
  id: 'P8',
  question: 'Has the database row policies (DBMS_RLS), and do they bind the owner of the table?',
  needs: POLICY_RIGHTS,
  means: {
    holds: 'rights are kept by the database as well as by the statements',
    differs: 'bootstrap stops here: without row policies rights would rest on the functions alone',
    open: 'rights are kept by the database as well as by the statements',
  },
  async run(context) {
    const session = await context.open();
    await refuseExempt(context, session);
    const actor = await makeActor(context, session);
    await context.scratch.create(session, 'table', 'items', TABLE);
    await session.changes(INSERT, [
      { id: 1, owner_id: 7 },
      { id: 2, owner_id: 8 },
    ]);
    await session.commit();
    await makePolicyFunction(context, session, 'scope', SCOPE);
    try {
      await session.block(ADD_POLICY);
    } catch (error) {
      if (!isWithoutPolicies(error)) throw error;
      return { holds: false, seen: 'ORA-00439: the feature is not in this database' };
    }
    const nobody = await idsOf(session);
    await session.run([actor.enter('7')]);
    const seven = await idsOf(session);
    await session.run([actor.leave]);
    return {
      holds: nobody === '' && seven === '1',
      seen: `of the rows 1 and 2, nobody sees {${nobody}}, the owner of row 1 {${seven}} (by ${actor.by})`,
    };
  },
};

const idsOf = async (session: ProbeSession) => (await session.rows(READ)).map(({ id }) => String(id)).join(' ');
