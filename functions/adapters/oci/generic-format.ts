import type { models } from 'oci-generativeaiinference';
import { fieldsOf, stringOf, textOfParts } from '../../core/completion.ts';
import { isReasoningModel, THOUGHT_TOKENS } from '../../core/openai-models.ts';
import { type ChatFormat, messagesOf, usageOf } from './chat-format.ts';

/** GENERIC: messages of parts, for the models of Meta, xAI, Google, OpenAI and others. */
export const genericFormat: ChatFormat = {
  request(prompt, model, maxTokens) {
    const request: models.GenericChatRequest = {
      apiFormat: 'GENERIC',
      messages: messagesOf(prompt),
      // Those of OpenAI all think, and take the limit under the name that counts their thoughts; those that OpenAI
      // itself runs refuse any temperature but their own.
      ...(model.startsWith('openai.') ? { maxCompletionTokens: maxTokens + THOUGHT_TOKENS } : { maxTokens }),
      ...(!isReasoningModel(model) && { temperature: 0 }),
      isStream: false,
    };
    return request;
  },

  read(response) {
    const { choices, usage } = fieldsOf(response);
    const { message: said, finishReason } = fieldsOf(Array.isArray(choices) ? choices[0] : null);
    const text = typeof said === 'object' && said !== null ? textOfParts(fieldsOf(said).content) : null;
    if (text === null) return null;
    return {
      text,
      finishReason: stringOf(finishReason),
      refusal: stringOf(fieldsOf(said).refusal),
      tokens: usageOf(usage),
    };
  },
};
