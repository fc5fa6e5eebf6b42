import { MAX_ID, parseId } from '../../functions/core/ids.ts';
import { WRITE_SCOPE } from '../../functions/routes.ts';
import { LOCAL_PEOPLE, readIssuerKey, signToken } from '../dev/token-issuer.ts';
import { UserError } from '../user-error.ts';

/** The subject that stands for a person: of one of the three ready-made ones, or an employee's id. */
function subjectOf(who: string): string {
  if (Object.hasOwn(LOCAL_PEOPLE, who)) return String(LOCAL_PEOPLE[who as keyof typeof LOCAL_PEOPLE]);
  if (parseId(who) !== null) return who;
  throw new UserError(
    `"${who}" is nobody: name manager, developer, admin, or an employee's id (a whole number from 1 to ${MAX_ID})`,
  );
}

/** A token of the data folder's own issuer; the manager's may write, others' only where the scope is named. */
export async function issueToken(dataFolder: string, who: string, scope?: string): Promise<string> {
  const subject = subjectOf(who);
  const key = await readIssuerKey(dataFolder);
  if (key === null) throw new UserError(`${dataFolder} has no issuer of tokens yet; run npm start on it first`);
  return signToken(key, subject, scope ?? (who === 'manager' ? WRITE_SCOPE : undefined));
}
