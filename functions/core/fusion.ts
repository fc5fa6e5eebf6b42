import { containsCode, type QuestionCodes } from './codes.ts';
import type { Sort } from './facts.ts';
import { type Metadata, type SourceType, sourceKey } from './kinds/kind.ts';
import { type KnownLanguages, understands } from './language.ts';
import type { Audience } from './scope.ts';

/** The text of a passage as it is stored. */
export interface StoredPassage {
  content: string;
  /** How many UTF-16 units at its start repeat what stands elsewhere; null where that is its first line, if anything. */
  repeated: number | null;
}

/** A passage that some branch of a search has found, with the passages beside it in its section. */
export interface Candidate extends StoredPassage {
  chunkId: number;
  sourceType: SourceType;
  sourceId: string;
  /** The larger unit it was cut from; null where it is the whole. */
  section: number | null;
  title: string;
  /** Where in its file it stands; null where that has no headings. */
  heading: string | null;
  metadata: Metadata | null;
  /** Cosine distance to the question. */
  distance: number;
  /** Whether it is among the nearest. */
  isNear: boolean;
  /** How well it has the question's terms; 0 where it is not among the best, comparable within one search alone. */
  textScore: number;
  /** The figure of its section that sections are put in order by; null where it was not found by that. */
  amount: number | null;
  ownerEmployeeId: number | null;
  audience: Audience;
  /** Whether the caller is listed as a reader of its source. */
  isReader: boolean;
  /** In their order. */
  before: StoredPassage[];
  after: StoredPassage[];
}

/** How a passage was named: by the order that is asked for, its source by its id, or in its text by a code. */
type Naming = 'metric' | 'source' | 'code' | null;

/** A passage in the place that the search gives it. */
export interface Hit extends Candidate {
  /** Its share of the best words' score, 0 to 1. */
  words: number;
  /** What it is placed by: see {@link fuse}. */
  score: number;
  naming: Naming;
}

export interface FusionOptions {
  /** The share of the similarity, 0 to 1; the rest is that of the words. */
  vectorWeight: number;
  topK: number;
  /** The most sections of one source, besides those in the order of a figure; 0 for any number. */
  maxPerSource: number;
  named: QuestionCodes;
  /** The order of those that were found by a figure; null where none were. */
  sort: Sort | null;
}

/**
 * The best sections, best first. What was found by a figure comes first, in its order; then what the question names: sources by
 * their id, passages with its codes.
 * All else is placed by weight · cosine similarity + (1 - weight) · word score, the latter as a share of the best one's. The
 * similarity is taken as it is, not stretched over what was found: of a weak encoder, whose similarities lie close together,
 * it then decides little, and the words decide (measured against rank fusion and stretched scores: docs/retrieval.md).
 */
export function fuse(candidates: Candidate[], options: FusionOptions): Hit[] {
  const { vectorWeight, topK, maxPerSource, named, sort } = options;
  const bestText = Math.max(0, ...candidates.map(({ textScore }) => textScore));
  const hits = candidates.map((candidate): Hit => {
    const words = bestText === 0 ? 0 : candidate.textScore / bestText;
    const score = vectorWeight * (1 - candidate.distance) + (1 - vectorWeight) * words;
    return { ...candidate, words, score, naming: namingOf(candidate, named) };
  });
  hits.sort(
    (a, b) =>
      PLACES.indexOf(a.naming) - PLACES.indexOf(b.naming) ||
      byAmount(a, b, sort) ||
      b.score - a.score ||
      a.distance - b.distance ||
      a.chunkId - b.chunkId,
  );
  const sections = new Set<string>();
  const perSource = new Map<string, number>();
  const chosen: Hit[] = [];
  for (const hit of hits) {
    if (chosen.length === topK) break;
    const source = sourceKey({ type: hit.sourceType, id: hit.sourceId });
    const section = `${source} ${hit.section ?? `chunk ${hit.chunkId}`}`;
    const ofSource = perSource.get(source) ?? 0;
    const isLimited = maxPerSource > 0 && hit.naming !== 'metric';
    if (sections.has(section) || (isLimited && ofSource >= maxPerSource)) continue;
    sections.add(section);
    perSource.set(source, ofSource + 1);
    chosen.push(hit);
  }
  return chosen;
}

/** In their order. */
const PLACES: Naming[] = ['metric', 'source', 'code', null];

/** Equal amounts come in the order of their chunks, whatever is near; 0 where neither has one. */
function byAmount(a: Hit, b: Hit, sort: Sort | null): number {
  if (a.amount === null || b.amount === null) return 0;
  const difference = a.amount - b.amount || a.chunkId - b.chunkId;
  return sort?.descending === true && a.amount !== b.amount ? -difference : difference;
}

/**
 * The share of the similarity for a question: none where the embedding model does not know its language, since all that is
 * written in that lies about as near (measured: docs/retrieval.md).
 */
export const weightOf = (question: string, vectorWeight: number, languages: KnownLanguages): number =>
  understands(languages, question) ? vectorWeight : 0;

/** A database finds a code also within a longer one; whether it stands there by itself is seen here. */
function namingOf(candidate: Candidate, { sources, codes }: QuestionCodes): Naming {
  if (candidate.amount !== null) return 'metric';
  const isSource = ({ type, id }: QuestionCodes['sources'][number]) =>
    id === candidate.sourceId && (type === null || type === candidate.sourceType);
  if (sources.some(isSource)) return 'source';
  return codes.some((code) => containsCode(candidate.content, code)) ? 'code' : null;
}
