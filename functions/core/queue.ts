import { type SourceRef, type SourceType, sourceKey } from './kinds/kind.ts';

export type QueueAction = 'UPSERT' | 'DELETE';

/** A queue row as claimed; `attempts` counts this claim too. */
export interface ClaimedRow {
  dirtyId: number;
  sourceType: SourceType;
  sourceId: string;
  action: QueueAction;
  attempts: number;
}

/** A queue row as a database brings it, with its attempts as claimed. */
export const toClaimedRow = (row: Record<string, string | number>, attempts: number): ClaimedRow => ({
  dirtyId: Number(row.dirty_id),
  sourceType: row.source_type as SourceType,
  sourceId: String(row.source_id),
  action: row.action as QueueAction,
  attempts,
});

/** All claimed rows of one source as one piece of work: the newest row decides, the others go with it. */
export interface SourceWork {
  ref: SourceRef;
  action: QueueAction;
  /** The newest claimed DIRTY_ID: what the chunks will be a generation of. */
  generation: number;
  dirtyIds: number[];
  /** The attempts of the newest row: a new write starts anew. */
  attempts: number;
}

export function coalesce(rows: ClaimedRow[]): SourceWork[] {
  const bySource = new Map<string, SourceWork>();
  for (const row of [...rows].sort((a, b) => a.dirtyId - b.dirtyId)) {
    const ref = { type: row.sourceType, id: row.sourceId };
    const work = bySource.get(sourceKey(ref));
    if (work === undefined) {
      const { action, dirtyId, attempts } = row;
      bySource.set(sourceKey(ref), { ref, action, generation: dirtyId, dirtyIds: [dirtyId], attempts });
    } else {
      work.action = row.action;
      work.generation = row.dirtyId;
      work.dirtyIds.push(row.dirtyId);
      work.attempts = row.attempts;
    }
  }
  return [...bySource.values()];
}

const FIRST_WAIT_SECONDS = 2;
const LONGEST_WAIT_SECONDS = 900;

/** Seconds until the next attempt after `attempts` failed ones: 2, 4, 8 … 900. */
export function backoffSeconds(attempts: number): number {
  return Math.min(FIRST_WAIT_SECONDS * 2 ** Math.max(0, attempts - 1), LONGEST_WAIT_SECONDS);
}
