import type { models } from 'oci-generativeaiinference';
import { fieldsOf, type ModelReply, tokensOf } from '../../core/completion.ts';
import type { ChatPrompt } from '../../ports/chat-model.ts';

/** One of the shapes in which a model of Generative AI is asked and answers. */
export interface ChatFormat {
  request(prompt: ChatPrompt, model: string, maxTokens: number): models.ChatDetails['chatRequest'];
  /** Null where the answer has not this shape. */
  read(response: unknown): ModelReply | null;
}

const message = (role: string, text: string) => ({ role, content: [{ type: 'TEXT', text }] });

/** A prompt as messages of parts, the instructions first. */
export const messagesOf = ({ instructions, turns }: ChatPrompt) => [
  message('SYSTEM', instructions),
  ...turns.map(({ role, text }) => message(role === 'user' ? 'USER' : 'ASSISTANT', text)),
];

/** What a call took, as all formats tell it. */
export function usageOf(usage: unknown): ModelReply['tokens'] {
  const { promptTokens, completionTokens } = fieldsOf(usage);
  return tokensOf(promptTokens, completionTokens);
}
