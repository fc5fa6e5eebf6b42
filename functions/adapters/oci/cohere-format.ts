import type { models } from 'oci-generativeaiinference';
import { fieldsOf, stringOf, tokensOf } from '../../core/completion.ts';
import type { ChatFormat } from './chat-format.ts';

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
    const { promptTokens, completionTokens } = fieldsOf(usage);
    return {
      text,
      finishReason: stringOf(finishReason),
      refusal: '',
      tokens: tokensOf(promptTokens, completionTokens),
    };
  },
};
