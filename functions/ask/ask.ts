import { LANGUAGE_MISMATCH, NOT_FOUND, OFF_TOPIC, type Outcome, VALIDATED_FOR } from '../core/answer.ts';
import { checkCitations } from '../core/citations.ts';
import { AnswerModelUnavailable, ModelCallLimit, toAppError } from '../core/errors.ts';
import { isOnTopic, type TopicLimits } from '../core/evidence.ts';
import type { Hit } from '../core/fusion.ts';
import { detectLanguage, type Language, understands } from '../core/language.ts';
import type { Exchange } from '../core/prompt.ts';
import { otherVersions, validationOf } from '../core/resolutions.ts';
import { hasSupport } from '../core/support.ts';
import type { Answer } from '../shapes.ts';
import { logQuestion, type QuestionLogEntry } from '../store/question-log.ts';
import type { Answerer, DraftFlaw, Tokens } from './answerer.ts';
import { type RetrievalOptions, retrieve, type Searching } from './retrieve.ts';
import { toCitation, toNumberedSource, toSupport, whatIsShown } from './sources.ts';
import { Stopwatch } from './stopwatch.ts';
import { type JudgedStatement, judgeStatements } from './support.ts';

export interface AskContext extends Searching, TopicLimits {
  callId: string;
  startedAt: number;
  deadline: Date | null;
  retrieval: RetrievalOptions;
  /** Whether the texts of questions and answers go into the question log. */
  textKept: boolean;
  /** Whether this is the first call of its process. */
  cold: boolean;
}

export interface Asked {
  question: string;
  history: Exchange[];
}

/** What was said, and what it rests on, before it is put into the answer's shape. */
interface Reply {
  outcome: Outcome;
  reason: Reason | null;
  answer: string;
  cited: number[];
  removed: string[];
  support: JudgedStatement[] | null;
  dropped: number;
  model: string | null;
}

/** Why the outcome is what it is, where it does not say so itself. */
type Reason = 'language_mismatch' | 'no_citation' | 'no_support' | DraftFlaw;

/** Finds sources and has them answered from; the question and what came of it are logged, whatever comes. */
export async function ask(context: AskContext, answerer: Answerer, asked: Asked): Promise<Answer> {
  const run = new Run(context, answerer, asked);
  try {
    const answer = await run.answer();
    // An answer is worth more than its row in the log.
    await run.log(answer.outcome).catch((cause: unknown) => context.log.error('question_not_logged', cause));
    return answer;
  } catch (thrown) {
    const error = toAppError(thrown);
    await run.log('failed', error.code).catch(
      // What failed may be the database itself: then the log of the process is all there is.
      (cause: unknown) => context.log.error('question_not_logged', cause),
    );
    // Without an answer, what was found is still worth showing.
    if (error instanceof AnswerModelUnavailable || error instanceof ModelCallLimit) error.members = run.found();
    throw error;
  }
}

class Run {
  readonly #context: AskContext;
  readonly #answerer: Answerer;
  readonly #asked: Asked;
  readonly #language: Language;
  readonly #watch = new Stopwatch();
  #standalone: Pick<Answer, 'standaloneQuestion' | 'rewrittenBy'> = { standaloneQuestion: null, rewrittenBy: null };
  #hits: Hit[] = [];
  #reply: Reply | null = null;
  /** Of all calls of a model. */
  #tokens: Tokens | null = null;

  constructor(context: AskContext, answerer: Answerer, asked: Asked) {
    this.#context = context;
    this.#answerer = answerer;
    this.#asked = asked;
    this.#language = detectLanguage(asked.question);
  }

