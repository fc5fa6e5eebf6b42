import { newFence } from '../core/fence.ts';
import { buildRewritePrompt, readRewrite } from '../core/follow-up.ts';
import { buildAnswerPrompt, type Exchange, isNotFound, withoutNotFoundWord } from '../core/prompt.ts';
import type { ChatModel, ChatPrompt, Completion } from '../ports/chat-model.ts';
import type { Log, Metrics } from '../ports/platform.ts';
import type { Answerer, AnswerRequest, Draft, Standalone } from './answerer.ts';

export interface ChatAnswererOptions {
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

/** Has a language model answer from fenced, numbered sources. */
export class ChatAnswerer implements Answerer {
  readonly model: string;
  readonly #chatModel: ChatModel;
  readonly #options: ChatAnswererOptions;

  constructor(chatModel: ChatModel, options: ChatAnswererOptions) {
    this.model = chatModel.model;
    this.#chatModel = chatModel;
    this.#options = options;
  }

  async standalone(question: string, history: Exchange[], deadline: Date | null): Promise<Standalone> {
    const prompt = buildRewritePrompt(question, history, newFence());
    const { text, tokens } = await this.#complete(prompt, REWRITE_TOKENS, deadline);
    return { question: readRewrite(text, question, history), by: 'model', tokens };
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
    const { takeCall, metrics, log } = this.#options;
    await takeCall();
    const completion = await this.#chatModel.complete(prompt, { maxTokens, deadline });
    if (completion.retirement !== null) {
      metrics.count('model_retirement', 1);
      log.warn('model_retirement', { model: this.model, notice: completion.retirement });
    }
    return completion;
  }
}
