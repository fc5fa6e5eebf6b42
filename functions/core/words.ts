/** Words that carry no subject in English and Spanish questions and texts. */
const STOP_WORDS = new Set(
  `a about after all am an and any are as at be been before being but by can could did do does doing down during each few for
  from had has have having he her here hers him his how i if in into is it its just me more most my no nor not now of
  off on once only or other our out over own please same she should so some such tell than that the their them then
  there these they this those through to too under until up very was we were what when where which while who whom why
  will with would you your happen happens happened say says tell
  al algo algun alguna algunas alguno algunos ante antes aqui asi aun aunque bajo bien cada como con contra cual cuales
  cuando cuanta cuantas cuanto cuantos de del desde donde dos e el ella ellas ellos en entre era eran es esa esas ese
  eso esos esta estaba estaban estan estas este esto estos fue fueron ha haber habia han hasta hay he la las le les lo los
  mas me mi mis mucho muy nada ni nos nosotros o os otra otras otro otros para pero poco por porque pues que quien
  quienes se sea segun ser si sido sin sobre son su sus tal tambien tanto te tiene tienen toda todas todo todos tu tus
  un una unas uno unos y ya yo pasa paso ocurre ocurrio sucede sucedio dice`.split(/\s+/),
);

const SPANISH_SIGNS = /[ñ¿¡áéíóú]/iu;
const SPANISH_WORDS =
  /\b(el|la|los|las|de|del|que|qué|quién|quien|cómo|como|cuándo|cuando|cuál|cual|cuánto|cuánta|cuántas|cuántos|dónde|por|para|está|están|con|una|un|se|es|son|hay|en|su|fue|tarea|tareas)\b/giu;
const ENGLISH_WORDS =
  /\b(the|of|is|are|was|were|what|who|when|where|why|which|how|does|do|did|to|and|for|in|on|with|has|have|should|can|by|from|task|tasks)\b/gi;

export type Language = 'en' | 'es';

/** English or Spanish, by function words and Spanish signs; English where nothing speaks for either. */
export function detectLanguage(text: string): Language {
  const spanish = (text.match(SPANISH_WORDS)?.length ?? 0) + (SPANISH_SIGNS.test(text) ? 1 : 0);
  const english = text.match(ENGLISH_WORDS)?.length ?? 0;
  return spanish > english ? 'es' : 'en';
}

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
    .filter((word) => word !== '' && !STOP_WORDS.has(word))
    .map((word) => {
      const known = stems.get(word) ?? stem(word);
      stems.set(word, known);
      return known;
    });
}
