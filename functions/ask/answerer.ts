import { extractiveAnswer, type NumberedSource } from '../core/extract.ts';
import type { Rewrite } from '../core/follow-up.ts';
import type { Exchange } from '../core/prompt.ts';

/** What is to be answered, and from what. */
export interface AnswerRequest {
  /** As it was asked. */
  question: string;
  /** The same, standing by itself where it is a follow-up. */
  standalone: string;
  /** In rank order, numbered from 1; the answer cites them as [n]. */
  sources: NumberedSource[];
  history: Exchange[];
  deadline: Date | null;
}

/** Why an answer is less than whole: cut off at the model's limit, or withheld by its provider. */
export type DraftFlaw = 'cut_off' | 'withheld';

/** What an answerer says, before its citations are checked. */
export interface Draft {
  /** With its markers; null where the sources do not hold an answer. */
  answer: string | null;
  flaw: DraftFlaw | null;
  /** How many of the sources were looked at, from the first on; the others did not fit. */
  shown: number;
  tokens: Tokens | null;
}

/** What a call of a model took. */
export interface Tokens {
  prompt: number;
  completion: number;
}

/** A follow-up as a question that stands by itself, and what it took to make it. */
export interface Standalone extends Rewrite {
  tokens: Tokens | null;
}

/** Answers from numbered sources. */
export interface Answerer {
  /** Named in every answer. */
  readonly model: string;
  standalone(question: string, history: Exchange[], deadline: Date | null): Promise<Standalone>;
  /** Throws AnswerModelUnavailable, or ModelCallLimit where no more calls are to be had today. */
  answer(request: AnswerRequest): Promise<Draft>;
}

/** Answers with the sources' own best sentences: no model, no cost, nothing made up. */
export class ExtractiveAnswerer implements Answerer {
  readonly model = EXTRACTIVE;

  async standalone(question: string, history: Exchange[]): Promise<Standalone> {
    const { standaloneByRule } = await import('../core/follow-up.ts');
    return { question: standaloneByRule(question, history), by: 'rule', tokens: null };
  }

  async answer({ question, standalone, sources }: AnswerRequest): Promise<Draft> {
    return { answer: extractiveAnswer(standalone, sources, question), flaw: null, shown: sources.length, tokens: null };
  }
}

/** What answers are signed with that no model has written. */
export const EXTRACTIVE = 'extractive (sentences quoted from the sources, no language model)';
