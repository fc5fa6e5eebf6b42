import { type AskContext, ask, search } from '../../functions/ask/ask.ts';
import type { Caller } from '../../functions/core/scope.ts';
import type { ChatModel } from '../../functions/ports/chat-model.ts';
import type { Database } from '../../functions/ports/database.ts';
import type { Embedder } from '../../functions/ports/embedder.ts';
import type { Answer } from '../../functions/shapes.ts';

/** What a question needs besides its text; nothing is too far away unless a cutoff says so. */
export interface Asking {
  caller: Caller;
  topK?: number;
  cutoff?: number;
  embedder?: Embedder;
}

interface Parts {
  database: Database;
  embedder: Embedder;
}

const context = (parts: Parts, { caller, topK = 8, cutoff = 2, embedder = parts.embedder }: Asking): AskContext => ({
  callId: 'test',
  startedAt: performance.now(),
  caller,
  database: parts.database,
  embedder,
  log: { info() {}, warn() {}, error() {} },
  topK,
  approximate: false,
  cutoff,
});

export const askAs = (parts: Parts, asking: Asking, chatModel: ChatModel, question: string): Promise<Answer> =>
  ask(context(parts, asking), chatModel, question);

/** The sources that a search finds, nearest first, as "type/id". */
export async function findSources(parts: Parts, asking: Asking, question: string): Promise<string[]> {
  const { citations } = await search(context(parts, asking), question);
  return citations.map((citation) => `${citation.sourceType}/${citation.sourceId}`);
}
