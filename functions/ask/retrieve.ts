import { codesIn, type QuestionCodes } from '../core/codes.ts';
import { type Candidate, fuse, type Hit, weightOf } from '../core/fusion.ts';
import { detectLanguage, type KnownLanguages } from '../core/language.ts';
import { type Caller, maySee } from '../core/scope.ts';
import { queryTerms } from '../core/terms.ts';
import type { Database } from '../ports/database.ts';
import type { Embedder } from '../ports/embedder.ts';
import type { Log } from '../ports/platform.ts';
import { searchCandidates } from '../store/candidates.ts';
import type { Filter } from '../store/scope.ts';
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
  filter: Filter;
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

/** What both branches have found, still to be put in order. */
export interface Found {
  candidates: Candidate[];
  /** The ids and codes that the question names. */
  named: QuestionCodes;
  timings: Retrieval['timings'];
}

/** The best passages that the caller may see, one a section, in one round trip to the database. */
export async function retrieve(searching: Searching, question: string, options: RetrievalOptions): Promise<Retrieval> {
  const { candidates, named, timings } = await findCandidates(searching, question, options);
  const vectorWeight = weightOf(question, options.vectorWeight, options.languages);
  return { hits: fuse(candidates, { ...options, vectorWeight, named }), timings };
}

/** What {@link retrieve} chooses from: more than is wanted, from each branch, and what the question names. */
export async function findCandidates(
  { database, embedder, caller, log }: Searching,
  question: string,
  { topK, filter, approximate }: Pick<RetrievalOptions, 'topK' | 'filter' | 'approximate'>,
): Promise<Found> {
  const embedStart = performance.now();
  const [vector = ''] = await embedder.encode([question], 'question');
  const searchStart = performance.now();
  const named = codesIn(question);
  const found = await searchCandidates(database, caller, {
    question: vector,
    terms: queryTerms(question, detectLanguage(question)),
    named,
    model: embedder,
    filter,
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
    timings: { embed: elapsed(embedStart, searchStart), search: elapsed(searchStart, end) },
  };
}
