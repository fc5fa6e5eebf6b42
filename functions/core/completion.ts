import { AnswerModelUnavailable } from './errors.ts';
import { type CallTime, callWithRetry, ModelCallFailed, retryAfterOf } from './model-call.ts';
import { truncate } from './text.ts';

/** A model's reply as its provider gives it. */
export interface ModelReply {
  text: string;
  /** In the provider's words; null where it gives none. */
  finishReason: string | null;
  /** The model's own words for why it does not answer; '' for none. */
  refusal: string;
  tokens: { prompt: number; completion: number } | null;
}

interface Answer {
  text: string;
  finish: 'complete' | 'cut_off' | 'withheld';
  tokens: { prompt: number; completion: number } | null;
  retirement: string | null;
}

/**
 * The reasons of COHERE, COHEREV2, GENERIC and OpenAI's API (which Gemini's pass through) that are not an ordinary end,
 * in small letters. ERROR_LIMIT is the model's context, full amid the answer.
 */
const FINISH: Record<string, 'cut_off' | 'withheld' | 'failed'> = {
  max_tokens: 'cut_off',
  length: 'cut_off',
  error_limit: 'cut_off',
  error_toxic: 'withheld',
  content_filter: 'withheld',
  safety: 'withheld',
  recitation: 'withheld',
  blocklist: 'withheld',
  prohibited_content: 'withheld',
  spii: 'withheld',
  error: 'failed',
  user_cancel: 'failed',
  timeout: 'failed',
};

/** Some servers leave the model's thoughts in the text, before the answer. */
const THOUGHTS = /^\s*<think>[\s\S]*?(<\/think>\s*|$)/;

const MAX_RETIREMENT = 500;

/**
 * What a reply comes to, with what its provider says about the model's retirement ('' for nothing). Throws
 * ModelCallFailed where there is no reply, or its reason is a failure.
 */
export function readReply(reply: ModelReply | null, retirement: string): Answer {
  if (reply === null) throw ModelCallFailed.unreadable('the answer has not the shape of this API');
  const { text, finishReason, refusal, tokens } = reply;
  const reason = (finishReason ?? '').toLowerCase();
  const finish = Object.hasOwn(FINISH, reason) ? FINISH[reason] : 'complete';
  if (finish === 'failed') throw ModelCallFailed.unreadable(`the model ended with ${reason}`);
  const answer = text.replace(THOUGHTS, '').trim();
  return {
    text: answer,
    finish: answer === '' && refusal !== '' ? 'withheld' : (finish ?? 'complete'),
    tokens,
    retirement: retirement === '' ? null : truncate(retirement, MAX_RETIREMENT),
  };
}

/**
 * Asks for an answer, twice where that may help. What a safety filter stops before the model is an answer withheld;
 * every other failure is an AnswerModelUnavailable, whose cause has what `explain` makes of it, for the log.
 */
export async function answerWithin(
  time: CallTime,
  ask: (msLeft: number) => Promise<Answer>,
  explain: (failure: ModelCallFailed) => string,
): Promise<Answer> {
  try {
    return await callWithRetry(ask, time);
  } catch (error) {
    if (!(error instanceof ModelCallFailed)) throw error;
    if (error.fault === 'withheld') return { text: '', finish: 'withheld', tokens: null, retirement: null };
    throw new AnswerModelUnavailable('The answering model is not available now', {
      cause: new Error(explain(error), { cause: error }),
      retryAfterSeconds: retryAfterOf(error),
    });
  }
}

/** An object's fields; none of what is no object. */
export const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The texts among parts such as {type: 'TEXT', text}, joined; '' for null, which stands for no text; else null. */
export function textOfParts(content: unknown): string | null {
  if (content === null || content === undefined) return '';
  if (!Array.isArray(content)) return null;
  return content
    .map(fieldsOf)
    .filter(({ type }) => stringOf(type).toLowerCase() === 'text')
    .map(({ text }) => stringOf(text))
    .join('');
}

/** Both numbers of tokens, or null. */
export const tokensOf = (prompt: unknown, completion: unknown): ModelReply['tokens'] =>
  Number.isInteger(prompt) && Number.isInteger(completion)
    ? { prompt: prompt as number, completion: completion as number }
    : null;
