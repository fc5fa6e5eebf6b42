import { stemEnglish, stemSpanish } from './stemmers.ts';
import { isStopWord } from './stop-words.ts';

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();

/**
 * The stem by English rules and then by Spanish ones: a text and a question of either language, or of both mixed, are
 * compared, and what matters is that a word is cut alike wherever it stands.
 */
const stem = (word: string): string => (/\d/.test(word) ? word : stemSpanish(stemEnglish(word)));

/** The stems of words met before: texts repeat their words. Begun anew when it has grown large. */
const stems = new Map<string, string>();
const MAX_STEMS = 20_000;

/** The words of a text that can match: stemmed, without accents, without stop words; letters of any script. */
export function contentWords(text: string): string[] {
  if (stems.size > MAX_STEMS) stems.clear();
  return (plain(text).match(/[\p{L}\p{N}]+(?:[-'][\p{L}\p{N}]+)*/gu) ?? [])
    .flatMap((word) => (word.includes('-') ? [word, ...word.split('-')] : [word.replace(/'s?$/, '')]))
    .filter((word) => word !== '' && !isStopWord(word))
    .map((word) => {
      const known = stems.get(word) ?? stem(word);
      stems.set(word, known);
      return known;
    });
}
