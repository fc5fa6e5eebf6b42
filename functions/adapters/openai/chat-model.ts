import {
  answerWithin,
  fieldsOf,
  type ModelReply,
  readReply,
  stringOf,
  textOfParts,
  tokensOf,
} from '../../core/completion.ts';
import { CLOCK, type Clock, ModelCallFailed, readRefusal } from '../../core/model-call.ts';
import { isReasoningModel, THOUGHT_TOKENS } from '../../core/openai-models.ts';
import type { ChatModel, ChatPrompt, Completion, CompletionOptions } from '../../ports/chat-model.ts';

export interface OpenAiChatOptions {
  /** What /chat/completions follows, such as https://openrouter.ai/api/v1 or http://127.0.0.1:11434/v1. */
  url: string;
  model: string;
  /** '' where none is needed; asked for at each call, since it may come from a vault. */
  apiKey(): Promise<string>;
  /** OCI's own API of this kind needs it; '' elsewhere. */
  compartmentId: string;
  /** The longest that an answer may take with all tries. */
  timeoutMs?: number;
  clock?: Clock;
}

const TIMEOUT_MS = 20_000;
/** Far more than any answer has: what is longer would fill the function's memory. */
const MAX_REPLY_BYTES = 4_000_000;

/** Any model behind OpenAI's chat API: OpenRouter, Ollama, vLLM, OCI. One request needs no SDK of a vendor. */
export class OpenAiChatModel implements ChatModel {
  readonly model: string;
  readonly #options: OpenAiChatOptions;
  readonly #url: URL;

  constructor(options: OpenAiChatOptions) {
    this.model = options.model;
    this.#options = options;
    this.#url = new URL(`${options.url.replace(/\/+$/, '')}/chat/completions`);
  }

  async complete(prompt: ChatPrompt, { maxTokens, deadline }: CompletionOptions): Promise<Completion> {
    const { timeoutMs = TIMEOUT_MS, clock = CLOCK } = this.#options;
    const body = JSON.stringify(this.#request(prompt, maxTokens));
    const texts = prompt.turns.map(({ text }) => text);
    const ask = async (msLeft: number) => this.#ask({ body, headers: await this.#headers() }, texts, msLeft);
    return answerWithin({ deadline, timeoutMs, clock }, ask, (failure) => this.#explain(failure));
  }

  async #headers(): Promise<Record<string, string>> {
    const { apiKey, compartmentId } = this.#options;
    const key = await apiKey().catch((cause: unknown) => {
      throw new ModelCallFailed('away', 'RAG_ANSWER_API_KEY could not be read', 0, null, { cause });
    });
    // fetch would tell the whole key in its error.
    if (!/^[\x21-\x7e]*$/.test(key)) {
      throw new ModelCallFailed('refused', 'RAG_ANSWER_API_KEY has a blank or a character beyond ASCII in it', 0);
    }
    return {
      'content-type': 'application/json',
      ...(key !== '' && { authorization: `Bearer ${key}` }),
      ...(compartmentId !== '' && { 'opc-compartment-id': compartmentId }),
    };
  }

  #request({ instructions, turns }: ChatPrompt, maxTokens: number) {
    return {
      model: this.model,
      messages: [
        { role: 'system', content: instructions },
        ...turns.map(({ role, text }) => ({ role, content: text })),
      ],
      // The older name elsewhere, which all servers know.
      ...(isReasoningModel(this.model)
        ? { max_completion_tokens: maxTokens + THOUGHT_TOKENS }
        : { max_tokens: maxTokens, temperature: 0 }),
      stream: false,
    };
  }

  async #ask(
    call: { headers: Record<string, string>; body: string },
    texts: string[],
    msLeft: number,
  ): Promise<Completion> {
    const signal = AbortSignal.timeout(msLeft);
    // Followed elsewhere, a redirection would take the records along.
    const request = { method: 'POST', ...call, redirect: 'manual', signal } as const;
    const response = await fetch(this.#url, request).catch((cause: unknown) => {
      throw ModelCallFailed.noAnswer(cause);
    });
    const answer: unknown = await readJson(response).catch((error: Error) => {
      if (error instanceof ModelCallFailed) throw error;
      if (error.name === 'TimeoutError') throw ModelCallFailed.noAnswer(error);
      // A parser's error quotes what it read.
      if (response.ok) throw ModelCallFailed.unreadable('the body ends early or is not JSON');
      return null;
    });
    const refusal = refusalIn(answer, response);
    if (refusal !== null) throw readRefusal(refusal, [call.headers.authorization ?? '', ...texts]);
    return readReply(readAnswer(answer), response.headers.get('model-deprecation-info') ?? '');
  }

  #explain({ message, status }: ModelCallFailed): string {
    const remedy = REMEDIES[status];
    return `${this.model} at ${this.#url.host}: ${message}${remedy === undefined ? '' : `; ${remedy}`}`;
  }
}

async function readJson({ body }: Response): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop ends the connection.
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > MAX_REPLY_BYTES) throw ModelCallFailed.unreadable('the body is longer than 4 MB');
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}

/** What an operator can mend, by the status of HTTP. */
const REMEDIES: Record<number, string> = {
  400: 'RAG_ANSWER_MODEL may not chat, or the prompt is longer than it takes',
  401: 'RAG_ANSWER_API_KEY must be a key of this API',
  402: 'the account of RAG_ANSWER_API_KEY has no credit left',
  403: 'RAG_ANSWER_API_KEY must be allowed to use RAG_ANSWER_MODEL',
  404: 'RAG_ANSWER_URL must be what /chat/completions follows, and RAG_ANSWER_MODEL a model there',
};

/** OpenRouter tells some of its refusals with HTTP 200 and the true status within. */
function refusalIn(answer: unknown, { ok, status, headers }: Response) {
  const { error, choices, message } = fieldsOf(answer);
  const isError = typeof error === 'object' && error !== null;
  if (ok && (!isError || Array.isArray(choices))) return null;
  const { code, type, message: words } = fieldsOf(error);
  const within = Number(code) >= 400 && Number(code) <= 599 ? Number(code) : 502;
  return {
    status: ok ? within : status,
    retryAfter: headers.get('retry-after'),
    code: stringOf(code) || stringOf(type),
    message: stringOf(words) || stringOf(error) || stringOf(message),
  };
}

/** Null where the answer has another shape. */
function readAnswer(answer: unknown): ModelReply | null {
  const { choices, usage } = fieldsOf(answer);
  const { message, finish_reason } = fieldsOf(Array.isArray(choices) ? choices[0] : null);
  if (typeof message !== 'object' || message === null) return null;
  const { content, refusal } = fieldsOf(message);
  const text = typeof content === 'string' ? content : textOfParts(content);
  if (text === null) return null;
  const { prompt_tokens, completion_tokens } = fieldsOf(usage);
  return {
    text,
    finishReason: stringOf(finish_reason),
    refusal: stringOf(refusal),
    tokens: tokensOf(prompt_tokens, completion_tokens),
  };
}
