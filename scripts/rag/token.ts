import { WRITE_SCOPE } from '../../functions/routes.ts';
import { UserError } from '../user-error.ts';
import { readArgs } from './args.ts';
import { issueToken } from './who.ts';

/** Prints a token and nothing else, so that a shell can take it with $(…). */
export async function token(args: string[]): Promise<number> {
  const { positionals, values, place } = readArgs(args, ['WHO'], { scope: { type: 'string' } });
  if (values.scope !== undefined && values.scope !== WRITE_SCOPE) {
    throw new UserError(`--scope can only be ${WRITE_SCOPE}, got ${values.scope}`);
  }
  process.stdout.write(`${await issueToken(place.data, positionals[0] ?? '', values.scope)}\n`);
  return 0;
}
