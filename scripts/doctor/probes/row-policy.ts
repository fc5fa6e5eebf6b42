import { oracleNumber } from '../../../functions/adapters/oracle/errors.ts';
import type { ProbeContext } from '../context.ts';
import { NotTried } from '../finding.ts';
import type { ProbeSession } from '../session.ts';

/** The rights that a row policy needs. */
export const POLICY_RIGHTS =
  'CREATE TABLE, CREATE PROCEDURE, EXECUTE on SYS.DBMS_RLS (by itself or by DB_DEVELOPER_ROLE), where the version has ' +
  'it ADMINISTER ROW LEVEL SECURITY POLICY; no EXEMPT ACCESS POLICY';

const NO_SUCH_FEATURE = 439;

const COMPILE_FAULTS = 'SELECT text FROM user_errors WHERE name = :name ORDER BY sequence';

/** Makes the function of a policy; a fault in it is an error here, which the database tells as a warning alone. */
export async function makePolicyFunction(
  { scratch, names }: ProbeContext,
  session: ProbeSession,
  label: string,
  sql: string,
): Promise<void> {
  await scratch.create(session, 'function', label, sql);
  const faults = await session.rows(COMPILE_FAULTS, { name: names.fill(`<${label}>`) });
  if (faults.length > 0) throw new Error(`the policy function does not compile: ${String(faults[0]?.text)}`);
}

/** Whoever is exempt from policies sees every row whatever they say. */
export async function refuseExempt(context: ProbeContext, session: ProbeSession): Promise<void> {
  if ((await context.privileges(session)).has('EXEMPT ACCESS POLICY')) {
    throw new NotTried('this login has EXEMPT ACCESS POLICY, so that no policy binds it; run the probe as the owner');
  }
}

export const isWithoutPolicies = (error: unknown): boolean => oracleNumber(error) === NO_SUCH_FEATURE;
