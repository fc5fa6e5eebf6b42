import type { Fact } from '../core/facts.ts';
import { sha256Hex } from '../core/hash.ts';
import type { SourceContent } from '../core/kinds/kind.ts';
import { detectLanguage, type Language } from '../core/language.ts';
import { type CuttingOptions, type Passage, passagesOf } from '../core/passages.ts';
import type { SourceWork } from '../core/queue.ts';
import { indexTerms } from '../core/terms.ts';
import { blankToNull } from '../core/text.ts';
import { type ChunkRange, wholeRange } from '../store/chunks.ts';
import type { SectionFact } from '../store/facts.ts';
import type { IndexedSource, StoredState } from '../store/sources.ts';
import { stagedName } from '../store/staged.ts';

/** What is asked of a model here: its name, and its window, to which passages are cut. */
interface PlannedModel {
  readonly model: string;
  readonly window: number;
}

export interface PlannedModels {
  current: PlannedModel;
  /** The model to come; null where no swap is under way. */
  next: PlannedModel | null;
}

/** More passages are not made of one source: at some 40 ms each, these take a quarter of an hour to embed. */
const MAX_PASSAGES = 20_000;
const TOO_LONG = `It would be cut into more than ${MAX_PASSAGES} passages, which is the limit; split it into several files`;

/** How files are cut; the window is each model's own. */
export type CuttingSizes = Omit<CuttingOptions, 'window'>;

/** As the settings have it where nothing is set. */
export const DEFAULT_CUTTING: CuttingSizes = {
  sectionSize: 1200,
  sectionOverlap: 150,
  passageTokens: 500,
  passageOverlap: 0.15,
};

interface PlannedPassage extends Omit<Passage, 'content'> {
  chunkNo: number;
  /** What the text index holds of it. */
  terms: string;
}

/** A passage that needs a vector. */
export interface AddedPassage extends PlannedPassage {
  content: string;
  contentHash: string;
}

/** What is to be written of a source's passages by one model. */
export interface ModelPlan {
  model: string;
  /** The passages that keep their vectors, under the model's name or staged. */
  kept: (PlannedPassage & { storedAs: string })[];
  added: AddedPassage[];
}

/** What must happen so that a source's chunks say what its record says. */
export interface SourcePlan {
  work: SourceWork;
  /** Null: the source has gone, or has nothing to index. */
  content: SourceContent | null;
  language: Language;
  state: StoredState;
  /** Why there is nothing to index, where something can be said about it. */
  reason: string | null;
  foundGeneration: number | null;
  /** The passages of the current model. */
  chunkCount: number;
  current: ModelPlan;
  /** By the model to come; null where no swap is under way. */
  next: ModelPlan | null;
  /** Of any model, also of ones that are neither current nor next. */
  removed: ChunkRange[];
  facts: SectionFact[];
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
  models: PlannedModels,
  cutting: CuttingSizes,
): SourcePlan | null {
  if (indexed !== undefined && indexed.generation > work.generation) return null;
  const stored = indexed?.chunks ?? [];
  const text = blankToNull(content?.text);
  const language = detectLanguage(text ?? '');
  // Each part has a passage at least.
  const isTooLong = (content?.parts?.parts.length ?? 0) > MAX_PASSAGES;
  const cutFor = ({ window }: PlannedModel) =>
    content === null || text === null || isTooLong ? [] : passagesOf(content, { ...cutting, window });
  const planFor = (model: PlannedModel, passages: Passage[]) => planModel(model.model, passages, language, stored);
  const { current, next } = models;
  const cut = cutFor(current);
  const hasFailed = isTooLong || cut.length > MAX_PASSAGES;
  const passages = hasFailed ? [] : cut;
  const plan: SourcePlan = {
    work,
    content,
    language,
    state: 'ready',
    reason: null,
    foundGeneration: indexed?.generation ?? null,
    chunkCount: passages.length,
    current: planFor(current, passages),
    next: next === null ? null : planFor(next, hasFailed ? [] : cutFor(next)),
    removed: [],
    facts: [],
  };
  if (indexed?.generation === work.generation) {
    const isWhole = ({ model }: PlannedModel) => stored.some((chunk) => chunk.model === model);
    if (plan.chunkCount === 0 || (isWhole(current) && (next === null || isWhole(next)))) return null;
  }
  const parts = partsOf(plan);
  if (content === null || plan.chunkCount === 0) {
    // Also what another drain may be staging just now.
    const staged = indexed === undefined ? [] : parts.map(({ model }) => stagedName(model));
    const names = new Set([...stored.map((chunk) => chunk.model), ...staged]);
    return {
      ...plan,
      content: null,
      state: hasFailed ? 'failed' : content === null ? 'deleted' : 'empty',
      reason: hasFailed ? TOO_LONG : (content?.emptyReason ?? null),
      removed: [...names].map(wholeRange),
    };
  }
  const nameOf = (model: string, chunkNo: number) => `${chunkNo} ${model}`;
  const kept = new Set(parts.flatMap((part) => part.kept.map(({ storedAs, chunkNo }) => nameOf(storedAs, chunkNo))));
  plan.removed = stored.filter(({ model, chunkNo }) => !kept.has(nameOf(model, chunkNo))).map(toRange);
  plan.facts = factsOf(content, passages);
  return plan;
}

