import { setTimeout as delay } from 'node:timers/promises';
import { LineLog } from '../../functions/adapters/local/line-log.ts';
import { WRITE_SCOPE } from '../../functions/routes.ts';
import type { BulkResult } from '../../functions/shapes.ts';
import { UserError } from '../user-error.ts';
import { welcome } from './banner.ts';
import { readCalibration } from './calibration-file.ts';
import { claimDataFolder, type DataFolder } from './data-folder.ts';
import { type FileCall, sampleFiles } from './first-files.ts';
import { peopleAlone, readSampleRecords } from './first-records.ts';
import { Gateway } from './gateway.ts';
import type { Undo } from './launch.ts';
import { LOCAL_MODEL } from './local-model.ts';
import type { InstanceOptions } from './options.ts';
import { checkSettings, type LocalStack, runBootstrap, startStack } from './stack.ts';
import { LOCAL_PEOPLE, signToken } from './token-issuer.ts';

/** A database that is not in the data folder, but elsewhere on this machine. */
interface OwnDatabase {
  /** Makes it ready, when nothing else can be wrong any more; with `reset`, without what it holds. */
  prepare(reset: boolean): Promise<void>;
  /** Where it says more about a failure. */
  log: string;
  /** For the welcome. */
  about: string;
}

const REQUESTS_PER_SECOND = 500;
/** A start waits so long for what is not embedded yet: a large import may take minutes. */
const EMBEDDING_PATIENCE_MS = 30_000;
const started = performance.now();
const say = (line: string) => process.stdout.write(`${line}\n`);

/** Runs the whole product on a data folder, with settings that go before the local ones, until it is undone. */
export async function runInstance(
  options: InstanceOptions,
  settings: Record<string, string>,
  undo: Undo,
  own?: OwnDatabase,
): Promise<void> {
  const gateway = new Gateway({
    requestsPerSecond: REQUESTS_PER_SECOND,
    log: (callId) => new LineLog(callId, process.stderr),
  });
  const port = await gateway.listen(options.port).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') throw new UserError(`Port ${options.port} is in use; name another with --port`);
    throw new UserError(`Port ${options.port} cannot be listened on: ${error.code}`);
  });
  undo.push(() => gateway.close());
  checkSettings(settings);
  const data = await claimDataFolder(options.data, options.reset);
  undo.push(() => data.release());
  await data.noteUrl(`http://127.0.0.1:${port}`);

  await own?.prepare(options.reset);
  const instance = (await data.readInstance()) ?? { records: 'pending' as const };
  if (instance.records === 'pending') say('Making a new database …');
  await data.writeInstance(instance);
  const calibrated = await readCalibration(data.path, settings.RAG_EMBEDDING_MODEL ?? LOCAL_MODEL.name);
  if (calibrated.note !== null) say(calibrated.note);
  // Whoever sets something means it.
  const stack = await startStack(data, { ...calibrated.settings, ...settings });
  undo.push(() => stack.close());
  await runBootstrap(stack, options.reembed).catch((error: Error) => {
    throw own === undefined ? error : new UserError(`${error.message} (more in ${data.logPath} and ${own.log})`);
  });
  if (instance.records === 'pending') await loadFirstRecords(stack, data, options.empty);
  say('Embedding what is new …');
  const isAllEmbedded = await Promise.race([stack.control.drain(), delay(EMBEDDING_PATIENCE_MS, null, { ref: false })]);
  if (isAllEmbedded === false) say(`Not everything is embedded yet; see ${data.logPath}`);
  if (isAllEmbedded === null) say('That takes longer; until it is done, answers come from what is there');
  stack.control.startSchedule();
  gateway.serve(stack);

  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(
    welcome({
      url: `http://127.0.0.1:${port}`,
      seconds,
      data,
      database: own?.about ?? null,
      hasSample: (await data.readInstance())?.records === 'sample',
      manager: await signToken(stack.key, String(LOCAL_PEOPLE.manager), WRITE_SCOPE),
      developer: await signToken(stack.key, String(LOCAL_PEOPLE.developer)),
    }),
  );
}

/** The settings of an environment; RAG_TOKEN is the command line's. */
export function settingsOf(env: Record<string, string | undefined>): Record<string, string> {
  const isSetting = (entry: [string, string | undefined]): entry is [string, string] =>
    entry[0].startsWith('RAG_') && entry[0] !== 'RAG_TOKEN' && entry[1] !== undefined;
  return Object.fromEntries(Object.entries(env).filter(isSetting));
}

/** Writes the sample through ingest, as anybody would; begins again where an earlier start was cut off. */
async function loadFirstRecords(stack: LocalStack, data: DataFolder, empty: boolean): Promise<void> {
  say(empty ? 'Writing the three people of the ready-made tokens …' : 'Writing the sample records and files …');
  const token = await signToken(stack.key, String(LOCAL_PEOPLE.manager), WRITE_SCOPE);
  const call = async (method: string, { path, contentType, body }: FileCall) => {
    const response = await stack.host.invoke('ingest', {
      callId: 'first-records',
      headers: {
        'Fn-Intent': 'httprequest',
        'Fn-Http-Method': method,
        'Fn-Http-Request-Url': path,
        'Fn-Http-H-Authorization': `Bearer ${token}`,
        'Fn-Http-H-Content-Type': contentType,
        'Content-Type': contentType,
      },
      body,
    });
    const reply = JSON.parse(response.body.toString('utf8')) as { detail?: string } & Partial<BulkResult>;
    if (reply.detail !== undefined) throw new Error(`the first records were refused: ${path}: ${reply.detail}`);
    return reply;
  };
  const { results = [] } = await call('POST', {
    path: '/v1/records',
    contentType: 'application/x-ndjson',
    body: empty ? peopleAlone() : await readSampleRecords(),
  });
  const [bad] = results.filter((line) => line.status !== 202);
  if (bad !== undefined) throw new Error(`the sample's line ${bad.line} was refused: ${bad.error?.detail}`);
  for (const file of empty ? [] : await sampleFiles()) await call('PUT', file);
  await data.writeInstance({ records: empty ? 'none' : 'sample' });
}
