import { isStopWord } from './stop-words.ts';

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();

/**
 * Cuts the endings of English and Spanish plurals, verbs and genders, keeping at least four letters. Rough, and the
 * same for the question and the text, which is all that matching needs.
 */
function stem(word: string): string {
  if (word.length < 5 || /\d/.test(word)) return word;
  const stemmed = word
    .replace(/(ciones|cion|tions|tion|sions|sion)$/, 't')
    .replace(/(mientos|miento|mente|ments|ment)$/, '')
    .replace(/(ings|ing|edly|ed|ies|es|s|ly)$/, '')
    .replace(/(ando|iendo|ados|adas|ado|ada|idos|idas|ido|ida|aron|ieron|ar|er|ir)$/, '')
    .replace(/[aeoy]$/, '');
  return stemmed.length >= 3 ? stemmed : word.slice(0, 4);
}

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
