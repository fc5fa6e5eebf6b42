import { AppError, DeadlineExceeded, Unavailable } from '../core/errors.ts';
import { sourceKey } from '../core/kinds/kind.ts';
import { type ClaimedRow, coalesce, type SourceWork } from '../core/queue.ts';
import { type Database, DuplicateKey } from '../ports/database.ts';
import type { Embedder } from '../ports/embedder.ts';
import type { Log, Metrics } from '../ports/platform.ts';
import { extendLease, recordFailure, releaseClaims, removeDone } from '../store/queue.ts';
import { lockSource, recordSourceError } from '../store/sources.ts';
import { type EmbeddedPlan, leaveOutNext, Owed, PlanEmbedder } from './embed.ts';
import { type CuttingSizes, countAdded, groupBySize, isNew, partsOf, type SourcePlan } from './plan.ts';
import { planWorks } from './plan-works.ts';
import { afterStaging, nextSlice, stageSlice } from './stage.ts';
import { Overtaken, switchSources } from './switch.ts';

export interface DrainOptions {
  batchSize: number;
  maxAttempts: number;
  leaseSeconds: number;
  deadline: Date | null;
  /** How files are cut. */
  cutting: CuttingSizes;
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

/** Passages that are embedded at once. A source with more of them to embed is large. */
const TEXTS_AT_ONCE = 64;
/** A drain starts nothing new when less than this is left. */
const STOP_BEFORE_DEADLINE_MS = 10_000;
/** How long a large source waits while another drain works on an older change of it. */
const ELSEWHERE_WAIT_SECONDS = 10;

/**
 * Works until the queue is empty or the deadline is near. Rows whose drain died come first and one by one, so that a
 * source that kills its process harms nobody but itself. Large sources come last and one by one, a slice at a time, and
 * whatever has come into the queue meanwhile goes before the next slice; where the time does not suffice for all
 * slices, another drain goes on with what is staged.
 */
export async function drain(context: DrainContext, options: DrainOptions): Promise<DrainReport> {
  const { rescue = context.database } = context;
  return context.database.hold((database) => new DrainRun({ ...context, database, rescue }, options).toEnd());
}

/** The embedder or the database is away or slow, which no source is to blame for. */
const isNobodysFault = (error: unknown) => error instanceof Unavailable || error instanceof DeadlineExceeded;

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
  /** What is claimed and not done: of the present batch, and the large sources. */
  #batch: SourceWork[] = [];
  #large: SourceWork[] = [];
  /** The plan of the first large source, as far as it has come. */
  #begun: SourcePlan | null = null;
  #leaseTakenAt = 0;

  constructor(context: DrainContext, options: DrainOptions) {
    this.#context = context;
    this.#options = options;
    this.#embedder = new PlanEmbedder(context.embedder, context.next, context.log);
  }

  async toEnd(): Promise<DrainReport> {
    try {
      await this.#repeat(true, 1);
      await this.#repeat(false, this.#options.batchSize);
      return this.#report;
    } catch (error) {
      // The embedder or the database is away or slow: no source is to blame, so no attempt counts.
      if (isNobodysFault(error)) {
        await this.#release([...this.#batch, ...this.#large], { database: this.#context.rescue }).catch(() => {});
      }
      throw error;
    }
  }

