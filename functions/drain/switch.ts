import { Unavailable } from '../core/errors.ts';
import { sourceKey } from '../core/kinds/kind.ts';
import type { Transaction } from '../ports/database.ts';
import type { EmbeddingModel, VectorBind } from '../ports/embedder.ts';
import { writeChunks } from '../store/chunks.ts';
import { replaceFacts } from '../store/facts.ts';
import { releaseClaims, removeDone } from '../store/queue.ts';
import { switchGenerations } from '../store/sources.ts';
import type { EmbeddedPlan } from './embed.ts';
import { isNew, type ModelPlan, type SourcePlan } from './plan.ts';

/** Another drain has indexed a source since this one has read it. */
export class Overtaken extends Error {}

/** How long a source waits for a next model that cannot be reached. */
const NEXT_AWAY_WAIT_SECONDS = 30;

const toWrite = (model: EmbeddingModel, { kept, added }: ModelPlan, vectors: VectorBind[]) => ({
  model,
  storeAs: model.model,
  kept,
  added: added.map((passage, i) => ({ ...passage, vector: vectors[i] ?? '' })),
});

/**
 * The switch of a group of sources: generations, chunks, facts and queue rows, in the caller's transaction. Throws
 * Overtaken where another drain has moved one of them.
 */
export async function switchSources(
  tx: Transaction,
  group: EmbeddedPlan[],
  models: { current: EmbeddingModel; next: EmbeddingModel | null },
): Promise<void> {
  // In one order for all drains, against deadlocks. Where two meet all the same, the database ends one, which gives its
  // claims back and loses nothing.
  const ordered = [...group].sort((a, b) => (sourceKey(a.plan.work.ref) < sourceKey(b.plan.work.ref) ? -1 : 1));
  // What only the next model keeps in the queue is as it should be otherwise.
  const isSwitched = ({ foundGeneration, work }: SourcePlan) => foundGeneration === work.generation;
  const moving = ordered.filter(({ plan, owed }) => owed === null || isNew(plan.current) || !isSwitched(plan));
  const areMoved = await switchGenerations(
    tx,
    moving.map(({ plan: { work, foundGeneration, state, reason, chunkCount } }) => ({
      ref: work.ref,
      foundGeneration,
      generation: work.generation,
      state,
      reason,
      chunkCount,
    })),
  );
  if (!areMoved) throw new Overtaken('another drain has indexed a source of the group');
  const areWritten = await writeChunks(
    tx,
    moving.map(({ plan, current, next }) => ({
      ref: plan.work.ref,
      content: plan.content,
      language: plan.language,
      removed: plan.removed,
      written: [
        toWrite(models.current, plan.current, current),
        ...(models.next === null || plan.next === null ? [] : [toWrite(models.next, plan.next, next)]),
      ],
    })),
  );
  if (!areWritten) throw new Overtaken('another drain has taken away what was staged of a source of the group');
  replaceFacts(
    tx,
    moving.map(({ plan: { work, facts } }) => ({ ref: work.ref, facts })),
  );
  const worksThat = (is: (owed: unknown) => boolean) =>
    ordered.filter(({ owed }) => is(owed)).map(({ plan }) => plan.work);
  const done = worksThat((owed) => owed === null);
  const postponed = worksThat((owed) => owed instanceof Unavailable);
  if (done.length > 0) removeDone(tx, done);
  if (postponed.length > 0) releaseClaims(tx, postponed, NEXT_AWAY_WAIT_SECONDS);
}
