// npm start: the whole product on this machine.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LineLog } from '../../functions/adapters/local/line-log.ts';
import { WRITE_SCOPE } from '../../functions/routes.ts';
import type { BulkResult } from '../../functions/shapes.ts';
import { UserError } from '../user-error.ts';
import { welcome } from './banner.ts';
import { claimDataFolder, type DataFolder } from './data-folder.ts';
import { peopleAlone, readSampleRecords } from './first-records.ts';
import { Gateway } from './gateway.ts';
import { checkSettings, type LocalStack, runBootstrap, startStack } from './stack.ts';
import { LOCAL_PEOPLE, signToken } from './token-issuer.ts';

const USAGE = `usage: npm start -- [--port N] [--data DIR] [--reset] [--empty] [--reembed]
  --port N     listen on 127.0.0.1:N (default 8080; 0 takes any free port)
  --data DIR   where everything is kept (default .data)
  --reset      begin anew: what the data folder holds is removed
  --empty      begin without the sample team's records
  --reembed    embed anew what another embedding model has embedded`;

const REQUESTS_PER_SECOND = 500;

interface Options {
  port: number;
  data: string;
  reset: boolean;
  empty: boolean;
  reembed: boolean;
}

function readOptions(args: string[]): Options {
  try {
    const { values } = parseArgs({
      args,
      options: {
        port: { type: 'string', default: '8080' },
        data: { type: 'string', default: '.data' },
        reset: { type: 'boolean', default: false },
        empty: { type: 'boolean', default: false },
        reembed: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      process.stdout.write(`${USAGE}\n`);
      process.exit(0);
    }
    if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65535) {
      throw new UserError(`--port must be a whole number from 0 to 65535, got ${values.port}`);
    }
    if (values.data === '') throw new UserError('--data must name a folder');
    return { ...values, port: Number(values.port), data: resolve(values.data) };
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${(error as Error).message}\n${USAGE}`);
  }
}

const started = performance.now();
const say = (line: string) => process.stdout.write(`${line}\n`);
const undo: (() => Promise<void>)[] = [];

async function stop(): Promise<void> {
  for (const step of undo.splice(0).reverse()) await step().catch(() => {});
}

async function run(options: Options): Promise<void> {
  const gateway = new Gateway({
    requestsPerSecond: REQUESTS_PER_SECOND,
    log: (callId) => new LineLog(callId, process.stderr),
  });
  const port = await gateway.listen(options.port).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') throw new UserError(`Port ${options.port} is in use; name another with --port`);
    throw new UserError(`Port ${options.port} cannot be listened on: ${error.code}`);
  });
  undo.push(() => gateway.close());
  const settings = overrides();
  checkSettings(settings);
  const data = await claimDataFolder(options.data, options.reset);
  undo.push(() => data.release());
  await data.noteUrl(`http://127.0.0.1:${port}`);

  const instance = (await data.readInstance()) ?? { records: 'pending' as const };
  if (instance.records === 'pending') say('Making a new database …');
  await data.writeInstance(instance);
  const stack = await startStack(data, settings);
  undo.push(() => stack.close());
  await runBootstrap(stack, options.reembed);
  if (instance.records === 'pending') await loadFirstRecords(stack, data, options.empty);
  say('Embedding what is new …');
  if (!(await stack.control.drain())) say(`Not everything is embedded yet; see ${data.logPath}`);
  stack.control.startSchedule();
  gateway.serve(stack);

  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(
    welcome({
      url: `http://127.0.0.1:${port}`,
      seconds,
      data,
      hasSample: (await data.readInstance())?.records === 'sample',
      manager: await signToken(stack.key, String(LOCAL_PEOPLE.manager), WRITE_SCOPE),
      developer: await signToken(stack.key, String(LOCAL_PEOPLE.developer)),
    }),
  );
}

/** Settings from the environment go before the local defaults; RAG_TOKEN is the command line's. */
function overrides(): Record<string, string> {
  const isSetting = (entry: [string, string | undefined]): entry is [string, string] =>
    entry[0].startsWith('RAG_') && entry[0] !== 'RAG_TOKEN' && entry[1] !== undefined;
  return Object.fromEntries(Object.entries(process.env).filter(isSetting));
}

/** Writes the sample through ingest, as anybody would; begins again where an earlier start was cut off. */
async function loadFirstRecords(stack: LocalStack, data: DataFolder, empty: boolean): Promise<void> {
  say(empty ? 'Writing the three people of the ready-made tokens …' : 'Writing the sample records …');
  const response = await stack.host.invoke('ingest', {
    callId: 'first-records',
    headers: {
      'Fn-Intent': 'httprequest',
      'Fn-Http-Method': 'POST',
      'Fn-Http-Request-Url': '/v1/records',
      'Fn-Http-H-Authorization': `Bearer ${await signToken(stack.key, String(LOCAL_PEOPLE.manager), WRITE_SCOPE)}`,
    },
    body: empty ? peopleAlone() : await readSampleRecords(),
  });
  const result = JSON.parse(response.body.toString('utf8')) as BulkResult & { detail?: string };
  if (result.results === undefined) throw new Error(`the first records were refused: ${result.detail}`);
  const [bad] = result.results.filter((line) => line.status !== 202);
  if (bad !== undefined) throw new Error(`the sample's line ${bad.line} was refused: ${bad.error?.detail}`);
  await data.writeInstance({ records: empty ? 'none' : 'sample' });
}

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
  await run(readOptions(process.argv.slice(2)));
} catch (error) {
  await stop();
  const { message } = error as Error;
  process.stderr.write(error instanceof UserError ? `${message}\n` : `oci-rag could not start: ${message}\n`);
  process.exit(1);
}
