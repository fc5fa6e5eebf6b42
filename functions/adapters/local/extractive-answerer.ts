import { extractAnswer } from '../../core/extract.ts';
import type { ChatModel, ChatReply, ChatRequest } from '../../ports/chat-model.ts';

/** Answers with the sources' own best sentences: no model, no cost, nothing made up. */
export class ExtractiveAnswerer implements ChatModel {
  readonly model = 'extractive (sentences quoted from the sources, no language model)';

  async answer({ question, sources }: ChatRequest): Promise<ChatReply> {
    const sentences = extractAnswer(question, sources);
    if (sentences.length === 0) return { answer: null };
    return { answer: sentences.map(({ n, text }) => `${withoutMarkers(text)} [${n}]`).join('\n') };
  }
}

/** Numbers in brackets that stand in a record are its own text, and must not pass for citations. */
const withoutMarkers = (text: string) => text.replace(/\[(\d[\d\s,]*)\]/g, '($1)');
