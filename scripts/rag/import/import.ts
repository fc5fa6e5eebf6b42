import { basename, extname, join } from 'node:path';
import { UserError } from '../../user-error.ts';
import type { Api } from '../api.ts';
import type { Place } from '../args.ts';
import { connect } from '../connect.ts';
import { count, say, seconds } from '../printing.ts';
import { Checkpoint, importsFolder, type Progress } from './checkpoint.ts';
import { readCsv } from './csv.ts';
import { ErrorFile } from './error-file.ts';
import { type Item, inBatches, skip } from './items.ts';
import { type Mapping, parseMapping } from './mapping.ts';
import { readNdjson } from './ndjson.ts';
import { createMeter } from './progress.ts';
import { waitForQueue } from './queue-wait.ts';
import { patienceWith } from './retry.ts';
import { sendBatch } from './send.ts';
import { countRecords, digestOf } from './survey.ts';

const BATCH = { maxItems: 200, maxBytes: 4_000_000 };
const FAILURES_SHOWN = 20;

/** What is imported, and as what. */
interface Job {
  path: string;
  /** Null for NDJSON, whose lines say everything themselves. */
  mapping: Mapping | null;
  restart: boolean;
  place: Place;
}

/** What the command line says of a file of records. */
export interface FileOptions {
  type?: string | undefined;
  map?: string[] | undefined;
  set?: string[] | undefined;
  format?: string | undefined;
  restart?: boolean | undefined;
}

/** Writes the records of a file. Resolves to 1 where some were refused. */
export async function importFile(path: string, options: FileOptions, place: Place): Promise<number> {
  const startedAt = performance.now();
  const job = readJob(path, options, place);
  const read = (): AsyncIterable<Item> =>
    job.mapping === null ? readNdjson(job.path) : readCsv(job.path, job.mapping);
  const api = await connect(job.place, undefined);
  const [digest, total] = await Promise.all([digestOf(job.path), countRecords(read())]);
  if (total === 0) {
    say(`${basename(job.path)} has no records; there is nothing to do`);
    return 0;
  }
  const folder = await importsFolder(job.place.data);
  const checkpoint = new Checkpoint(folder, digest);
  const settings = JSON.stringify([job.mapping, job.place.url]);
  const before = job.restart ? null : await checkpoint.unfinished(settings);
  const errors = await ErrorFile.open(
    join(folder, `${basename(job.path)}-errors.ndjson`),
    before?.errorBytes ?? 0,
    FAILURES_SHOWN,
  );
  const progress: Progress = before ?? { settings, done: 0, accepted: 0, failed: 0, errorBytes: 0, finished: false };
  if (before !== null) say(`Going on after the ${count(before.done, 'record')} that an earlier run has written`);
  else say(`Importing ${count(total, 'record')} of ${basename(job.path)}`);

  await sendAll({ api, items: read(), total, progress, checkpoint, errors });
  try {
    await waitForQueue(api, patienceWith(say));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(`${error.message}\n${summary(progress)}; the server indexes what was accepted when it is back`);
  }
  say(`${summary(progress)} in ${seconds(performance.now() - startedAt)}`);
  if (progress.failed === 0) return 0;
  printFailures(progress.failed, errors);
  return 1;
}

interface Sending {
  api: Api;
  items: AsyncIterable<Item>;
  total: number;
  /** Changed as the sending goes on. */
  progress: Progress;
  checkpoint: Checkpoint;
  errors: ErrorFile;
}

/** Sends what is not done yet; after each batch, what is done is kept. */
async function sendAll({ api, items, total, progress, checkpoint, errors }: Sending): Promise<void> {
  const meter = createMeter('writing', total);
  const stopMeter = () => {
    meter.stop();
    say('Stopped. The same command goes on from here.');
    process.exit(130);
  };
  process.once('SIGINT', stopMeter);
  const patience = patienceWith(meter.note);
  // The batch after a checkpoint may have been written by the process that did not live to note it.
  let sentBefore = progress.done > 0;
  try {
    for await (const batch of inBatches(skip(items, progress.done), BATCH)) {
      const failures = await sendBatch(api, patience, batch, sentBefore);
      sentBefore = false;
      await errors.append(failures);
      progress.done += batch.length;
      progress.failed += failures.length;
      progress.accepted += batch.length - failures.length;
      progress.errorBytes = errors.bytes;
      await checkpoint.save(progress);
      meter.update(progress.done, `${progress.accepted} accepted, ${progress.failed} failed`);
    }
  } catch (error) {
    meter.stop();
    if (!(error instanceof UserError)) throw error;
    throw new UserError(
      `${error.message}\n${progress.done} of ${count(total, 'record')} are done; the same command goes on from there`,
    );
  }
  meter.stop();
  process.removeListener('SIGINT', stopMeter);
  progress.finished = true;
  await checkpoint.save(progress);
}

const summary = ({ accepted, failed }: Progress) => `${accepted} accepted, ${failed} failed`;

function printFailures(failed: number, errors: ErrorFile): void {
  say('');
  for (const { line, detail, errors: faults } of errors.first) {
    const told = faults?.map(({ field, fault }) => `${field.replace(/^data\./, '')}: ${fault}`).join('; ') ?? detail;
    say(`  line ${line}  ${told}`);
  }
  if (failed > errors.first.length) say(`  … and ${failed - errors.first.length} more`);
  say(`All of them: ${errors.path}`);
}

function readJob(path: string, { type, map, set, format, restart = false }: FileOptions, place: Place): Job {
  const isCsv = formatOf(path, format) === 'csv';
  if (!isCsv && (type ?? map ?? set) !== undefined) {
    throw new UserError('--type, --map and --set are for CSV; the lines of NDJSON say these things themselves');
  }
  const mapping = { ...(type && { type }), ...(map && { map }), ...(set && { set }) };
  return { path, mapping: isCsv ? parseMapping(mapping) : null, restart, place };
}

function formatOf(path: string, format: string | undefined): 'csv' | 'ndjson' {
  if (format === 'csv' || format === 'ndjson') return format;
  if (format !== undefined) throw new UserError(`--format must be csv or ndjson, got ${format}`);
  const extension = extname(path).toLowerCase();
  if (extension === '.csv') return 'csv';
  if (extension === '.ndjson' || extension === '.jsonl') return 'ndjson';
  throw new UserError(`${basename(path)} is neither .csv nor .ndjson; say which with --format`);
}
