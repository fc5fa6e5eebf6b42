import { StartError } from '../dev/data-folder.ts';
import { readArgs } from './args.ts';
import { issueToken, WRITE_SCOPE } from './who.ts';

/** Prints a token and nothing else, so that a shell can take it with $(…). */
export async function token(args: string[]): Promise<number> {
  const { positionals, values, place } = readArgs(args, ['WHO'], { scope: { type: 'string' } });
  if (values.scope !== undefined && values.scope !== WRITE_SCOPE) {
    throw new StartError(`--scope can only be ${WRITE_SCOPE}, got ${values.scope}`);
  }
  process.stdout.write(`${await issueToken(place.data, positionals[0] ?? '', values.scope)}\n`);
  return 0;
}
