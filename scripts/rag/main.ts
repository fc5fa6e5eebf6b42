// npm run rag: asks, imports and looks after an instance from the command line.
import { UserError } from '../user-error.ts';
import { ask } from './ask.ts';
import { calibrateCommand } from './calibrate/calibrate.ts';
import { explain } from './explain.ts';
import { reconcile, reindex } from './folder/chores.ts';
import { gaps } from './gaps.ts';
import { importCommand } from './import/command.ts';
import { leakTest } from './leak-test/leak-test.ts';
import { printable } from './printing.ts';
import { requeue, status } from './status.ts';
import { token } from './token.ts';
import { USAGE } from './usage.ts';

/** Each takes its arguments and resolves to the exit code; what a person can mend is a UserError. */
const COMMANDS: Record<string, (args: string[]) => Promise<number>> = {
  ask,
  calibrate: calibrateCommand,
  explain,
  gaps,
  import: importCommand,
  'leak-test': leakTest,
  reconcile,
  reindex,
  requeue,
  status,
  token,
};

async function run([name, ...args]: string[]): Promise<number> {
  const asksForHelp = (arg: string | undefined) => arg === '--help' || arg === '-h';
  if (asksForHelp(name) || name === 'help' || args.slice(0, ending(args)).some(asksForHelp)) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    process.stderr.write(
      `${name === undefined ? 'Name a command' : `There is no command "${printable(name)}"`}\n\n${USAGE}\n`,
    );
    return 2;
  }
  return command(args);
}

/** Behind `--` nothing is an option any more. */
function ending(args: string[]): number {
  const at = args.indexOf('--');
  return at === -1 ? args.length : at;
}

// Whoever reads has read enough, as `| head` has.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  process.stderr.write(`${printable(error.message)}\n`);
  process.exitCode = 1;
}
