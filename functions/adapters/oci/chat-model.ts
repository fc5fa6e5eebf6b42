import { GenerativeAiInferenceClient } from 'oci-generativeaiinference';
import { answerWithin, fieldsOf, readReply, stringOf } from '../../core/completion.ts';
import { CLOCK, type Clock, type ModelCallFailed } from '../../core/model-call.ts';
import type { ChatModel, ChatPrompt, Completion, CompletionOptions } from '../../ports/chat-model.ts';
import { formatOf } from './chat-formats.ts';
import { askOnce, type GenerativeAiPlace } from './one-call.ts';

export interface GenerativeAiChatOptions extends GenerativeAiPlace {
  /** Such as cohere.command-a-03-2025. */
  model: string;
  /** The longest that an answer may take with all tries. */
  timeoutMs?: number;
  clock?: Clock;
}

const TIMEOUT_MS = 20_000;

/**
 * A model of OCI Generative AI, served on demand. The provider's own documents and citations are left alone: the
 * sources stand numbered in the prompt, so that every model is asked, and checked, in the same way.
 */
export class GenerativeAiChatModel implements ChatModel {
  readonly model: string;
  readonly #place: GenerativeAiPlace;
  readonly #timeoutMs: number;
  readonly #clock: Clock;

  constructor({ model, timeoutMs = TIMEOUT_MS, clock = CLOCK, ...place }: GenerativeAiChatOptions) {
    this.model = model;
    this.#place = place;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
  }

  async complete(prompt: ChatPrompt, { maxTokens, deadline }: CompletionOptions): Promise<Completion> {
    const time = { deadline, timeoutMs: this.#timeoutMs, clock: this.#clock };
    const ask = (msLeft: number) => this.#ask(prompt, maxTokens, msLeft);
    return answerWithin(time, ask, (failure) => this.#explain(failure));
  }

  async #ask(prompt: ChatPrompt, maxTokens: number, msLeft: number): Promise<Completion> {
    const format = formatOf(this.model);
    const chatDetails = {
      compartmentId: this.#place.compartmentId,
      servingMode: { servingType: 'ON_DEMAND', modelId: this.model },
      chatRequest: format.request(prompt, this.model, maxTokens),
    };
    const question = { place: this.#place, msLeft, sent: prompt.turns.map(({ text }) => text) };
    const answer = await askOnce(GenerativeAiInferenceClient, question, (client) => client.chat({ chatDetails }));
    // The SDK's types say what ought to come; what came is looked through.
    const { chatResult, modelDeprecationInfo } = fieldsOf(answer);
    return readReply(format.read(fieldsOf(chatResult).chatResponse), stringOf(modelDeprecationInfo));
  }

  #explain({ message, status }: ModelCallFailed): string {
    const { region, compartmentId } = this.#place;
    const remedy = REMEDIES[status];
    return (
      `${this.model} in ${region}: ${message}` +
      (remedy === undefined ? '' : `; ${remedy.replace('<compartment>', compartmentId)}`)
    );
  }
}

const RIGHTS =
  'a policy must let this function use generative-ai-chat (or generative-ai-family) in the compartment <compartment> ' +
  '(RAG_ANSWER_COMPARTMENT)';

/** What an operator can mend, by the status of HTTP. */
const REMEDIES: Record<number, string> = {
  400: 'RAG_ANSWER_MODEL may not chat, or not on demand in this region, or the prompt is longer than it takes',
  401: `the tenancy must be subscribed to the region (RAG_ANSWER_REGION), and ${RIGHTS}`,
  403: RIGHTS,
  404: `RAG_ANSWER_MODEL must be a model that RAG_ANSWER_REGION serves on demand, and ${RIGHTS}`,
};