  async answer(): Promise<Answer> {
    const { callId, startedAt } = this.#context;
    const question = await this.#toStandalone();
    const { hits, timings } = await retrieve(this.#context, question, this.#context.retrieval);
    this.#hits = hits;
    this.#watch.add(timings);
    const reply = await this.#replyTo(question);
    this.#reply = reply;
    return {
      outcome: reply.outcome,
      reason: reply.reason,
      answer: reply.answer,
      citations: reply.cited.flatMap((n) => toCitation(hits, n, reply.answer)),
      support: reply.support === null ? null : toSupport(reply.support),
      removedCitations: reply.removed,
      droppedSources: reply.dropped,
      ...this.#standalone,
      language: this.#language,
      model: reply.model,
      timings: this.#watch.total(startedAt),
      callId,
    };
  }

  /** What a problem document tells beside the problem: the sources, in their order. */
  found(): Pick<Answer, 'citations' | 'timings'> {
    return {
      citations: this.#hits.flatMap((_, i) => toCitation(this.#hits, i + 1, null)),
      timings: this.#watch.total(this.#context.startedAt),
    };
  }

  async log(outcome: QuestionLogEntry['outcome'], errorCode: string | null = null): Promise<void> {
    const { database, caller, callId, textKept, cutoff, cold } = this.#context;
    const { question } = this.#asked;
    const reply = this.#reply;
    const { standaloneQuestion } = this.#standalone;
    await logQuestion(database, caller, {
      callId,
      textKept,
      question,
      standalone: standaloneQuestion,
      language: this.#language,
      outcome,
      reason: reply?.reason ?? null,
      errorCode,
      answer: reply?.answer ?? null,
      cutoff,
      retrieved: this.#hits.map(({ chunkId, sourceType, sourceId, distance, words, score, naming }, i) => ({
        n: i + 1,
        chunkId,
        sourceType,
        sourceId,
        distance,
        textScore: words,
        fused: score,
        exact: naming !== null,
      })),
      dropped: reply?.dropped ?? 0,
      cited: reply?.cited.flatMap((n) => this.#hits[n - 1]?.chunkId ?? []) ?? [],
      removedCitations: reply?.removed ?? [],
      support: reply?.support?.map(({ text, support }) => ({ sentence: text, verdict: support })) ?? null,
      model: outcome === 'failed' ? this.#answerer.model : (reply?.model ?? null),
      timings: this.#watch.timings,
      tokens: this.#tokens,
      cold,
    });
  }

  /** The question as it is searched for: a follow-up needs what it refers to. */
  async #toStandalone(): Promise<string> {
    const { question, history } = this.#asked;
    if (history.length === 0) return question;
    const { deadline } = this.#context;
    const standalone = await this.#watch.time('rewrite', () => this.#answerer.standalone(question, history, deadline));
    this.#count(standalone.tokens);
    if (standalone.question !== question) {
      this.#standalone = { standaloneQuestion: standalone.question, rewrittenBy: standalone.by };
    }
    return standalone.question;
  }

  async #replyTo(question: string): Promise<Reply> {
    const { log, deadline } = this.#context;
    const hits = this.#hits;
    if (!isOnTopic(question, hits, this.#context)) return this.#refuse('off_topic', null);

    const { question: asked, history } = this.#asked;
    const answerer = this.#answerer;
    const sources = hits.map(toNumberedSource);
    const { answer, flaw, shown, tokens } = await this.#watch.time('answer', () =>
      answerer.answer({ question: asked, standalone: question, sources, history, deadline }),
    );
    this.#count(tokens);
    const rest = { model: answerer.model, dropped: hits.length - shown };
    if (answer === null) return this.#refuse('not_found', flaw, rest);

    const checked = checkCitations(
      answer,
      hits.slice(0, shown).map(({ sourceType, sourceId }, i) => ({ n: i + 1, sourceType, sourceId })),
    );
    const { removed, cited } = checked;
    if (removed.length > 0) log.warn('citations_removed', { count: removed.length });
    if (cited.length === 0) return this.#refuse('not_found', flaw ?? 'no_citation', { ...rest, removed });

    const support = await this.#watch.time('support', () =>
      judgeStatements(this.#context, checked.answer, hits, whatIsShown, this.#context),
    );
    if (!hasSupport(support)) return this.#refuse('not_found', flaw ?? 'no_support', { ...rest, removed, support });
    const told = [checked.answer, ...this.#validations(question, cited)].join('\n');
    return { outcome: 'answered', reason: flaw, answer: told, cited, removed, support, ...rest };
  }

  /** For each fix that is cited what it was validated for, and which of the versions that were asked about it was not. */
  #validations(question: string, cited: number[]): string[] {
    const hits = this.#hits;
    const { facts = [] } = this.#context.retrieval.filters;
    const filtered = facts.flatMap(({ name, values }) => (name === 'erpVersion' ? values : []));
    // What a record says of itself must not pass for a citation.
    const plain = (text: string) => text.replace(/[[\]]/g, '');
    return cited.flatMap((n) => {
      const hit = hits[n - 1];
      const validation = hit === undefined ? null : validationOf(hit);
      if (validation === null) return [];
      const { erpVersion, erpModule, environmentId } = validation;
      const sentence = VALIDATED_FOR[this.#language]({
        n,
        version: plain(erpVersion),
        places: [erpModule, environmentId].filter((place) => place !== null).map(plain),
        others: otherVersions(erpVersion, question, hits, filtered).map(plain),
      });
      return [sentence];
    });
  }

  /**
   * Whether the search by meaning could not see: the model does not know the question's language, and neither a name nor a
   * text in that language was found. That is what to tell then, rather than that there is nothing.
   */
  #isBlind(): boolean {
    const { question } = this.#asked;
    if (understands(this.#context.languages, question)) return false;
    const [best] = this.#hits;
    return best === undefined || (best.naming === null && detectLanguage(best.content) !== this.#language);
  }

  #count(tokens: Tokens | null): void {
    if (tokens === null) return;
    const { prompt, completion } = this.#tokens ?? { prompt: 0, completion: 0 };
    this.#tokens = { prompt: prompt + tokens.prompt, completion: completion + tokens.completion };
  }

  #refuse(outcome: 'not_found' | 'off_topic', reason: Reason | null, rest: Partial<Reply> = {}): Reply {
    const language = this.#language;
    const isBlind = reason === null && this.#isBlind();
    const sentences = isBlind ? LANGUAGE_MISMATCH : outcome === 'off_topic' ? OFF_TOPIC : NOT_FOUND;
    return {
      outcome,
      reason: isBlind ? 'language_mismatch' : reason,
      answer: sentences[language],
      cited: [],
      removed: [],
      support: null,
      dropped: 0,
      model: null,
      ...rest,
    };
  }
}
