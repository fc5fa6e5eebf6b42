import type { models } from 'oci-generativeaiinference';
import { fieldsOf, stringOf } from '../../core/completion.ts';
import { type ChatFormat, usageOf } from './chat-format.ts';

/** COHERE: one message, what was said before it, and a preamble. */
export const cohereFormat: ChatFormat = {
  request({ instructions, turns }, _model, maxTokens) {
    const history = turns.slice(0, -1).map(({ role, text }) => ({
      role: role === 'user' ? 'USER' : 'CHATBOT',
      message: text,
    }));
    const request: models.CohereChatRequest = {
      apiFormat: 'COHERE',
      message: turns.at(-1)?.text ?? '',
      chatHistory: history,
      preambleOverride: instructions,
      maxTokens,
      temperature: 0,
      isStream: false,
    };
    return request;
  },

  read(response) {
    const { text, finishReason, usage } = fieldsOf(response);
    if (typeof text !== 'string') return null;
    return {
      text,
      finishReason: stringOf(finishReason),
      refusal: '',
      tokens: usageOf(usage),
    };
  },
};
