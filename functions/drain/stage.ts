import type { Transaction } from '../ports/database.ts';
import type { EmbeddingModel, VectorBind } from '../ports/embedder.ts';
import { writeChunks } from '../store/chunks.ts';
import { lockSource } from '../store/sources.ts';
import { isClaimedBefore, removeStaged, stagedName } from '../store/staged.ts';
import { type AddedPassage, type ModelPlan, partsOf, type SourcePlan } from './plan.ts';

/** The next passages of a large plan, all of one model. */
export interface Slice {
  of: 'current' | 'next';
  passages: AddedPassage[];
}

/** Those of the current model come first. */
export function nextSlice({ current, next }: SourcePlan, size: number): Slice {
  const of = current.added.length > 0 || next === null ? 'current' : 'next';
  return { of, passages: (of === 'next' && next !== null ? next : current).added.slice(0, size) };
}

/**
 * Stages a slice with its vectors, and takes away what is staged and fits no longer. Returns the generation that the
 * source is in; null where nothing was staged, because another drain has indexed the source since this one has read it, or is
 * at work on an older change of it: of two the older one goes first, so that they never undo each other's work.
 */
export async function stageSlice(
  tx: Transaction,
  plan: SourcePlan,
  { passages }: Slice,
  model: EmbeddingModel,
  vectors: VectorBind[],
): Promise<number | null> {
  const { work, content, language } = plan;
  const generation = await lockSource(tx, work.ref);
  if (generation !== (plan.foundGeneration ?? 0)) {
    // What was staged since then nobody else knows of.
    removeStaged(
      tx,
      work.ref,
      partsOf(plan).map(({ model }) => model),
    );
    return null;
  }
  if (await isClaimedBefore(tx, work)) return null;
  await writeChunks(tx, [
    {
      ref: work.ref,
      content,
      language,
      removed: unfit(plan),
      written: [
        {
          model,
          storeAs: stagedName(model.model),
          kept: [],
          added: passages.map((passage, i) => ({ ...passage, vector: vectors[i] ?? '' })),
        },
      ],
    },
  ]);
  return generation;
}

/** What is staged by the plan's models and has no place in it. */
const unfit = (plan: SourcePlan) => plan.removed.filter(isStagedIn(plan));

function isStagedIn(plan: SourcePlan): (chunk: { model: string }) => boolean {
  const names = partsOf(plan).map(({ model }) => stagedName(model));
  return ({ model }) => names.includes(model);
}

/** The plan when a slice of it is staged. */
export function afterStaging(plan: SourcePlan, slice: Slice, foundGeneration: number): SourcePlan {
  const staged = new Set(slice.passages);
  const isStaged = isStagedIn(plan);
  const grown = (part: ModelPlan): ModelPlan => ({
    model: part.model,
    kept: [
      ...part.kept,
      ...slice.passages.map(({ content: _, contentHash: __, ...passage }) => ({
        ...passage,
        storedAs: stagedName(part.model),
      })),
    ],
    added: part.added.filter((passage) => !staged.has(passage)),
  });
  return {
    ...plan,
    foundGeneration,
    current: slice.of === 'current' ? grown(plan.current) : plan.current,
    next: plan.next !== null && slice.of === 'next' ? grown(plan.next) : plan.next,
    removed: plan.removed.filter((range) => !isStaged(range)),
  };
}