  async #repeat(lost: boolean, limit: number): Promise<void> {
    for (;;) {
      if (this.#isDeadlineNear()) {
        this.#report.stoppedBy = 'deadline';
        await this.#release(this.#large);
        this.#large = [];
        return;
      }
      // Nothing is claimed beside a large source that was lost: it may be what killed the process.
      const rows = lost && this.#large.length > 0 ? [] : await this.#claim(lost, limit);
      const [large] = this.#large;
      if (rows.length > 0) await this.#processRows(rows);
      else if (large !== undefined) await this.#advance(large);
      else return;
    }
  }

  async #claim(lost: boolean, limit: number): Promise<ClaimedRow[]> {
    const { database } = this.#context;
    const { maxAttempts, leaseSeconds } = this.#options;
    if (this.#large.length === 0) this.#leaseTakenAt = Date.now();
    return database.transaction('system', (tx) => tx.dialect.claim(tx, { limit, maxAttempts, leaseSeconds, lost }));
  }

  async #processRows(rows: ClaimedRow[]): Promise<void> {
    for (const work of coalesce(rows)) {
      // Every attempt so far has ended with its process, the last one too.
      if (work.attempts > this.#options.maxAttempts) {
        await this.#fail(work, new Error(`the process ended in each of ${this.#options.maxAttempts} attempts`));
      } else this.#batch.push(this.#withLarge(work));
    }
    if (this.#batch.length === 0) return;
    const { plans, large } = await this.#plan(this.#batch, TEXTS_AT_ONCE);
    this.#large.push(...large);
    const groups = groupBySize(plans, TEXTS_AT_ONCE);
    for (const [i, group] of groups.entries()) {
      this.#batch = groups.slice(i).flatMap((plans) => plans.map((plan) => plan.work));
      if (this.#isDeadlineNear()) {
        // Told by the caller, which finds the same.
        await this.#release(this.#batch);
        break;
      }
      await this.#keepLease();
      await this.#applyGroup(group);
    }
    this.#batch = [];
  }

  /** The work, together with that of the same source among the large ones, which it takes the place of. */
  #withLarge(work: SourceWork): SourceWork {
    const large = this.#large.find(({ ref }) => sourceKey(ref) === sourceKey(work.ref));
    if (large === undefined) return work;
    this.#large = this.#large.filter((other) => other !== large);
    return { ...(large.generation > work.generation ? large : work), dirtyIds: [...large.dirtyIds, ...work.dirtyIds] };
  }

  /** Plans; what is late is removed from the queue here, and what cannot be planned fails. Returns also what is large. */
  async #plan(works: SourceWork[], textsAtOnce: number): Promise<{ plans: SourcePlan[]; large: SourceWork[] }> {
    const { database, embedder: current, next } = this.#context;
    const { cutting } = this.#options;
    const { plans, large, late, failed } = await planWorks(database, works, { current, next }, cutting, textsAtOnce);
    for (const { work, error } of failed) await this.#fail(work, error);
    if (late.length > 0) {
      await database.transaction('system', async (tx) => removeDone(tx, late));
      this.#report.late += late.length;
    }
    return { plans, large };
  }

  /** The next step of a large source: its next slice is staged, or where only one is left, the source is switched. */
  async #advance(work: SourceWork): Promise<void> {
    await this.#keepLease();
    const plan =
      this.#begun?.work === work ? this.#begun : (await this.#plan([work], Number.POSITIVE_INFINITY)).plans[0];
    this.#begun = null;
    if (plan !== undefined && countAdded(plan) > TEXTS_AT_ONCE) this.#begun = await this.#stage(plan);
    else if (plan !== undefined) await this.#applyGroup([plan]);
    if (this.#begun === null) this.#large = this.#large.filter((other) => other !== work);
  }

  /** Embeds and stages the next slice; the plan as far as it has come then, null where there is no more to do with it. */
  async #stage(plan: SourcePlan): Promise<SourcePlan | null> {
    const { database, embedder, next } = this.#context;
    const slice = nextSlice(plan, TEXTS_AT_ONCE);
    try {
      const vectors = await this.#embedder.embedSlice(slice);
      const model = slice.of === 'next' && next !== null ? next : embedder;
      const generation = await database.transaction('system', (tx) => stageSlice(tx, plan, slice, model, vectors));
      if (generation !== null) return afterStaging(plan, slice, generation);
      await this.#release([plan.work], { waitSeconds: ELSEWHERE_WAIT_SECONDS });
    } catch (error) {
      if (isNobodysFault(error)) throw error;
      if (error instanceof DuplicateKey) await this.#release([plan.work], { waitSeconds: ELSEWHERE_WAIT_SECONDS });
      else if (slice.of === 'current') await this.#fail(plan.work, error);
      else {
        const owed = error instanceof Owed ? error.reason : error;
        await this.#switchTogether([leaveOutNext({ plan, current: [], next: [], owed: null }, owed)]);
      }
    }
    return null;
  }

  async #applyGroup(group: SourcePlan[]): Promise<void> {
    await this.#switchTogether(await this.#embedder.embed(group, (plan, error) => this.#fail(plan.work, error)));
  }

  /** Switches a group in one transaction; when that fails, source by source. */
  async #switchTogether(group: EmbeddedPlan[]): Promise<void> {
    if (group.length === 0) return;
    try {
      const { database, embedder, next } = this.#context;
      await database.transaction('system', (tx) => switchSources(tx, group, { current: embedder, next }));
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
      else if (partsOf(plan).some(isNew)) this.#report.embedded++;
      else this.#report.unchanged++;
    }
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

  async #release(
    works: SourceWork[],
    {
      waitSeconds = 0,
      database = this.#context.database,
    }: { waitSeconds?: number; database?: Database | undefined } = {},
  ): Promise<void> {
    if (works.length === 0) return;
    await database.transaction('system', async (tx) => releaseClaims(tx, works, waitSeconds));
  }

  /** Prolongs the claims when a third of the lease has gone. */
  async #keepLease(): Promise<void> {
    const { leaseSeconds } = this.#options;
    if (Date.now() - this.#leaseTakenAt < (leaseSeconds * 1000) / 3) return;
    this.#leaseTakenAt = Date.now();
    const claimed = [...this.#batch, ...this.#large];
    await this.#context.database.transaction('system', async (tx) => extendLease(tx, claimed, leaseSeconds));
  }

  #isDeadlineNear(): boolean {
    const { deadline } = this.#options;
    return deadline !== null && deadline.getTime() - Date.now() < STOP_BEFORE_DEADLINE_MS;
  }
}
