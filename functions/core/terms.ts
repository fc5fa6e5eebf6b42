import { stemmer as stemEnglish } from '@orama/stemmers/english';
import { stemmer as stemSpanish } from '@orama/stemmers/spanish';
import type { Language } from './language.ts';
import { isStopWord } from './stop-words.ts';

/**
 * What a text index holds and is asked for: the stems of a text's words, by Snowball's rules for the text's own language.
 * They are made here rather than by a database, so that one index serves every language and both databases find the
 * same. Letters and digits alone: no character that a query language could take for an operator gets through.
 */
const STEMMERS: Partial<Record<Language, (word: string) => string>> = {
  en: stemEnglish,
  // The rules know the ending by its accent alone: without it, "renovación" and "renovaciones" would be two words.
  es: (word) => stemSpanish(word.replace(/([cs])ion$/, '$1ión')),
};

const MAX_WORD_LENGTH = 64;
/** More terms than these find nothing more. */
const MAX_QUERY_TERMS = 64;

/** Lower case without accents. Composed again: decomposed, a Korean syllable is three letters. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase();

const wordsOf = (text: string): string[] =>
  (fold(text).match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length <= MAX_WORD_LENGTH);

/** Codes and the shortest words are themselves. */
const hasStem = (word: string) => word.length > 2 && !/\P{Script=Latin}/u.test(word);

function stemOf(word: string, language: Language): string {
  const stem = STEMMERS[language];
  return stem === undefined || !hasStem(word) ? word : stem(word);
}

/** Every term of a text in its order, between blanks; '' where it has none. */
export function indexTerms(text: string, language: Language): string {
  return wordsOf(text)
    .filter((word) => !isStopWord(word, language))
    .map((word) => stemOf(word, language))
    .join(' ');
}

/**
 * The terms of a question, each once. Of each word the stems of all languages: what is asked in Spanish is found in
 * English texts by the words that both languages share, such as "errores" and "error", "clientes" and "client".
 */
export function queryTerms(question: string, language: Language): string[] {
  const words = wordsOf(question).filter((word) => !isStopWord(word, language));
  const stems = Object.keys(STEMMERS) as Language[];
  const terms = new Set(words.flatMap((word) => stems.map((each) => stemOf(word, each))));
  return [...terms].slice(0, MAX_QUERY_TERMS);
}
