import { type Answerer, ExtractiveAnswerer } from '../../functions/ask/answerer.ts';
import { type AskContext, ask } from '../../functions/ask/ask.ts';
import { search } from '../../functions/ask/search.ts';
import type { Sort } from '../../functions/core/facts.ts';
import type { Exchange } from '../../functions/core/prompt.ts';
import type { Caller } from '../../functions/core/scope.ts';
import type { Database } from '../../functions/ports/database.ts';
import type { Embedder } from '../../functions/ports/embedder.ts';
import type { Answer } from '../../functions/shapes.ts';
import type { Filters } from '../../functions/store/scope.ts';

/** What a question needs besides its text; nothing is too far away unless a cutoff says so. */
export interface Asking {
  caller: Caller;
  topK?: number;
  cutoff?: number;
  embedder?: Embedder;
  history?: Exchange[];
  filters?: Filters;
  sort?: Sort;
  vectorWeight?: number;
  maxPerSource?: number;
  wordCoverage?: number;
  languages?: 'en' | 'any';
  textKept?: boolean;
}

interface Parts {
  database: Database;
  embedder: Embedder;
}

export function askContext(parts: Parts, asking: Asking): AskContext {
  const { caller, topK = 8, cutoff = 2, embedder = parts.embedder, filters = {} } = asking;
  const { sort = null, vectorWeight = 1, maxPerSource = 0 } = asking;
  return {
    callId: 'test',
    startedAt: performance.now(),
    deadline: null,
    caller,
    database: parts.database,
    embedder,
    log: { info() {}, warn() {}, error() {} },
    retrieval: {
      topK,
      filters,
      sort,
      vectorWeight,
      languages: asking.languages ?? 'any',
      maxPerSource,
      approximate: false,
    },
    cutoff,
    wordCoverage: asking.wordCoverage ?? 2,
    languages: asking.languages ?? 'any',
    textKept: asking.textKept ?? true,
    cold: false,
  };
}

export const askAs = (
  parts: Parts,
  asking: Asking,
  question: string,
  answerer: Answerer = new ExtractiveAnswerer(),
): Promise<Answer> => ask(askContext(parts, asking), answerer, { question, history: asking.history ?? [] });

/** An answerer that always says the same, or fails, and notes what it was asked. */
export class FixedAnswerer implements Answerer {
  readonly model = 'fixed';
  readonly requests: Parameters<Answerer['answer']>[0][] = [];
  readonly #says: string | null | Error;

  constructor(says: string | null | Error) {
    this.#says = says;
  }

  async standalone(question: string) {
    return { question, by: 'rule' as const, tokens: null };
  }

  async answer(request: Parameters<Answerer['answer']>[0]) {
    this.requests.push(request);
    if (this.#says instanceof Error) throw this.#says;
    return { answer: this.#says, flaw: null, shown: request.sources.length, tokens: null };
  }
}

/** The sources that a search finds, best first, as "type/id". */
export async function findSources(parts: Parts, asking: Asking, question: string): Promise<string[]> {
  const { citations } = await search(askContext(parts, asking), { question, history: asking.history ?? [] }, null);
  return citations.map((citation) => `${citation.sourceType}/${citation.sourceId}`);
}
