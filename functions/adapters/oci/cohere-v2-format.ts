import type { models } from 'oci-generativeaiinference';
import { fieldsOf, stringOf, textOfParts } from '../../core/completion.ts';
import { type ChatFormat, messagesOf, usageOf } from './chat-format.ts';

/** COHEREV2: messages of parts. */
export const cohereV2Format: ChatFormat = {
  request(prompt, model, maxTokens) {
    const request: models.CohereChatRequestV2 = {
      apiFormat: 'COHEREV2',
      messages: messagesOf(prompt),
      maxTokens,
      temperature: 0,
      isStream: false,
      // What stands in the sources needs no thought before it, which would use up the answer's tokens and its time.
      ...(model.includes('reasoning') && { thinking: { type: 'DISABLED' as models.CohereThinkingV2.Type } }),
    };
    return request;
  },

  read(response) {
    const { message: said, finishReason, usage } = fieldsOf(response);
    const text = typeof said === 'object' && said !== null ? textOfParts(fieldsOf(said).content) : null;
    if (text === null) return null;
    return {
      text,
      finishReason: stringOf(finishReason),
      refusal: '',
      tokens: usageOf(usage),
    };
  },
};
