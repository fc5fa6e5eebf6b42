import { ExtractiveAnswerer } from '../../functions/ask/answerer.ts';
import { type AskContext, ask } from '../../functions/ask/ask.ts';
import type { TopicLimits } from '../../functions/core/evidence.ts';
import type { Database } from '../../functions/ports/database.ts';
import type { Embedder } from '../../functions/ports/embedder.ts';
import type { Answer } from '../../functions/shapes.ts';
import type { LabelledQuestion } from './questions.ts';
import { SILENT } from './records.ts';

/** What is asked with: the settings that a deployment has. */
export interface AskSettings extends TopicLimits {
  topK: number;
  vectorWeight: number;
}

/** What came of one labelled question. */
export interface Outcome {
  labelled: LabelledQuestion;
  outcome: string;
  reason: string | null;
  /** Whether a source that answers it is cited, and the answer says what it must; false where there is no answer. */
  isRight: boolean;
}

/** Asks labelled questions as a manager, and has them answered by the sources' own sentences. */
export async function askLabelled(
  parts: { database: Database; embedder: Embedder },
  { topK, vectorWeight, ...limits }: AskSettings,
  questions: LabelledQuestion[],
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const labelled of questions) {
    const context: AskContext = {
      ...parts,
      ...limits,
      callId: 'eval',
      startedAt: performance.now(),
      deadline: null,
      caller: { employeeId: labelled.asker ?? 1, role: 'manager' },
      log: SILENT,
      retrieval: {
        topK,
        vectorWeight,
        languages: limits.languages,
        maxPerSource: 0,
        filters: {},
        sort: null,
        approximate: false,
      },
      textKept: false,
      cold: false,
    };
    const answer = await ask(context, new ExtractiveAnswerer(), { question: labelled.question, history: [] });
    outcomes.push({
      labelled,
      outcome: answer.outcome,
      reason: answer.reason,
      isRight: isRight(answer, labelled),
    });
  }
  return outcomes;
}

function isRight(answer: Answer, { sources = [], mustContain = [] }: LabelledQuestion): boolean {
  if (answer.outcome !== 'answered') return false;
  const cited = answer.citations.map(({ sourceType, sourceId }) => `${sourceType}/${sourceId}`);
  return sources.some((source) => cited.includes(source)) && mustContain.every((text) => answer.answer?.includes(text));
}

/** How often a kind of refusal was right, and how many that deserved it got it; null where there is none to look at. */
export interface RefusalFigures {
  refusal: 'off_topic' | 'not_found';
  precision: number | null;
  recall: number | null;
  given: number;
  deserved: number;
}

const DESERVES = { off_topic: 'off_topic', not_found: 'unanswered' } as const;

/** Precision and recall of each kind of refusal. */
export function refusalFigures(outcomes: Outcome[]): RefusalFigures[] {
  return (['off_topic', 'not_found'] as const).map((refusal) => {
    const given = outcomes.filter(({ outcome }) => outcome === refusal);
    const deserved = outcomes.filter(({ labelled }) => labelled.kind === DESERVES[refusal]);
    const right = given.filter(({ labelled }) => labelled.kind === DESERVES[refusal]).length;
    return {
      refusal,
      precision: given.length === 0 ? null : right / given.length,
      recall: deserved.length === 0 ? null : right / deserved.length,
      given: given.length,
      deserved: deserved.length,
    };
  });
}
