import { codesIn, type QuestionCodes } from '../core/codes.ts';
import type { Sort } from '../core/facts.ts';
import { type Candidate, fuse, type Hit, weightOf } from '../core/fusion.ts';
import { detectLanguage, type KnownLanguages } from '../core/language.ts';
import { metricAsked } from '../core/metric-question.ts';
import { placeResolutions } from '../core/resolutions.ts';
import { type Caller, maySee } from '../core/scope.ts';
import { queryTerms } from '../core/terms.ts';
import type { Database } from '../ports/database.ts';
import type { Embedder } from '../ports/embedder.ts';
import type { Log } from '../ports/platform.ts';
import type { Order } from '../store/branches.ts';
import { searchCandidates } from '../store/candidates.ts';
import type { Filters } from '../store/scope.ts';
import { elapsed } from './stopwatch.ts';

/** Where and for whom is searched. */
export interface Searching {
  database: Database;
  embedder: Embedder;
  caller: Caller;
  log: Log;
}

export interface RetrievalOptions {
  topK: number;
  /** The share of the similarity against that of the words, 0 to 1. */
  vectorWeight: number;
  /** What the embedding model understands. */
  languages: KnownLanguages;
  /** The most sections of one source; 0 for any number. */
  maxPerSource: number;
  filters: Filters;
  /** The order by a figure in which sections are wanted, whatever else the question says; null for the best ones. */
  sort: Sort | null;
  /** Whether who sees everything may be answered by way of an index that misses a few. */
  approximate: boolean;
}

export interface Retrieval {
  /** Best first. */
  hits: Hit[];
  timings: { embed: number; search: number };
}

/** How many sections each branch brings for each that is wanted, and at least; more of them change no ranking measured. */
const DEPTH = { perHit: 4, atLeast: 32 };

/** Of the order that a question itself asks for, so many sections come first unless it says how many. */
const FIRST_IN_ORDER = 3;

/** What the branches have found, still to be put in order. */
export interface Found {
  candidates: Candidate[];
  /** The ids and codes that the question names. */
  named: QuestionCodes;
  /** The order that is asked for; null where none is. */
  sort: Sort | null;
  timings: Retrieval['timings'];
}

/** The best passages that the caller may see, one a section, in one round trip to the database. */
export async function retrieve(searching: Searching, question: string, options: RetrievalOptions): Promise<Retrieval> {
  const { timings, candidates, named, sort } = await findCandidates(searching, question, options);
  const { topK, maxPerSource, languages } = options;
  const vectorWeight = weightOf(question, options.vectorWeight, languages);
  const all = fuse(candidates, { vectorWeight, topK: candidates.length, maxPerSource, named, sort });
  return { hits: placeResolutions(question, all, topK), timings };
}

/** What {@link retrieve} chooses from: more than is wanted, from each branch, and what the question names. */
export async function findCandidates(
  { database, embedder, caller, log }: Searching,
  question: string,
  { topK, filters, sort, approximate }: Pick<RetrievalOptions, 'topK' | 'filters' | 'sort' | 'approximate'>,
): Promise<Found> {
  const embedStart = performance.now();
  const [vector = ''] = await embedder.encode([question], 'question');
  const searchStart = performance.now();
  const named = codesIn(question);
  const order = orderOf(question, sort, topK);
  const found = await searchCandidates(database, caller, {
    question: vector,
    terms: queryTerms(question, detectLanguage(question)),
    named,
    order,
    model: embedder,
    filters,
    depth: Math.max(DEPTH.atLeast, topK * DEPTH.perHit),
    approximate,
  });
  const end = performance.now();
  const candidates = found.filter((candidate) => maySee(caller, candidate));
  if (candidates.length < found.length) {
    log.error('scope_breach_stopped', new Error('the database returned rows that the caller may not see'), {
      employeeId: caller.employeeId,
      rows: found.length - candidates.length,
    });
  }
  return {
    candidates,
    named,
    sort: order?.sort ?? null,
    timings: { embed: elapsed(embedStart, searchStart), search: elapsed(searchStart, end) },
  };
}

/** The order by a figure that is wanted: that of the request, with nothing else, or the one that the question asks for. */
function orderOf(question: string, sort: Sort | null, topK: number): Order | null {
  if (sort !== null) return { sort, count: topK, isAlone: true };
  const asked = metricAsked(question);
  return asked === null ? null : { sort: asked, count: Math.min(asked.count ?? FIRST_IN_ORDER, topK), isAlone: false };
}
