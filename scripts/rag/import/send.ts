import type { BulkResult } from '../../../functions/shapes.ts';
import { type Api, ApiError } from '../api.ts';
import type { Failure } from './error-file.ts';
import type { Item } from './items.ts';
import { type Patience, withRetries } from './retry.ts';

/** Statuses of a line that say that it may work later. */
const RETRYABLE = new Set([429, 503, 504]);

/**
 * Writes a batch and returns what was refused. What the server had no time for is sent again, with all that follows
 * it, so that records of one id never change places. `sentBefore`: an earlier process may have sent the batch already.
 */
export async function sendBatch(api: Api, patience: Patience, batch: Item[], sentBefore: boolean): Promise<Failure[]> {
  const failures: Failure[] = [];
  let left = batch;
  await withRetries(patience, async (attempt) => {
    const results = await post(api, left);
    const stop = results.findIndex((result) => RETRYABLE.has(result.status));
    const settled = stop === -1 ? results : results.slice(0, stop);
    for (const [i, result] of settled.entries()) {
      const item = left[i];
      if (item === undefined || result.status === 202) continue;
      if (result.status === 404 && (sentBefore || attempt > 0) && isDelete(item)) continue;
      const error = result.error ?? { code: 'unknown', detail: `status ${result.status}` };
      failures.push({ line: item.line, status: result.status, ...error });
    }
    left = left.slice(settled.length);
    if (left.length > 0) {
      const { status = 503, error } = results[stop] ?? {};
      throw new ApiError(error?.detail ?? 'The server left records out', status, error?.code ?? 'unknown');
    }
  });
  return failures;
}

async function post(api: Api, items: Item[]): Promise<BulkResult['results']> {
  try {
    const body = Buffer.concat(items.flatMap(({ bytes }) => [bytes, Buffer.from('\n')]));
    return (await api.call<BulkResult>('POST', '/v1/records', body)).results;
  } catch (error) {
    // A record that is too large for any body is refused like any other, and harms no other.
    if (!(error instanceof ApiError) || error.status !== 413 || items.length > 1) throw error;
    return [{ line: 1, status: error.status, error: { code: error.code, detail: error.message } }];
  }
}

/** A delete that finds nothing when it is sent once more has done its work the first time. */
function isDelete({ bytes }: Item): boolean {
  try {
    return (JSON.parse(bytes.toString('utf8')) as { op?: unknown }).op === 'delete';
  } catch {
    return false;
  }
}
