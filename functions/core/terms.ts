import type { Language } from './language.ts';
import { stemEnglish, stemSpanish } from './stemmers.ts';
import { isStopWord } from './stop-words.ts';

/**
 * What a text index holds and is asked for: the stems of a text's words, by Snowball's rules for the text's own language.
 * They are made here rather than by a database, so that one index serves every language and both databases find the
 * same. Letters and digits alone: no character that a query language could take for an operator gets through.
 */
const STEMMERS: Partial<Record<Language, (word: string) => string>> = { en: stemEnglish, es: stemSpanish };

const MAX_WORD_LENGTH = 64;
/** A column of texts holds at least this, however small the database has them. */
const SMALLEST_COLUMN_BYTES = 4_000;
/** More terms than these find nothing more. */
const MAX_QUERY_TERMS = 64;

/** Lower case without accents. Composed again: decomposed, a Korean syllable is three letters. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase();

/** A name whose parts are words of their own: SQL_TRACE, V$PARAMETER, WRI$_OPTSTAT_HISTHEAD_HISTORY. */
const NAME = /[\p{L}\p{N}]+(?:[_$#]+[\p{L}\p{N}]+)*/gu;

/** The words of a text in their order; a name of several is also one word, by which it is told from what has its parts. */
const wordsOf = (text: string): string[] =>
  (fold(text).match(NAME) ?? [])
    .flatMap((name) => {
      const parts = name.split(/[_$#]+/);
      return parts.length === 1 ? parts : [...parts, parts.join('')];
    })
    .filter((word) => word.length <= MAX_WORD_LENGTH);

function stemOf(word: string, language: Language): string {
  const stem = STEMMERS[language];
  return stem === undefined ? word : stem(word);
}

/**
 * Every term of a text in its order, between blanks; '' where it has none. They fit into a column that the text fits into:
 * taken apart, one character may become eighteen (U+FDFA), and the terms beyond the text's own bytes, or 4,000, are left out.
 */
export function indexTerms(text: string, language: Language): string {
  const terms = wordsOf(text)
    .filter((word) => !isStopWord(word, language))
    .map((word) => stemOf(word, language))
    .join(' ');
  const bytes = Buffer.from(terms);
  const limit = Math.max(Buffer.byteLength(text), SMALLEST_COLUMN_BYTES);
  if (bytes.length <= limit) return terms;
  return bytes.subarray(0, Math.max(0, bytes.lastIndexOf(' ', limit))).toString();
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
