/** The languages that questions and texts are recognised in, as ISO 639-1 codes. */
export type Language = 'en' | 'es' | 'fr' | 'de' | 'pt' | 'it';

/**
 * Words that hold a language together, with those that ask and the words for what is asked about here. Accents are
 * often left out of questions: such spellings stand too, where another language does not have them as its own.
 */
const WORDS: Record<Language, string> = {
  en: `the of is are was were be been what who whom whose when where why which how does do did done to and for in on at
    with without has have had should could would can will by from this that these those it its they their there not no
    any all my your our we you he she his her an as or if into about after before until since than still yet i a me
    us tell show list give find many much long whether because`,
  es: `el la los las lo a de del al que qué quién quien quiénes quienes cómo como cuándo cuando cuál cual cuáles cuales
    cuánto cuanto cuánta cuanta cuántos cuantos cuántas cuantas dónde donde por para está están esta este estos estas
    con sin una un unos unas se es son hay en su sus fue fueron era ser y o no pero más mas muy ya le les nos me mi tu
    ha han había tiene tienen hace desde hasta sobre entre también porque según cada otro otra tarea tareas proyecto
    proyectos quedó lleva decidió dime muestra vence esos esas ese esa`,
  fr: `le la les l' d' j' n' c' s' m' t' qu' jusqu' lorsqu' de du des un une et ou où que qui quoi quand comment pourquoi
    quel quelle quels quelles combien est sont était étaient être sera a ont avait dans sur sous pour par avec sans ce
    cet cette ces il elle ils elles on nous vous je tu ne pas plus se sa son ses leur leurs au aux en y mais donc car si
    depuis chez entre tâche tâches tache taches projet projets fait faut peut deux très aussi même`,
  de: `der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine ist sind war waren wird
    werden wurde wurden hat haben hatte sein wer wen wem was wann wo warum wieso weshalb wie welche welcher welches
    welchen welchem wieviel viele viel von vom zu zum zur mit ohne für fuer auf an am im in bei nach aus über ueber
    unter vor seit bis als wenn dass ich du er sie es wir ihr man sich auch noch nur schon durch um ob gibt kann muss
    soll aufgabe aufgaben projekt projekte diese dieser dieses diesem diesen`,
  pt: `o a os as do da dos das no na nos nas ao à aos às de um uma uns umas e ou que quem quando como onde qual quais
    quanto quanta quantos quantas é são está estão foi foram era ser tem têm há por para com sem em se não nao mais
    mas seu sua seus suas este esta isto esse essa isso ele ela eles elas pelo pela pelos pelas num numa já também
    porque até sobre entre tarefa tarefas projeto projetos você vocês eu nós me foi`,
  it: `il lo la i gli le l' un' dell' nell' all' dall' sull' quell' c' dov' cos' com' d' un uno una di del dello della
    dei degli delle a al allo alla ai agli alle da dal dalla dai dalle in nel nello nella nei negli nelle su sul sulla
    con per tra fra e ed o ma che chi cosa come quando dove perché perche quale quali quanto quanta quanti quante è
    sono era erano essere ha hanno aveva si non più anche se ci questo questa questi queste quello quella suo sua loro
    ogni progetto progetti compito compiti attività stato entro`,
};

/** What a word of one language alone is worth; one that several have is shared out. Divides by any number of them. */
const WHOLE = 60;

/** Letters and signs that one language of these has, and what one word with them is worth. */
const SIGNS: [pattern: RegExp, language: Language, worth: number][] = [
  [/[¿¡]/, 'es', 2 * WHOLE],
  [/ñ/i, 'es', WHOLE / 2],
  [/[äöß]/i, 'de', WHOLE / 2],
  [/[ãõ]/i, 'pt', WHOLE / 2],
  [/[œêîû]/i, 'fr', WHOLE / 2],
  [/[ìò]/i, 'it', WHOLE / 2],
];

/** Words within people's names: "Lucía de la Fuente" in an English question speaks for no language. */
const PARTICLES = new Set('de la del los las da do dos di'.split(' '));

const LANGUAGES = Object.keys(WORDS) as Language[];

/** The languages that have a word. */
const LANGUAGES_OF = new Map<string, Language[]>();
for (const language of LANGUAGES) {
  for (const word of new Set(WORDS[language].split(/\s+/))) {
    LANGUAGES_OF.set(word, [...(LANGUAGES_OF.get(word) ?? []), language]);
  }
}

/** This much of a text tells its language as well as all of it. */
const READ = 4_000;
/** What holds a digit, with what is joined to it: KB-201, O-5, v2, S11_b. */
const CODE = /(?<![\p{L}\p{N}_-])(?=[\p{L}_-]*\p{N})[\p{L}\p{N}]+(?:[-_]+[\p{L}\p{N}]+)*/gu;
const WORD = /[¿¡]?\p{L}+['’]?/gu;

/**
 * The language whose function words a text holds most of. Where two are level, English comes first, then Spanish; a text
 * without any of them counts as English. All of the first 4,000 characters count alike, so that names and quotations in
 * another language are outvoted. Codes do not count, and a letter by itself decides nothing: it names something more often.
 */
export function detectLanguage(text: string): Language {
  const scores: Record<Language, number> = { en: 0, es: 0, fr: 0, de: 0, pt: 0, it: 0 };
  let letters = 0;
  let isName = false;
  const read = text.slice(0, READ).normalize('NFC').replace(CODE, ' ');
  for (const [i, match] of [...read.matchAll(WORD)].entries()) {
    const written = match[0].replace('’', "'");
    const word = written.replace(/^[¿¡]/, '').toLowerCase();
    const isParticle: boolean = isName && PARTICLES.has(word);
    isName = isParticle || (i > 0 && /^\p{Lu}/u.test(written));
    if (isParticle) continue;
    const languages = LANGUAGES_OF.get(word) ?? LANGUAGES_OF.get(word.replace("'", '')) ?? [];
    if (languages.length > 0) letters += written.length;
    for (const language of languages) scores[language] += WHOLE / languages.length;
    if (isName) continue;
    for (const [pattern, language, worth] of SIGNS) {
      if (!pattern.test(written)) continue;
      scores[language] += worth;
      letters += written.length;
    }
  }
  if (letters === 1) return 'en';
  return LANGUAGES.reduce((best, language) => (scores[language] > scores[best] ? language : best));
}

/** What an embedding model understands: English alone, or any language. */
export type KnownLanguages = 'en' | 'any';

/** Whether a model understands a text; a text without a letter of the Latin script is none in English. */
export const understands = (languages: KnownLanguages, text: string): boolean =>
  languages === 'any' || (detectLanguage(text) === 'en' && !(/\p{L}/u.test(text) && !/\p{Script=Latin}/u.test(text)));
