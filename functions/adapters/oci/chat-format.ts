import type { models } from 'oci-generativeaiinference';
import type { ModelReply } from '../../core/completion.ts';
import type { ChatPrompt } from '../../ports/chat-model.ts';

/** One of the shapes in which a model of Generative AI is asked and answers. */
export interface ChatFormat {
  request(prompt: ChatPrompt, model: string, maxTokens: number): models.ChatDetails['chatRequest'];
  /** Null where the answer has not this shape. */
  read(response: unknown): ModelReply | null;
}
