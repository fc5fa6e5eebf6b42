import type { DiagnosticList, ReconcileReport, ReindexReport } from '../../../functions/file-shapes.ts';
import { UserError } from '../../user-error.ts';
import type { Api } from '../api.ts';
import { readArgs } from '../args.ts';
import { connect } from '../connect.ts';
import { createMeter } from '../import/progress.ts';
import { waitForQueue } from '../import/queue-wait.ts';
import { patienceWith, withRetries } from '../import/retry.ts';
import { count, say } from '../printing.ts';
import { readStored } from './stored.ts';

const TYPES = ['document', 'diagnostic'] as const;
type FileType = (typeof TYPES)[number];

/** So many files are read again by one call. */
const AT_ONCE = 20;

/** Reads stored files again and waits until what is in them can be asked about. Resolves to 1 where some cannot be read. */
export async function reindex(args: string[]): Promise<number> {
  const { values, place } = readArgs(args, [], {
    type: { type: 'string' },
    prefix: { type: 'string' },
    after: { type: 'string' },
  });
  const { type, prefix = '', after = '' } = values;
  const types = TYPES.filter((known) => type === undefined || type === known);
  if (types.length === 0) throw new UserError(`--type must be document or diagnostic, got ${type}`);
  if (after !== '' && types.length > 1) throw new UserError('--after needs --type, which says what it is behind');
  const api = await connect(place, undefined);
  let failed = 0;
  for (const each of types) failed += await reindexAll(api, each, prefix, after);
  await waitForQueue(api, patienceWith(say));
  return failed > 0 ? 1 : 0;
}

async function reindexAll(api: Api, type: FileType, prefix: string, begin: string): Promise<number> {
  const names = await namesOf(api, type, prefix);
  const total = names.filter((name) => name > begin).length;
  if (total === 0) return 0;
  const meter = createMeter(`reading ${type}s`, total);
  const patience = patienceWith(meter.note);
  const failed: ReindexReport['failed'] = [];
  let done = 0;
  let after: string | null = begin;
  const goOn = () =>
    after === null || after === '' ? '' : `; go on with --type ${type} --after ${JSON.stringify(after)}`;
  const stop = () => {
    say(`\nStopped${goOn()}`);
    process.exit(130);
  };
  process.once('SIGINT', stop);
  try {
    while (after !== null) {
      const body: object = { type, prefix, after, limit: AT_ONCE };
      const report: ReindexReport = await withRetries(patience, () =>
        api.call<ReindexReport>('POST', '/v1/reindex', body),
      );
      done += report.done;
      failed.push(...report.failed);
      after = report.next;
      meter.update(done + failed.length, `${failed.length} failed`);
    }
  } catch (error) {
    throw error instanceof UserError ? new UserError(`${error.message}${goOn()}`) : error;
  } finally {
    process.removeListener('SIGINT', stop);
    meter.stop();
  }
  say(`${count(done, type)} read again, ${failed.length} could not be`);
  for (const { id, reason } of failed) say(`  ${id}: ${reason}`);
  return failed.length;
}

async function namesOf(api: Api, type: FileType, prefix: string): Promise<string[]> {
  if (type === 'document') return [...(await readStored(api, patienceWith(say), prefix)).keys()];
  const names: string[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const query: URLSearchParams = new URLSearchParams({ after, limit: '1000' });
    const page: DiagnosticList = await api.call<DiagnosticList>('GET', `/v1/diagnostics?${query}`);
    names.push(...page.diagnostics.map(({ id }) => id).filter((id) => id.startsWith(prefix)));
    after = page.next;
  }
  return names;
}

/** Repairs what events of the bucket have missed. Resolves to 1 where something could not be. */
export async function reconcile(args: string[]): Promise<number> {
  const { place } = readArgs(args, [], {});
  const api = await connect(place, undefined);
  let failures = 0;
  for (let isComplete = false; !isComplete; ) {
    const report = await withRetries(patienceWith(say), () => api.call<ReconcileReport>('POST', '/v1/reconcile'));
    const { checked, written, removed, orphans, unknown, failed, complete } = report;
    say(
      `${count(checked, 'object')} looked at: ${written} written, ${removed} removed, ${count(orphans, 'stored file')} of nothing removed`,
    );
    if (unknown > 0) say(`  ${count(unknown, 'object')} named like stored files left alone: nothing is known of them`);
    for (const { id, reason } of failed) say(`  ${id}: ${reason}`);
    failures = failed.length;
    isComplete = complete;
    if (!complete && written + removed + orphans === 0) {
      throw new UserError('The time of a call does not suffice to list the object store');
    }
  }
  return failures > 0 ? 1 : 0;
}
