import type { NumberedSource } from '../core/extract.ts';
import type { Language } from '../core/words.ts';

export interface ChatRequest {
  question: string;
  language: Language;
  /** In rank order, numbered from 1; the answer cites them as [n]. */
  sources: NumberedSource[];
}

export interface ChatReply {
  /** The answer with its markers; null when the sources do not hold it. */
  answer: string | null;
  tokens?: { prompt: number; completion: number };
}

export interface ChatModel {
  /** Named in every answer. */
  readonly model: string;
  answer(request: ChatRequest): Promise<ChatReply>;
}
