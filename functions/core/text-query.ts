/** More words, or longer ones, find nothing more. */
const MAX_WORDS = 16;
const MAX_WORD_LENGTH = 64;

/**
 * The words of a question that a text index is asked for, each once, in lower case. Letters and digits alone: no character
 * that a query language could take for an operator gets through.
 */
export function queryWords(question: string): string[] {
  const words =
    question
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words)].filter((word) => word.length <= MAX_WORD_LENGTH).slice(0, MAX_WORDS);
}
