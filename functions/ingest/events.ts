import { DOCUMENTS } from '../core/documents/path.ts';
import { Unavailable } from '../core/errors.ts';
import { decodeUtf8 } from '../core/input.ts';
import { type ObjectEvent, readObjectEvents } from '../core/object-event.ts';
import { type BucketContext, documentOf, isNear, type Synced, syncObject } from './bucket.ts';

/** The bucket whose events are heard; null where the object store is none of OCI. */
export interface Bucket {
  namespace: string;
  name: string;
}

export interface EventReport {
  written: number;
  removed: number;
  unchanged: number;
  ignored: number;
}

/** The bucket that RAG_STORAGE names: oci:<namespace>/<bucket>. */
export function bucketOf(storage: string): Bucket | null {
  const [, namespace, name] = /^oci:([^/]+)\/(.+)$/.exec(storage) ?? [];
  return namespace === undefined || name === undefined ? null : { namespace, name };
}

/**
 * Hears what OCI Events tells of objects under documents/. What is not for us is logged and counts as heard. When all have
 * been heard, the first failure is thrown, so that they are told again: then those that are done have nothing left to do.
 */
export async function hearEvents(context: BucketContext, bucket: Bucket | null, body: Buffer): Promise<EventReport> {
  const { events, faults } = readObjectEvents(decodeUtf8(body));
  const report: EventReport = { written: 0, removed: 0, unchanged: 0, ignored: 0 };
  for (const fault of faults) {
    report.ignored++;
    context.log.warn('event_ignored', { reason: fault });
  }
  const failures: unknown[] = [];
  for (const [i, event] of events.entries()) {
    try {
      if (i > 0 && isNear(context.deadline)) throw new Unavailable('The time of this call ran out before this event');
      report[await hearEvent(context, bucket, event)]++;
    } catch (error) {
      failures.push(error);
    }
  }
  const [first, ...others] = failures;
  for (const other of others) context.log.error('event_failed', other);
  if (failures.length > 0) throw first;
  return report;
}

async function hearEvent(
  context: BucketContext,
  bucket: Bucket | null,
  event: ObjectEvent,
): Promise<Synced | 'ignored'> {
  const ignore = (reason: string) => {
    context.log.info('event_ignored', { reason });
    return 'ignored' as const;
  };
  if (bucket === null || event.bucket !== bucket.name || event.namespace !== bucket.namespace) {
    return ignore('it is of another bucket than RAG_STORAGE');
  }
  if (!event.objectName.startsWith(DOCUMENTS)) return ignore('it is of no document');
  if (event.objectName.endsWith('/')) return ignore('it is of a folder');
  const name = documentOf(event.objectName);
  if (name === null) return ignore('the name of the object is no path of a document');
  if (name.digest !== null) return ignore('it is of a version that is kept here');
  return syncObject(context, name.path);
}
