import type { Language } from './language.ts';

/** Words that carry no subject in a question or a text, without accents. */
const STOP_WORDS: Partial<Record<Language, ReadonlySet<string>>> = {
  en: new Set(
    `a about after all am an and any are as at be been before being but by can could did do does doing down
    during each few for from had has have having he her here hers him his how i if in into is it its just me
    more most my no nor not now of off on once only or other our out over own please same she should so some
    such tell than that the their them then there these they this those through to too under until up very was
    we were what when where which while who whom why will with would yes you your happen happens happened say says
    tell`.split(/\s+/),
  ),
  es: new Set(
    `al algo algun alguna algunas alguno algunos ante antes aqui asi aun aunque bajo bien cada como con contra
    cual cuales cuando cuanta cuantas cuanto cuantos de del desde donde dos e el ella ellas ellos en entre era
    eran es esa esas ese eso esos esta estaba estaban estan estas este esto estos fue fueron ha haber habia han
    hasta hay he la las le les lo los mas me mi mis mucho muy nada ni nos nosotros o os otra otras otro otros
    para pero poco por porque pues que quien quienes se sea segun ser si sido sin sobre son su sus tal tambien
    tanto te tiene tienen toda todas todo todos tu tus un una unas uno unos y ya yo pasa paso ocurre ocurrio
    sucede sucedio dice`.split(/\s+/),
  ),
};

/** Whether a word, in lower case and without accents, carries no subject in a language; in any of them where none is named. */
export function isStopWord(word: string, language?: Language): boolean {
  if (language !== undefined) return STOP_WORDS[language]?.has(word) ?? false;
  return Object.values(STOP_WORDS).some((words) => words.has(word));
}
