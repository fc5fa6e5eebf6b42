import { AppError, DeadlineExceeded, Unavailable } from '../core/errors.ts';
import { sourceKey } from '../core/kinds/kind.ts';
import { type ClaimedRow, coalesce, type SourceWork } from '../core/queue.ts';
import { type Database, DuplicateKey, type Transaction } from '../ports/database.ts';
import type { Embedder, EmbeddingModel, VectorBind } from '../ports/embedder.ts';
import type { Log, Metrics } from '../ports/platform.ts';
import { writeChunks } from '../store/chunks.ts';
import { loadContents } from '../store/kinds.ts';
import { extendLease, recordFailure, releaseClaims, removeDone } from '../store/queue.ts';
import { loadIndexed, lockSource, recordSourceError, switchGenerations } from '../store/sources.ts';
import { type EmbeddedPlan, leaveOutNext, PlanEmbedder } from './embed.ts';
import { groupBySize, type ModelPlan, planSource, type SourcePlan } from './plan.ts';

export interface DrainOptions {
  batchSize: number;
  maxAttempts: number;
  leaseSeconds: number;
  deadline: Date | null;
}

export interface DrainContext {
  callId: string;
  database: Database;
  /** The same, with time left when that of `database` has run out: to give claims back. */
  rescue?: Database;
  embedder: Embedder;
  /** The model that chunks are made for beside the current one; null where no swap is under way. */
  next: Embedder | null;
  metrics: Pick<Metrics, 'count'>;
  log: Log;
}

/** What a drain did, in sources. */
export interface DrainReport {
  /** Written with at least one new vector. */
  embedded: number;
  /** Same text: rights and metadata written, nothing embedded. */
  unchanged: number;
  /** Deleted, or nothing to index. */
  removed: number;
  /** Overtaken by a newer generation; nothing written. */
  late: number;
  /** Written for the current model alone: the next one cannot be reached. They stay in the queue. */
  postponed: number;
  failed: number;
  parked: number;
  stoppedBy: 'empty' | 'deadline';
}

const TEXTS_PER_GROUP = 64;
/** A drain starts nothing new when less than this is left. */
const STOP_BEFORE_DEADLINE_MS = 10_000;

/** How long a source waits for a next model that cannot be reached. */
const NEXT_AWAY_WAIT_SECONDS = 30;

const toWrite = (model: EmbeddingModel, { kept, added }: ModelPlan, vectors: VectorBind[]) => ({
  model,
  kept,
  added: added.map((passage, i) => ({ ...passage, vector: vectors[i] ?? '' })),
});

/**
 * Works until the queue is empty or the deadline is near. Rows whose drain died come first and one by one, so that a
 * source that kills its process harms nobody but itself.
 */
export async function drain(context: DrainContext, options: DrainOptions): Promise<DrainReport> {
  const { rescue = context.database } = context;
  return context.database.hold((database) => new DrainRun({ ...context, database, rescue }, options).toEnd());
}

/** The embedder or the database is away or slow, which no source is to blame for. */
const isNobodysFault = (error: unknown) => error instanceof Unavailable || error instanceof DeadlineExceeded;

/** Another drain has indexed a source since this one has read it. */
class Overtaken extends Error {}

