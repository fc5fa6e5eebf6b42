import type { models } from 'oci-generativeaiinference';
import { fieldsOf, stringOf, textOfParts, tokensOf } from '../../core/completion.ts';
import type { ChatFormat } from './chat-format.ts';

const message = (role: string, text: string) => ({ role, content: [{ type: 'TEXT', text }] });

/** COHEREV2: messages of parts. */
export const cohereV2Format: ChatFormat = {
  request({ instructions, turns }, model, maxTokens) {
    const request: models.CohereChatRequestV2 = {
      apiFormat: 'COHEREV2',
      messages: [
        message('SYSTEM', instructions),
        ...turns.map(({ role, text }) => message(role === 'user' ? 'USER' : 'ASSISTANT', text)),
      ],
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
    const { promptTokens, completionTokens } = fieldsOf(usage);
    return {
      text,
      finishReason: stringOf(finishReason),
      refusal: '',
      tokens: tokensOf(promptTokens, completionTokens),
    };
  },
};
