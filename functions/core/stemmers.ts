import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as spanish } from '@orama/stemmers/spanish';

/** Snowball's rules are for words of Latin letters; the shortest are themselves. */
const hasStem = (word: string): boolean => word.length > 2 && !/\P{Script=Latin}/u.test(word);

/** The stem of an English word in lower case. */
export const stemEnglish = (word: string): string => (hasStem(word) ? english(word) : word);

/**
 * The stem of a Spanish word in lower case and without accents. The rules know the ending -ción by its accent alone: without
 * it, "renovación" and "renovaciones" would be two words.
 */
export const stemSpanish = (word: string): string =>
  hasStem(word) ? spanish(word.replace(/([cs])ion$/, '$1ión')) : word;
