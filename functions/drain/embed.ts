import { Unavailable } from '../core/errors.ts';
import type { Embedder, VectorBind } from '../ports/embedder.ts';
import type { Log } from '../ports/platform.ts';
import { type ModelPlan, type SourcePlan, withoutNext } from './plan.ts';
import type { Slice } from './stage.ts';

/** A plan with a vector (as the embedder binds it) for each passage that it adds. */
export interface EmbeddedPlan {
  plan: SourcePlan;
  current: VectorBind[];
  next: VectorBind[];
  /** Why the next model's chunks are left out, so that the source stays in the queue; null where they are not. */
  owed: unknown;
}

/** Why the next model's chunks must be left out of a plan. */
export class Owed extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super('the next model is owed chunks');
    this.reason = reason;
  }
}

/** The plan without the next model's chunks: those of the current one do not wait for them. */
export const leaveOutNext = ({ plan, current }: EmbeddedPlan, owed: unknown): EmbeddedPlan => ({
  plan: withoutNext(plan),
  current,
  next: [],
  owed,
});

/** Embeds groups of plans, by the current model and by the next one. */
export class PlanEmbedder {
  readonly #current: Embedder;
  readonly #next: Embedder | null;
  readonly #log: Log;
  /** Why the next model cannot be reached: it is asked no more then. */
  #nextAway: Unavailable | null = null;

  constructor(current: Embedder, next: Embedder | null, log: Log) {
    this.#current = current;
    this.#next = next;
    this.#log = log;
  }

  /**
   * Embeds a group, in one call to each model. What the current model refuses is told to `fail` at once, and left out;
   * what the next one refuses, or is away for, is owed. Throws Unavailable where the current model is away.
   */
  async embed(group: SourcePlan[], fail: (plan: SourcePlan, error: unknown) => Promise<void>): Promise<EmbeddedPlan[]> {
    const embedded: EmbeddedPlan[] = [];
    const vectors = await encodeLists(
      this.#current,
      group.map((plan) => textsOf(plan.current)),
      (at, error) => fail(group[at] as SourcePlan, error),
    );
    for (const [i, plan] of group.entries()) {
      const current = vectors[i];
      if (current !== undefined) embedded.push({ plan, current, next: [], owed: null });
    }
    return this.#next === null ? embedded : this.#addNext(this.#next, embedded);
  }

  /** Embeds a slice of a large plan. What the next model refuses, or is away for, is thrown as Owed. */
  async embedSlice({ of, passages }: Slice): Promise<VectorBind[]> {
    const texts = passages.map((passage) => passage.content);
    if (of === 'current') return this.#current.encode(texts, 'passage');
    const next = this.#next;
    if (next === null) throw new Error('there is no next model to embed by');
    let refusal: unknown = null;
    const [vectors] = await this.#encodeNext(next, [texts], (_, reason) => {
      refusal = reason;
    });
    if (vectors === undefined) throw new Owed(refusal ?? this.#nextAway);
    return vectors;
  }

  /** The vectors of many lists of texts; of none where the next model is away, which is noted. */
  async #encodeNext(
    embedder: Embedder,
    lists: string[][],
    refuse: (at: number, reason: unknown) => void,
  ): Promise<(VectorBind[] | undefined)[]> {
    if (this.#nextAway !== null) return [];
    try {
      return await encodeLists(embedder, lists, async (at, cause) =>
        refuse(at, new Error(`${embedder.model}: ${(cause as Error).message}`, { cause })),
      );
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      this.#nextAway = error;
      this.#log.warn('next_model_away', { model: embedder.model, reason: String(error) });
      return [];
    }
  }

  async #addNext(embedder: Embedder, group: EmbeddedPlan[]): Promise<EmbeddedPlan[]> {
    const lists = group.map(({ plan }) => textsOf(plan.next));
    const refusals = new Map<number, unknown>();
    const vectors = await this.#encodeNext(embedder, lists, (at, reason) => refusals.set(at, reason));
    return group.map((one, i) => {
      const next = lists[i]?.length === 0 ? [] : vectors[i];
      return next === undefined ? leaveOutNext(one, refusals.get(i) ?? this.#nextAway) : { ...one, next };
    });
  }
}

const textsOf = (part: ModelPlan | null) => (part?.added ?? []).map((passage) => passage.content);

/**
 * The vectors of many lists of texts, in one call for all; when that fails, list by list, so that only the guilty are
 * told to `refuse`, each at once, and have no vectors. Throws Unavailable.
 */
async function encodeLists(
  embedder: Embedder,
  lists: string[][],
  refuse: (at: number, error: unknown) => Promise<void>,
): Promise<(VectorBind[] | undefined)[]> {
  const texts = lists.flat();
  if (texts.length === 0) return lists.map(() => []);
  try {
    const vectors = await embedder.encode(texts, 'passage');
    let used = 0;
    return lists.map((list) => {
      used += list.length;
      return vectors.slice(used - list.length, used);
    });
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    if (lists.length === 1) {
      await refuse(0, error);
      return [undefined];
    }
    const encoded: (VectorBind[] | undefined)[] = [];
    for (const [at, list] of lists.entries()) {
      encoded.push(...(await encodeLists(embedder, [list], (_, reason) => refuse(at, reason))));
    }
    return encoded;
  }
}