class DrainRun {
  readonly #context: DrainContext;
  readonly #options: DrainOptions;
  readonly #report: DrainReport = {
    embedded: 0,
    unchanged: 0,
    removed: 0,
    late: 0,
    postponed: 0,
    failed: 0,
    parked: 0,
    stoppedBy: 'empty',
  };
  readonly #embedder: PlanEmbedder;
  #leaseTakenAt = 0;

  constructor(context: DrainContext, options: DrainOptions) {
    this.#context = context;
    this.#options = options;
    this.#embedder = new PlanEmbedder(context.embedder, context.next, context.log);
  }

  async toEnd(): Promise<DrainReport> {
    await this.#repeat(true, 1);
    await this.#repeat(false, this.#options.batchSize);
    return this.#report;
  }

  async #repeat(lost: boolean, limit: number): Promise<void> {
    for (;;) {
      if (this.#isDeadlineNear()) {
        this.#report.stoppedBy = 'deadline';
        return;
      }
      const rows = await this.#claim(lost, limit);
      if (rows.length === 0) return;
      await this.#processRows(rows);
    }
  }

  async #claim(lost: boolean, limit: number): Promise<ClaimedRow[]> {
    const { database } = this.#context;
    const { maxAttempts, leaseSeconds } = this.#options;
    this.#leaseTakenAt = Date.now();
    return database.transaction('system', (tx) => tx.dialect.claim(tx, { limit, maxAttempts, leaseSeconds, lost }));
  }

  async #processRows(rows: ClaimedRow[]): Promise<void> {
    const works: SourceWork[] = [];
    for (const work of coalesce(rows)) {
      // Every attempt so far has ended with its process, the last one too.
      if (work.attempts > this.#options.maxAttempts) {
        await this.#fail(work, new Error(`the process ended in each of ${this.#options.maxAttempts} attempts`));
      } else works.push(work);
    }
    if (works.length === 0) return;
    let ahead = works;
    try {
      const groups = groupBySize(await this.#plan(works), TEXTS_PER_GROUP);
      for (const [i, group] of groups.entries()) {
        ahead = groups.slice(i).flatMap((plans) => plans.map((plan) => plan.work));
        if (this.#isDeadlineNear()) {
          this.#report.stoppedBy = 'deadline';
          return await this.#release(ahead);
        }
        await this.#keepLease(ahead);
        await this.#applyGroup(group);
      }
    } catch (error) {
      // The embedder or the database is away or slow: no source is to blame, so no attempt counts.
      if (isNobodysFault(error)) await this.#release(ahead, this.#context.rescue).catch(() => {});
      throw error;
    }
  }

  /** Reads the records and what is indexed of them, and plans; what is late is removed from the queue here. */
  async #plan(works: SourceWork[]): Promise<SourcePlan[]> {
    const { database, embedder, next } = this.#context;
    const refs = works.map((work) => work.ref);
    const upserts = works.filter((work) => work.action === 'UPSERT').map((work) => work.ref);
    const [contents, indexed] = await database.transaction('system', (tx) =>
      Promise.all([loadContents(tx, upserts), loadIndexed(tx, refs)]),
    );
    const plans: SourcePlan[] = [];
    const late: SourceWork[] = [];
    for (const work of works) {
      const key = sourceKey(work.ref);
      try {
        const content = work.action === 'DELETE' ? null : (contents.get(key)?.() ?? null);
        const plan = planSource(work, content, indexed.get(key), embedder, next);
        if (plan === null) late.push(work);
        else plans.push(plan);
      } catch (error) {
        await this.#fail(work, error);
      }
    }
    if (late.length > 0) {
      await database.transaction('system', async (tx) => removeDone(tx, late));
      this.#report.late += late.length;
    }
    return plans;
  }

  async #applyGroup(group: SourcePlan[]): Promise<void> {
    await this.#switchTogether(await this.#embedder.embed(group, (plan, error) => this.#fail(plan.work, error)));
  }

  /** Switches a group in one transaction; when that fails, source by source. */
  async #switchTogether(group: EmbeddedPlan[]): Promise<void> {
    if (group.length === 0) return;
    try {
      await this.#context.database.transaction('system', (tx) => this.#switch(tx, group));
    } catch (error) {
      if (isNobodysFault(error)) throw error;
      const [only] = group;
      if (group.length > 1 || only === undefined) {
        for (const one of group) await this.#switchTogether([one]);
        return;
      }
      // A key twice: another drain has indexed the source for the first time, just now.
      if (error instanceof Overtaken || error instanceof DuplicateKey) return this.#release([only.plan.work]);
      // What the database refuses may be the next model's alone.
      if (only.next.length > 0) return this.#switchTogether([leaveOutNext(only, error)]);
      return this.#fail(only.plan.work, error);
    }
    for (const { plan, owed } of group) {
      if (owed instanceof Unavailable) this.#report.postponed++;
      else if (owed !== null) await this.#fail(plan.work, owed);
      else if (plan.content === null) this.#report.removed++;
      else if (plan.current.added.length + (plan.next?.added.length ?? 0) > 0) this.#report.embedded++;
      else this.#report.unchanged++;
    }
  }

  /** The switch: generations, chunks and queue rows. Throws Overtaken where another drain has moved one of them. */
  async #switch(tx: Transaction, group: EmbeddedPlan[]): Promise<void> {
    // In one order for all drains, against deadlocks. Where two meet all the same, the database ends one, which gives its
    // claims back and loses nothing.
    const ordered = [...group].sort((a, b) => (sourceKey(a.plan.work.ref) < sourceKey(b.plan.work.ref) ? -1 : 1));
    // What only the next model keeps in the queue is as it should be otherwise.
    const isSwitched = ({ foundGeneration, work }: SourcePlan) => foundGeneration === work.generation;
    const moving = ordered.filter(
      ({ plan, current, owed }) => owed === null || current.length > 0 || !isSwitched(plan),
    );
    const moved = await switchGenerations(
      tx,
      moving.map(({ plan: { work, foundGeneration, state, chunkCount } }) => ({
        ref: work.ref,
        foundGeneration,
        generation: work.generation,
        state,
        chunkCount,
      })),
    );
    if (!moved) throw new Overtaken('another drain has indexed a source of the group');
    const { embedder, next: nextEmbedder } = this.#context;
    writeChunks(
      tx,
      moving.map(({ plan, current, next }) => ({
        ref: plan.work.ref,
        content: plan.content,
        language: plan.language,
        removed: plan.removed,
        written: [
          toWrite(embedder, plan.current, current),
          ...(nextEmbedder === null || plan.next === null ? [] : [toWrite(nextEmbedder, plan.next, next)]),
        ],
      })),
    );
    const worksThat = (is: (owed: unknown) => boolean) =>
      ordered.filter(({ owed }) => is(owed)).map(({ plan }) => plan.work);
    const done = worksThat((owed) => owed === null);
    const postponed = worksThat((owed) => owed instanceof Unavailable);
    if (done.length > 0) removeDone(tx, done);
    if (postponed.length > 0) releaseClaims(tx, postponed, NEXT_AWAY_WAIT_SECONDS);
  }

  async #fail(work: SourceWork, error: unknown): Promise<void> {
    const { database, log, metrics, callId } = this.#context;
    const { maxAttempts } = this.#options;
    const message = error instanceof AppError ? error.message : `Indexing failed; see the log, call ${callId}`;
    const record = () =>
      database.transaction('system', async (tx) => {
        // The source before its queue rows, as a switch has it, so that the two never lock each other out.
        await lockSource(tx, work.ref);
        const result = await recordFailure(tx, work, message, maxAttempts);
        if (result !== 'late') await recordSourceError(tx, work.ref, message, result === 'parked');
        return result;
      });
    const outcome = await record().catch((error: unknown) => {
      // Another drain has made the source's row just now.
      if (error instanceof DuplicateKey) return record();
      throw error;
    });
    this.#report[outcome === 'retry' ? 'failed' : outcome]++;
    const fields = { source: sourceKey(work.ref), attempts: work.attempts };
    if (outcome === 'parked') {
      log.error('source_parked', error, fields);
      metrics.count('sources_parked', 1);
    } else log.warn('source_failed', { ...fields, reason: String(error) });
  }

  async #release(works: SourceWork[], database: Database = this.#context.database): Promise<void> {
    await database.transaction('system', async (tx) => releaseClaims(tx, works));
  }

  /** Prolongs the claims when a third of the lease has gone. */
  async #keepLease(ahead: SourceWork[]): Promise<void> {
    const { leaseSeconds } = this.#options;
    if (Date.now() - this.#leaseTakenAt < (leaseSeconds * 1000) / 3) return;
    this.#leaseTakenAt = Date.now();
    await this.#context.database.transaction('system', async (tx) => extendLease(tx, ahead, leaseSeconds));
  }

  #isDeadlineNear(): boolean {
    const { deadline } = this.#options;
    return deadline !== null && deadline.getTime() - Date.now() < STOP_BEFORE_DEADLINE_MS;
  }
}
