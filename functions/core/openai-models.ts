/**
 * OpenAI's models that think before they answer, by the ids they have with OpenAI, OpenRouter and OCI: gpt-5 and later,
 * o1 and so on. They refuse `temperature` and `max_tokens`; they have `max_completion_tokens`, which counts the thoughts.
 */
export const isReasoningModel = (id: string): boolean => /(^|[./])(gpt-([5-9]|\d\d)|o\d)(?!\d)/.test(id);

/** Added to the tokens of an answer where those of the thoughts before it count too, or none would be left for it. */
export const THOUGHT_TOKENS = 2000;
