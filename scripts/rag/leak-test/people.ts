import { readFile } from 'node:fs/promises';
import { parseId } from '../../../functions/core/ids.ts';
import { LOCAL_PEOPLE } from '../../dev/token-issuer.ts';
import { UserError } from '../../user-error.ts';
import type { Place } from '../args.ts';
import { issueToken } from '../who.ts';
import { type Exchange, fieldOf } from './exchange.ts';

/** Somebody who asks. */
export interface Person {
  employeeId: number;
  token: string;
  /** Managers and admins: what they see proves that the records can be found. */
  seesEverything: boolean;
}

/** The lines `employeeId token` of a file; blank ones and those that begin with # count for nothing. */
export async function readTokens(path: string): Promise<{ employeeId: number; token: string }[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new UserError(`--tokens: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const people = text.split('\n').flatMap((line, i) => {
    if (/^\s*(#|$)/.test(line)) return [];
    const [id = '', token = '', ...rest] = line.trim().split(/\s+/);
    const employeeId = parseId(id);
    if (employeeId === null || !/^[\x21-\x7e]+$/.test(token) || rest.length > 0) {
      throw new UserError(`--tokens: line ${i + 1} of ${path} must be an employee's id, a blank and a token`);
    }
    return [{ employeeId, token }];
  });
  const ids = people.map(({ employeeId }) => employeeId);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw new UserError(`--tokens: ${path} names employee ${twice} twice`);
  return people;
}

/** Tokens of the data folder's own issuer: for people that the test writes, and for the manager and the admin. */
export async function issueTokens(
  place: Place,
  writtenIds: number[],
): Promise<{ employeeId: number; token: string }[]> {
  const ids = [...writtenIds, LOCAL_PEOPLE.manager, LOCAL_PEOPLE.admin];
  return Promise.all(ids.map(async (id) => ({ employeeId: id, token: await issueToken(place.data, String(id)) })));
}

/** Whose tokens they are, as the server knows them. */
export async function identify(exchange: Exchange, tokens: { employeeId: number; token: string }[]): Promise<Person[]> {
  return Promise.all(
    tokens.map(async ({ employeeId, token }) => {
      const own = await exchange.send(token, { method: 'GET', path: `/v1/employees/${employeeId}` });
      const gaps = await exchange.send(token, { method: 'GET', path: '/v1/gaps?days=1' });
      // A developer reads the own record alone; that of a developer is read by who sees everything, too.
      const seesEverything = gaps.status === 200;
      if (own.status !== 200 || seesEverything !== (fieldOf(own.json, 'role') !== 'developer')) {
        throw new UserError(
          `The token given for employee ${employeeId} is not theirs, or not valid (HTTP ${own.status})`,
        );
      }
      return { employeeId, token, seesEverything };
    }),
  );
}
