import { isOnTopic, NOT_FOUND, OFF_TOPIC, type Outcome } from '../core/answer.ts';
import { checkCitations } from '../core/citations.ts';
import { excerptOf } from '../core/excerpt.ts';
import type { Caller } from '../core/scope.ts';
import { detectLanguage } from '../core/words.ts';
import type { ChatModel } from '../ports/chat-model.ts';
import type { Database } from '../ports/database.ts';
import type { Embedder } from '../ports/embedder.ts';
import type { Log } from '../ports/platform.ts';
import type { Answer } from '../shapes.ts';
import type { Hit } from '../store/chunks.ts';
import { logQuestion, type QuestionLogEntry } from '../store/question-log.ts';
import { elapsed, retrieve } from './retrieve.ts';

export interface AskContext {
  callId: string;
  startedAt: number;
  caller: Caller;
  database: Database;
  embedder: Embedder;
  log: Log;
  topK: number;
  /** Whether who sees everything may be answered by way of an index that misses a few. */
  approximate: boolean;
  /** The distance beyond which nothing is near; it belongs to the embedding model. */
  cutoff: number;
}

/** What was said, and what it rests on, before it is put into the answer's shape. */
interface Reply {
  outcome: Outcome;
  answer: string;
  cited: number[];
  model: string | null;
  tokens: { prompt: number; completion: number } | null;
  answerMs: number;
}

/** Finds sources and has them answered from; the question and what came of it are logged, whatever comes. */
export async function ask(context: AskContext, chatModel: ChatModel, question: string): Promise<Answer> {
  const { database, embedder, caller, log, callId } = context;
  let hits: Hit[] = [];
  let timings: Record<string, number> = {};
  const record = (entry: Pick<QuestionLogEntry, 'outcome' | 'answer' | 'cited' | 'model' | 'tokens'>) =>
    logQuestion(database, caller, {
      ...entry,
      callId,
      question,
      retrieved: hits.map(({ chunkId, distance }) => ({ chunkId, distance })),
      timings,
    });
  try {
    const retrieval = await retrieve(database, embedder, log, caller, question, context);
    hits = retrieval.hits;
    timings = retrieval.timings;
    const { outcome, answer, cited, model, tokens, answerMs } = await answerFrom(context, chatModel, question, hits);
    timings = { ...timings, answer: answerMs };
    await record({ outcome, answer, cited: cited.flatMap((n) => hits[n - 1]?.chunkId ?? []), model, tokens });
    return {
      outcome,
      answer,
      citations: cited.flatMap((n) => toCitation(hits, n, answer)),
      model,
      timings: { ...timings, total: elapsed(context.startedAt, performance.now()) },
      callId,
    };
  } catch (error) {
    await record({ outcome: 'failed', answer: null, cited: [], model: chatModel.model, tokens: null }).catch(
      // What failed may be the database itself: then the log of the process is all there is.
      (cause: unknown) => log.error('question_not_logged', cause),
    );
    throw error;
  }
}

async function answerFrom(
  { cutoff, log }: AskContext,
  chatModel: ChatModel,
  question: string,
  hits: Hit[],
): Promise<Reply> {
  const language = detectLanguage(question);
  const refuse = (outcome: 'not_found' | 'off_topic', model: string | null, rest: Partial<Reply> = {}): Reply => ({
    outcome,
    answer: (outcome === 'off_topic' ? OFF_TOPIC : NOT_FOUND)[language],
    cited: [],
    model,
    tokens: null,
    answerMs: 0,
    ...rest,
  });
  if (!isOnTopic(distances(hits), cutoff)) return refuse('off_topic', null);

  const start = performance.now();
  const sources = hits.map((hit, i) => ({ n: i + 1, title: hit.title, text: shownText(hit) }));
  const { answer, tokens = null } = await chatModel.answer({ question, language, sources });
  const rest = { tokens, answerMs: elapsed(start, performance.now()) };
  if (answer === null) return refuse('not_found', chatModel.model, rest);

  const checked = checkCitations(answer, sources.length);
  if (checked.removed.length > 0) log.warn('citations_removed', { numbers: checked.removed });
  if (checked.cited.length === 0) return refuse('not_found', chatModel.model, rest);
  return { outcome: 'answered', answer: checked.answer, cited: checked.cited, model: chatModel.model, ...rest };
}

/** Finds sources and returns them all, without an answer. */
export async function search(context: AskContext, question: string): Promise<Answer> {
  const { database, embedder, caller, log, cutoff } = context;
  const { hits, timings } = await retrieve(database, embedder, log, caller, question, context);
  const found = isOnTopic(distances(hits), cutoff);
  return {
    outcome: found ? 'found' : 'off_topic',
    answer: null,
    citations: found ? hits.flatMap((_, i) => toCitation(hits, i + 1, null)) : [],
    model: null,
    timings: { ...timings, total: elapsed(context.startedAt, performance.now()) },
    callId: context.callId,
  };
}

const distances = (hits: Hit[]) => hits.map((hit) => hit.distance);

/** The passage with those beside it: the section around it, as far as it was cut. */
function shownText(hit: Hit): string {
  const withoutAnchor = (passage: string) => passage.slice(passage.indexOf('\n') + 1);
  const parts = [hit.content];
  if (hit.before !== null) parts.unshift(hit.before);
  if (hit.after !== null) parts.push(hit.after);
  return parts.map((part, i) => (i === 0 ? part : withoutAnchor(part))).join('');
}

function toCitation(hits: Hit[], n: number, answer: string | null): Answer['citations'] {
  const hit = hits[n - 1];
  if (hit === undefined) return [];
  return [
    {
      n,
      sourceType: hit.sourceType,
      sourceId: hit.sourceId,
      title: hit.title,
      excerpt: excerptOf(answer === null ? hit.content : shownText(hit), answer),
      distance: Math.round(hit.distance * 1e4) / 1e4,
    },
  ];
}
