import { AnswerModelUnavailable, ModelCallLimit } from '../core/errors.ts';
import { newFence } from '../core/fence.ts';
import { buildRewritePrompt, readRewrite, standaloneByRule } from '../core/follow-up.ts';
import { buildAnswerPrompt, type Exchange, isNotFound, withoutNotFoundWord } from '../core/prompt.ts';
import { toStorable } from '../core/text.ts';
import type { ChatModel, ChatPrompt, Completion } from '../ports/chat-model.ts';
import type { Log, Metrics } from '../ports/platform.ts';
import type { Answerer, AnswerRequest, Draft, Standalone } from './answerer.ts';

export interface ChatAnswererOptions {
  /** Named in every answer. */
  model: string;
  /** Loads what asks it, when it is first asked: what is off the subject needs none of it. */
  open(): Promise<ChatModel>;
  /** For the whole prompt, in tokens as they are estimated. */
  promptTokens: number;
  /** For the answer. */
  maxTokens: number;
  /** Counts a call before it is made; throws ModelCallLimit where there is none left. */
  takeCall(): Promise<void>;
  metrics: Pick<Metrics, 'count'>;
  log: Log;
}

/** A follow-up is one line. */
const REWRITE_TOKENS = 200;
/** So long is waited for it, since the answer needs time, too. */
const REWRITE_MS = 8000;

/** An alarm looks once an hour; each report costs its call a round trip. */
const TELL_RETIREMENT_EVERY_MS = 3_600_000;
let retirementToldAt = Number.NEGATIVE_INFINITY;

/** Has a language model answer from fenced, numbered sources. */
export class ChatAnswerer implements Answerer {
  readonly model: string;
  readonly #options: ChatAnswererOptions;

  constructor(options: ChatAnswererOptions) {
    this.model = options.model;
    this.#options = options;
  }

  /** Where the model does not answer, or may not be asked, the rule does what it can: the sources are worth more. */
  async standalone(question: string, history: Exchange[], deadline: Date | null): Promise<Standalone> {
    const prompt = buildRewritePrompt(question, history, newFence());
    const soon = new Date(Math.min(Date.now() + REWRITE_MS, deadline?.getTime() ?? Number.POSITIVE_INFINITY));
    try {
      const { text, tokens } = await this.#complete(prompt, REWRITE_TOKENS, soon);
      return { ...readRewrite(text, question, history), tokens };
    } catch (error) {
      if (!(error instanceof AnswerModelUnavailable || error instanceof ModelCallLimit)) throw error;
      return { question: standaloneByRule(question, history), by: 'rule', tokens: null };
    }
  }

  async answer({ question, sources, history, deadline }: AnswerRequest): Promise<Draft> {
    const { promptTokens: tokenBudget, maxTokens, log } = this.#options;
    const { prompt, shown, dropped } = buildAnswerPrompt({
      question,
      sources,
      history,
      tokenBudget,
      fence: newFence(),
    });
    if (dropped > 0) log.info('sources_dropped', { shown, dropped });
    const { text, finish, tokens } = await this.#complete(prompt, maxTokens, deadline);
    const flaw = finish === 'complete' ? null : finish;
    const isEmpty = flaw === 'withheld' || text.trim() === '' || isNotFound(text);
    return { answer: isEmpty ? null : withoutNotFoundWord(text), flaw, shown, tokens };
  }

  async #complete(prompt: ChatPrompt, maxTokens: number, deadline: Date | null): Promise<Completion> {
    const { open, takeCall, metrics, log } = this.#options;
    const chatModel = await open();
    await takeCall();
    const completion = await chatModel.complete(prompt, { maxTokens, deadline });
    if (completion.retirement !== null && performance.now() - retirementToldAt > TELL_RETIREMENT_EVERY_MS) {
      retirementToldAt = performance.now();
      metrics.count('model_retirement', 1);
      log.warn('model_retirement', { model: this.model, notice: completion.retirement });
    }
    return { ...completion, text: toStorable(completion.text) };
  }
}
