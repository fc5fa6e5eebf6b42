import { join } from 'node:path';
import { documentPath, encodePath } from '../../../functions/core/documents/path.ts';
import { AppError } from '../../../functions/core/errors.ts';
import { UserError } from '../../user-error.ts';
import { type Api, ApiError } from '../api.ts';
import type { Place } from '../args.ts';
import { connect } from '../connect.ts';
import { createMeter } from '../import/progress.ts';
import { waitForQueue } from '../import/queue-wait.ts';
import { patienceWith, withRetries } from '../import/retry.ts';
import { count, say, seconds } from '../printing.ts';
import { type FolderJob, type FolderOptions, readOptions } from './options.ts';
import { type FolderFile, sendFile } from './send.ts';
import { readStored, type StoredDocument } from './stored.ts';
import { type Walk, walk } from './walk.ts';

const AT_A_TIME = 4;
const SHOWN = 20;

interface Refusal {
  path: string;
  reason: string;
}

interface Sending {
  written: number;
  unchanged: number;
  refused: Refusal[];
}

/** Writes the files of a folder as documents. Resolves to 1 where some were refused or could not be indexed. */
export async function importFolder(folder: string, options: FolderOptions, place: Place): Promise<number> {
  const startedAt = performance.now();
  const job = readOptions(folder, options);
  const found = await walk(folder);
  if (found.files.length === 0) {
    if (job.prune) throw new UserError(`${folder} has no files; nothing is pruned, since that would remove everything`);
    say(`${folder} has no files; there is nothing to do`);
    return 0;
  }
  const { files, refused } = nameFiles(folder, job.prefix, found.files);
  const api = await connect(place, undefined);
  const stored = await readStored(api, patienceWith(say), job.prefix);
  say(`Importing ${count(found.files.length, 'file')} of ${folder} as ${job.prefix}…${passedOver(found)}`);
  const sending: Sending = { written: 0, unchanged: 0, refused };
  await interruptible(() => sendAll(api, job, files, stored, sending));
  const here = new Set([...files.map(({ path }) => path), ...refused.map(({ path }) => path)]);
  const pruned = job.prune
    ? await prune(
        api,
        [...stored.keys()].filter((path) => !here.has(path)),
      )
    : 0;
  await waitForQueue(api, patienceWith(say));
  const failed = await sayStates(api, job.prefix, here);
  const also = job.prune ? `, ${pruned} removed` : '';
  say(
    `${sending.written} written, ${sending.unchanged} unchanged, ${refused.length} refused${also} in ${seconds(performance.now() - startedAt)}`,
  );
  sayRefusals(refused);
  return refused.length + failed > 0 ? 1 : 0;
}

/** The path of each file's document. Names that cannot be part of one, and two files of one path, are refused. */
function nameFiles(folder: string, prefix: string, names: string[]): { files: FolderFile[]; refused: Refusal[] } {
  const files: FolderFile[] = [];
  const refused: Refusal[] = [];
  const taken = new Set<string>();
  for (const name of names) {
    try {
      const path = documentPath(prefix + name);
      if (taken.has(path)) throw new UserError('another file has the same name in composed form (NFC)');
      taken.add(path);
      files.push({ file: join(folder, name), path });
    } catch (error) {
      if (!(error instanceof AppError || error instanceof UserError)) throw error;
      refused.push({ path: prefix + name, reason: error.message.replace(/^path: /, 'its path ') });
    }
  }
  return { files, refused };
}

/** What is done stays done when somebody stops it: the same command finds it and goes on. */
async function interruptible(work: () => Promise<void>): Promise<void> {
  const stop = () => {
    say('\nStopped. The same command goes on from here.');
    process.exit(130);
  };
  process.once('SIGINT', stop);
  try {
    await work();
  } finally {
    process.removeListener('SIGINT', stop);
  }
}

async function sendAll(
  api: Api,
  job: FolderJob,
  files: FolderFile[],
  stored: Map<string, StoredDocument>,
  sending: Sending,
): Promise<void> {
  const meter = createMeter('writing', files.length);
  const patience = patienceWith(meter.note);
  const left = files[Symbol.iterator]();
  let done = 0;
  const work = async () => {
    for (const file of left) {
      const sent = await sendFile(api, patience, job, file, stored.get(file.path));
      if (sent.outcome === 'refused') sending.refused.push({ path: file.path, reason: sent.reason });
      else sending[sent.outcome]++;
      done++;
      meter.update(done, `${sending.written} written, ${sending.refused.length} refused`);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(
      `${error.message}\n${done} of ${count(files.length, 'file')} are done; the same command goes on from there`,
    );
  } finally {
    meter.stop();
  }
}

/** Removes documents whose file has gone from the folder, after it has said which. */
async function prune(api: Api, paths: string[]): Promise<number> {
  if (paths.length === 0) return 0;
  say(`Removing ${count(paths.length, 'document')} whose file is no longer in the folder`);
  sayList(paths);
  for (const path of paths) {
    await withRetries(patienceWith(say), () => api.call('DELETE', `/v1/documents/${encodePath(path)}`)).catch(
      (error: unknown) => {
        // Somebody else has removed it, or an attempt of ours whose answer was lost.
        if (!(error instanceof ApiError) || error.status !== 404) throw error;
      },
    );
  }
  return paths.length;
}

/** Says what cannot be asked about and why; how many failed. */
async function sayStates(api: Api, prefix: string, here: Set<string>): Promise<number> {
  const documents = [...(await readStored(api, patienceWith(say), prefix)).values()].filter(({ path }) =>
    here.has(path),
  );
  const of = (state: StoredDocument['state']) => documents.filter((document) => document.state === state);
  const told = (
    [
      ['empty', 'Without text'],
      ['failed', 'Not indexed'],
    ] as const
  ).map(([state, title]) => {
    const some = of(state);
    if (some.length > 0) say(`${title}: ${count(some.length, 'document')}`);
    sayList(some.map(({ path, reason }) => `${path}: ${reason ?? 'there is no text in it'}`));
    return some.length;
  });
  say(`${of('ready').length} of ${count(documents.length, 'document')} can be asked about`);
  return told[1] ?? 0;
}

function passedOver({ hidden, links, others }: Walk): string {
  const what = [
    hidden === 0 ? null : `${hidden} hidden`,
    links === 0 ? null : count(links, 'symbolic link'),
    others === 0 ? null : `${others} of node_modules or of no kind of file`,
  ].filter((text) => text !== null);
  return what.length === 0 ? '' : ` (passed over: ${what.join(', ')})`;
}

const sayRefusals = (refused: Refusal[]) => sayList(refused.map(({ path, reason }) => `refused ${path}: ${reason}`));

function sayList(lines: string[]): void {
  for (const line of lines.slice(0, SHOWN)) say(`  ${line}`);
  if (lines.length > SHOWN) say(`  … and ${lines.length - SHOWN} more`);
}
