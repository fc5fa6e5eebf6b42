/** What a model is asked: instructions, and turns of which the last is the user's. */
export interface ChatPrompt {
  instructions: string;
  turns: { role: 'user' | 'assistant'; text: string }[];
}

export interface CompletionOptions {
  /** The longest answer, in tokens. */
  maxTokens: number;
  /** When the answer must be there; null for no limit but the adapter's own. */
  deadline: Date | null;
}

export interface Completion {
  text: string;
  /** `cut_off` at the token limit; `withheld` by the provider's safety filter, with whatever text there was. */
  finish: 'complete' | 'cut_off' | 'withheld';
  tokens: { prompt: number; completion: number } | null;
  /** What the provider says about the model's retirement; null where it says nothing. */
  retirement: string | null;
}

/** A language model, asked at temperature 0. */
export interface ChatModel {
  /** Named in every answer. */
  readonly model: string;
  /** Throws AnswerModelUnavailable where no answer comes, with the seconds after which one may. */
  complete(prompt: ChatPrompt, options: CompletionOptions): Promise<Completion>;
}
