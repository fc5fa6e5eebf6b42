import { sha256Hex } from '../core/hash.ts';
import type { SourceContent } from '../core/kinds/kind.ts';
import { detectLanguage, type Language } from '../core/language.ts';
import { cutIntoPassages } from '../core/passages.ts';
import type { SourceWork } from '../core/queue.ts';
import { indexTerms } from '../core/terms.ts';
import type { IndexedSource, StoredState } from '../store/sources.ts';

/** What is asked of a model here: its name, and its window, to which passages are cut. */
interface PlannedModel {
  readonly model: string;
  readonly window: number;
}

interface PlannedPassage {
  chunkNo: number;
  section: number | null;
  /** What the text index holds of it. */
  terms: string;
}

/** What is to be written of a source's passages by one model. */
export interface ModelPlan {
  model: string;
  /** The passages that keep their vectors. */
  kept: PlannedPassage[];
  /** The passages that need a vector. */
  added: (PlannedPassage & { content: string; contentHash: string })[];
}

/** What must happen so that a source's chunks say what its record says. */
export interface SourcePlan {
  work: SourceWork;
  /** Null: the source has gone, or has nothing to index. */
  content: SourceContent | null;
  language: Language;
  state: StoredState;
  foundGeneration: number | null;
  /** The passages of the current model. */
  chunkCount: number;
  current: ModelPlan;
  /** By the model to come; null where no swap is under way. */
  next: ModelPlan | null;
  /** Of any model, also of ones that are neither current nor next. */
  removed: { model: string; chunkNo: number }[];
}

/**
 * Compares what is to be indexed with what is: a passage whose text and model are the same keeps its vector. Null when
 * the index already has this generation or a newer one: then a later writer has won, and this one does nothing. The
 * same generation is planned again where a model has no chunk at all, as when a switch had to leave it out.
 */
export function planSource(
  work: SourceWork,
  content: SourceContent | null,
  indexed: IndexedSource | undefined,
  current: PlannedModel,
  next: PlannedModel | null,
): SourcePlan | null {
  if (indexed !== undefined && indexed.generation > work.generation) return null;
  const stored = indexed?.chunks ?? [];
  const language = detectLanguage(content?.text ?? '');
  const plan: SourcePlan = {
    work,
    content,
    language,
    state: 'ready',
    foundGeneration: indexed?.generation ?? null,
    chunkCount: 0,
    current: planModel(content, language, stored, current),
    next: next === null ? null : planModel(content, language, stored, next),
    removed: [],
  };
  plan.chunkCount = plan.current.kept.length + plan.current.added.length;
  if (indexed?.generation === work.generation) {
    const isWhole = ({ model }: PlannedModel) => stored.some((chunk) => chunk.model === model);
    if (plan.chunkCount === 0 || (isWhole(current) && (next === null || isWhole(next)))) return null;
  }
  if (plan.chunkCount === 0) {
    plan.state = content === null ? 'deleted' : 'empty';
    plan.content = null;
  }
  const parts = [plan.current, ...(plan.next === null ? [] : [plan.next])];
  const nameOf = (model: string, chunkNo: number) => `${chunkNo} ${model}`;
  const kept = new Set(parts.flatMap((part) => part.kept.map(({ chunkNo }) => nameOf(part.model, chunkNo))));
  plan.removed = stored
    .filter(({ model, chunkNo }) => !kept.has(nameOf(model, chunkNo)))
    .map(({ model, chunkNo }) => ({ model, chunkNo }));
  return plan;
}

function planModel(
  content: SourceContent | null,
  language: Language,
  stored: IndexedSource['chunks'],
  { model, window }: PlannedModel,
): ModelPlan {
  const plan: ModelPlan = { model, kept: [], added: [] };
  const hashes = new Map(
    stored.filter((chunk) => chunk.model === model).map((chunk) => [chunk.chunkNo, chunk.contentHash]),
  );
  for (const [chunkNo, passage] of (content === null ? [] : cutIntoPassages(content.text, window)).entries()) {
    const contentHash = sha256Hex(passage.content);
    const planned = { chunkNo, section: passage.section, terms: indexTerms(passage.content, language) };
    if (hashes.get(chunkNo) === contentHash) plan.kept.push(planned);
    else plan.added.push({ ...planned, content: passage.content, contentHash });
  }
  return plan;
}

/**
 * The plan without the next model, all of whose chunks go: a source has every chunk of a model or none, so that one that
 * is missing can be told by a look.
 */
export function withoutNext(plan: SourcePlan): SourcePlan {
  const { next } = plan;
  if (next === null) return plan;
  const removed = next.kept.map(({ chunkNo }) => ({ model: next.model, chunkNo }));
  return { ...plan, next: { ...next, kept: [], added: [] }, removed: [...plan.removed, ...removed] };
}

/** Groups of plans with at most `texts` passages to embed each (a single larger plan is a group of its own). */
export function groupBySize(plans: SourcePlan[], texts: number): SourcePlan[][] {
  const groups: SourcePlan[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const plan of plans) {
    const added = plan.current.added.length + (plan.next?.added.length ?? 0);
    const current = groups.at(-1);
    if (current === undefined || (size + added > texts && added > 0)) {
      groups.push([plan]);
      size = added;
    } else {
      current.push(plan);
      size += added;
    }
  }
  return groups;
}
