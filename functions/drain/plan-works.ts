import { type SourceRef, sourceKey } from '../core/kinds/kind.ts';
import type { SourceWork } from '../core/queue.ts';
import type { Database } from '../ports/database.ts';
import { loadContents, loadLengths } from '../store/kinds.ts';
import { loadIndexed } from '../store/sources.ts';
import { type CuttingSizes, countAdded, type PlannedModels, planSource, type SourcePlan } from './plan.ts';

/** What is to be done about each of many sources. */
interface PlannedWorks {
  plans: SourcePlan[];
  /** With more passages to embed than at once: to be planned by themselves, so that the texts of one alone are held. */
  large: SourceWork[];
  /** The index already has what these would bring. */
  late: SourceWork[];
  /** Of which no plan can be made. */
  failed: { work: SourceWork; error: unknown }[];
}

/**
 * Reads the records and what is indexed of them, and plans. A source is large where it adds more than `textsAtOnce`
 * passages, or has so long a text that it may; a long file is not even read.
 */
export async function planWorks(
  database: Database,
  works: SourceWork[],
  models: PlannedModels,
  cutting: CuttingSizes,
  textsAtOnce: number,
): Promise<PlannedWorks> {
  const { current, next } = models;
  const longest = textsAtOnce * Math.min(current.window, next?.window ?? current.window);
  const upserts = works.filter((work) => work.action === 'UPSERT').map((work) => work.ref);
  const { long, contents, indexed } = await database.transaction('system', async (tx) => {
    const lengths = longest === Number.POSITIVE_INFINITY ? new Map<string, number>() : await loadLengths(tx, upserts);
    const isLong = (ref: SourceRef) => (lengths.get(sourceKey(ref)) ?? 0) > longest;
    const isShort = (ref: SourceRef) => !isLong(ref);
    const [contents, indexed] = await Promise.all([
      loadContents(tx, upserts.filter(isShort)),
      loadIndexed(tx, works.map((work) => work.ref).filter(isShort)),
    ]);
    return { long: works.filter((work) => isLong(work.ref)), contents, indexed };
  });
  const planned: PlannedWorks = { plans: [], large: long, late: [], failed: [] };
  for (const work of works.filter((work) => !long.includes(work))) {
    const key = sourceKey(work.ref);
    try {
      const content = work.action === 'DELETE' ? null : (contents.get(key)?.() ?? null);
      if (content !== null && content.text.length > longest) {
        planned.large.push(work);
        continue;
      }
      const plan = planSource(work, content, indexed.get(key), models, cutting);
      if (plan === null) planned.late.push(work);
      else if (countAdded(plan) > textsAtOnce) planned.large.push(work);
      else planned.plans.push(plan);
    } catch (error) {
      planned.failed.push({ work, error });
    }
  }
  return planned;
}
