import { UserError } from '../../user-error.ts';
import type { Check, CheckContext } from './check.ts';
import { connection } from './connection.ts';
import { nodeVersion } from './node-version.ts';
import { settings } from './settings.ts';

/** In this order; each rests on those before it. */
const CHECKS: Check[] = [nodeVersion, settings, connection];

/** Prints a line for each check until one fails. True where none did. */
export async function runChecks(context: CheckContext, say: (line: string) => void): Promise<boolean> {
  for (const { name, run } of CHECKS) {
    try {
      say(`ok      ${name}: ${await run(context)}`);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      for (const line of error.message.split('\n')) say(`not ok  ${name}: ${line}`);
      return false;
    }
  }
  return true;
}
