// npm run eval: how well the search ranks, what it lets through, and what comes of the sample's questions.
import { writeFileSync } from 'node:fs';
import { UserError } from '../user-error.ts';
import { readEvalArgs, USAGE } from './args.ts';
import { Workshop } from './embedded.ts';
import { reportOf } from './report.ts';
import { runEval } from './run.ts';
import { localSettings } from './settings.ts';

const started = performance.now();

/** One line that is written over where somebody looks at it, else a line for each thing that is begun. */
function tell(progress: string): void {
  const seconds = Math.round((performance.now() - started) / 1000);
  const line = `${String(seconds).padStart(4)} s  ${progress}`;
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
}

async function run(args: string[]): Promise<number> {
  const options = readEvalArgs(args);
  if (options === null) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const result = await Workshop.run((workshop) => runEval(workshop, options, localSettings(), tell));
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  const json = `${JSON.stringify(result, null, 2)}\n`;
  if (options.json === null) process.stdout.write(json);
  else {
    writeFileSync(options.json, json);
    process.stdout.write(`${reportOf(result)}\n\nEverything is in ${options.json}\n`);
  }
  return 0;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
