import { UserError } from '../user-error.ts';

/** What undoes the steps of a start, the last first. */
export type Undo = (() => Promise<void>)[];

/**
 * Runs a start until it stands or fails: a signal undoes it and ends the process, and so does a failure, which is told in
 * its own words.
 */
export async function launch(start: (undo: Undo) => Promise<void>): Promise<void> {
  const undo: Undo = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step().catch(() => {});
  };

  // The product goes on when nobody reads what it prints any more, as with `| head`.
  process.stdout.on('error', () => {});

  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, async () => {
      if (stopping) return;
      stopping = true;
      await stop();
      process.exit(0);
    });
  }

  try {
    await start(undo);
  } catch (error) {
    await stop();
    const { message } = error as Error;
    process.stderr.write(error instanceof UserError ? `${message}\n` : `oci-rag could not start: ${message}\n`);
    process.exit(1);
  }
}
