import { UserError } from '../user-error.ts';

/** Runs a command to its end; what it cannot do is told in a line, and `what` says of which work. */
export async function runCommand(main: (args: string[]) => Promise<void>, what: string): Promise<void> {
  // The work goes on when nobody reads what it prints any more, as with `| head`.
  process.stdout.on('error', () => {});
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    const { message } = error as Error;
    process.stderr.write(error instanceof UserError ? `${message}\n` : `${what}: ${message}\n`);
    process.exitCode = 1;
  }
}
