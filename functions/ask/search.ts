import { isOnTopic } from '../core/evidence.ts';
import { newFence } from '../core/fence.ts';
import { standaloneByRule } from '../core/follow-up.ts';
import { detectLanguage } from '../core/language.ts';
import { buildAnswerPrompt, promptAsText } from '../core/prompt.ts';
import type { SearchAnswer } from '../shapes.ts';
import type { AskContext, Asked } from './ask.ts';
import { retrieve } from './retrieve.ts';
import { toCitation, toNumberedSource } from './sources.ts';
import { Stopwatch } from './stopwatch.ts';

/**
 * Finds sources and returns them all, without an answer; with `promptTokens`, also as a prompt of at most about that many
 * tokens. No model is asked here: a follow-up is made to stand alone by rule.
 */
export async function search(
  context: AskContext,
  { question: asked, history }: Asked,
  promptTokens: number | null,
): Promise<SearchAnswer> {
  const watch = new Stopwatch();
  const question = standaloneByRule(asked, history);
  const { hits, timings } = await retrieve(context, question, context.retrieval);
  watch.add(timings);
  const found = isOnTopic(question, hits, context);
  const told = found ? hits : [];
  const { prompt, shown } =
    promptTokens === null
      ? { prompt: null, shown: told.length }
      : buildAnswerPrompt({
          question: asked,
          sources: told.map(toNumberedSource),
          history,
          tokenBudget: promptTokens,
          fence: newFence(),
        });
  return {
    outcome: found ? 'found' : 'off_topic',
    citations: told.flatMap((_, i) => toCitation(hits, i + 1, null)),
    prompt: prompt === null ? null : { ...prompt, text: promptAsText(prompt) },
    droppedSources: told.length - shown,
    standaloneQuestion: question === asked ? null : question,
    language: detectLanguage(asked),
    timings: watch.total(context.startedAt),
    callId: context.callId,
  };
}