const toRange = ({ model, chunkNo }: { model: string; chunkNo: number }): ChunkRange => ({
  model,
  first: chunkNo,
  last: chunkNo,
});

/** What is planned for each model. */
export const partsOf = ({ current, next }: SourcePlan): ModelPlan[] => (next === null ? [current] : [current, next]);

function planModel(model: string, passages: Passage[], language: Language, stored: IndexedSource['chunks']): ModelPlan {
  const plan: ModelPlan = { model, kept: [], added: [] };
  // What is staged last, so that it stands in for what is to be replaced.
  const places = [model, stagedName(model)].map((storedAs) => ({
    storedAs,
    hashes: new Map(
      stored.filter((chunk) => chunk.model === storedAs).map((chunk) => [chunk.chunkNo, chunk.contentHash]),
    ),
  }));
  for (const [chunkNo, { content, ...passage }] of passages.entries()) {
    const contentHash = sha256Hex(content);
    const planned = { ...passage, chunkNo, terms: indexTerms(content, language) };
    const place = places.find(({ hashes }) => hashes.get(chunkNo) === contentHash);
    if (place === undefined) plan.added.push({ ...planned, content, contentHash });
    else plan.kept.push({ ...planned, storedAs: place.storedAs });
  }
  return plan;
}

/** The facts of the whole, and of each section those of the part that it was cut from; each once. */
function factsOf(content: SourceContent, passages: Passage[]): SectionFact[] {
  const facts = new Map<string, SectionFact>();
  const add = (section: number, fact: Fact) => {
    facts.set(JSON.stringify([section, fact.name, 'value' in fact ? fact.value : fact.amount]), { section, fact });
  };
  for (const fact of content.facts) add(0, fact);
  let last: number | null = null;
  for (const { section, part } of passages) {
    if (section === null || section === last) continue;
    last = section;
    for (const fact of part?.facts ?? []) add(section, fact);
  }
  return [...facts.values()];
}

/**
 * The plan without the next model, all of whose chunks go: a source has every chunk of a model or none, so that one that
 * is missing can be told by a look. What is staged of it stays for the next try.
 */
export function withoutNext(plan: SourcePlan): SourcePlan {
  const { next } = plan;
  if (next === null) return plan;
  const removed = next.kept
    .filter(({ storedAs }) => storedAs === next.model)
    .map(({ chunkNo }) => toRange({ model: next.model, chunkNo }));
  return { ...plan, next: { ...next, kept: [], added: [] }, removed: [...plan.removed, ...removed] };
}

/** How many passages a plan has yet to have embedded. */
export const countAdded = (plan: SourcePlan): number => plan.current.added.length + (plan.next?.added.length ?? 0);

/** Whether a model's part brings vectors that the source has not had. */
export const isNew = ({ model, kept, added }: ModelPlan): boolean =>
  added.length > 0 || kept.some(({ storedAs }) => storedAs !== model);

/** Groups of plans with at most `texts` passages to embed each (a single larger plan is a group of its own). */
export function groupBySize(plans: SourcePlan[], texts: number): SourcePlan[][] {
  const groups: SourcePlan[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const plan of plans) {
    const added = countAdded(plan);
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
