import type { Metric, Sort } from './facts.ts';

/** The order of statements that a question asks for. */
export interface AskedOrder extends Sort {
  /** Whether it asks for several of them. */
  isPlural: boolean;
  /** How many, where it says so: at least 1. */
  count: number | null;
}

// All patterns are for text in lower case without accents, English and Spanish. None matches unless it covers the whole of what is
// asked for, from the beginning of a clause to the end of the phrase: a question on other queries, statements or consultas must
// not be answered by figures.

/** The figures by their names, as nouns. */
const FIGURES: [Metric, string][] = [
  [
    'elapsed',
    '(?:elapsed |execution |response |run |running |total |db |database )?time|elapsed|duration|tiempo(?: total| transcurrido)?|tiempo de (?:ejecucion|respuesta)|duracion',
  ],
  ['cpu', 'cpu(?: time| usage| seconds)?|tiempo de cpu'],
  ['executions', 'execution counts?|executions|ejecuciones'],
  ['count', 'calls?|call counts?|llamadas'],
  ['disk', '(?:disk|physical) (?:reads?|io|i/o)|i/o|io|disk|lecturas? (?:de|a|en|del) disco|lecturas? fisicas?|disco'],
  ['current', '(?:current|db block) (?:mode )?(?:gets?|blocks?|reads?)|bloques actuales'],
  ['query', '(?:buffer|consistent) gets?|logical (?:reads?|io|i/o)|buffers?|gets|lecturas? logicas?'],
  ['rows', 'rows|filas|registros'],
];

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const NUMEROS = ['uno', 'dos', 'tres', 'cuatro', 'cinco', 'seis', 'siete', 'ocho', 'nueve', 'diez'];
const NUMBER = `(?:[1-9]\\d{0,2}|${[...NUMBERS, ...NUMEROS].join('|')})`;

/** What Oracle's statements are called. Those after "top" and "longest" are Oracle's for sure only where SQL is named. */
const SQL =
  '(?:oracle )?(?:sqls?(?: (?:statements?|quer(?:y|ies)|ids?|cursors?))?|(?:consultas?|sentencias?) (?:de )?sql)';
const STATEMENT = `(?:${SQL}|statements?|quer(?:y|ies)|cursor(?:e?s)?|consultas?|sentencias?)`;
const STATEMENTS =
  '(?:sqls|sql (?:statements|queries|ids|cursors)|statements|queries|cursor(?:e?s)|consultas|sentencias)';
const PLURAL = new RegExp(`\\b${STATEMENTS}\\b|\\btop\\b`);

/** Words that lead to the statements asked for: "can you show me the", "what was the elapsed time of the". */
const LEAD =
  '(?:which|what|is|are|was|were|did|does|do|list|show|give|find|tell|name|me|us|please|can you|could you|i (?:want|need)(?: to (?:see|know))?|the|all|of|these|those|our|my|and|how (?:long|slow|much|many|often)|sql id|sql text|text|plan|elapsed|cpu|time|executions|rows|awr|tkprof|cual(?:es)?|que|es|son|fue|fueron|el|la|los|las|de|del|y|dime|dame|muestra(?:me)?|lista|quiero(?: ver| saber)?)';
const START = `(?:^|[,.:;?!] |[¿¡("«]|\\b(?=(?:which|what|cual(?:es)?) ))(?:${LEAD} ){0,10}?`;

/** Where statements are looked for, by a word that stands for the output of a database: "of the AWR report", "de la traza d1". */
const OUTPUT =
  '(?:reports?|traces?|files?|logs?|awr|tkprof|statspack|databases?|db|instances?|snapshots?|diagnostics?|sessions?|informes?|reportes?|trazas?|archivos?|ficheros?|bases? de datos|instancias?|diagnosticos?|sesion(?:es)?|(?=[\\w.$/:-]{0,60}[a-z_])[\\w.$/:-]{0,60}\\d[\\w.$/:-]*|\\d{1,4}(?:\\.\\d{1,4})+)';
const OF_OUTPUT = `(?:of|from|in|on|de|del|en) (?:(?:the|this|that|these|our|my|el|la|los|las|este|esta) )?(?:[\\w.$/:-]{1,40} )?${OUTPUT}(?![\\w-])`;
const PLACE = `(?: (?:in|on|during|for|en|durante) [^,?;]{1,40}?| ${OF_OUTPUT})?`;

/** The end of what is asked for: nothing behind it may make it something else ("query string", "most time to answer"). */
const STOP = `$|\\s*(?:[?!,;:)"»]|\\.(?!\\d))| ${OF_OUTPUT}`;
const END_OF_SQL = `(?=${STOP}| (?:and|or|in|on|at|during|since|for|within|between|today|yesterday|last|this|ever|is|are|was|were|take|run|use|return|y|o|en|durante|desde|hoy|ayer|entre|es|fue|to (?:run|execute|complete|finish))\\b)`;
const END_OF_ANY = `(?=${STOP})`;

const HIGH = '(?:most|highest|largest|biggest|greatest|longest|maximum|max|mas|mayor(?:es)?|maxim[ao]s?)';
const LOW = '(?:least|fewest|lowest|smallest|shortest|minimum|min|menos|menor(?:es)?|minim[ao]s?)';
const FILLING =
  '(?: (?:the|their|its|total|number of|amount of|count of|most|highest|average|el|la|los|las|su|sus|numero de|cantidad de|consumo de|uso de|mas|mayor|menor))*';
const ARTICLE = '(?:(?:the|el|la|los|las) )?';
/** What statements do with an amount. */
const DO =
  '(?:with|ha[sd]|have|having|takes?|took|taking|uses?|used|using|consum(?:es?|ed|ing)|needs?|needed|spends?|spent|do|does|did|doing|makes?|made|perform(?:s|ed)?|causes?|caused|gets?|got|reads?|returns?|returned|returning|fetch(?:es|ed)?|process(?:es|ed)?|con|tienen?|tuvo|consumen?|consumio|usan?|uso|gastan?|gasto|hacen?|hizo|realizan?|leen?|leyo|devuelven?|devolvio|procesan?|necesitan?)';
const WAS = '(?:(?:is|was|are|were|got|ha(?:s|ve|d) been|es|son|fue|fueron) )';

/** What is said of statements before them, or of them with "is"; by each the figure that is meant. */
const ADJECTIVES: [Metric, string][] = [
  [
    'elapsed',
    'slowest|fastest|quickest|longest[- ](?:running|lasting)|shortest[- ]running|(?:worst|poorest|best)[- ]performing|(?:most|least) (?:expensive|costly|time[- ]consuming)',
  ],
  ['cpu', 'most cpu[- ](?:intensive|heavy|hungry|consuming)'],
  ['disk', 'most (?:i/?o|disk)[- ](?:intensive|heavy)'],
  ['executions', '(?:most|least) (?:often |frequently )?(?:executed|run)'],
  ['count', '(?:most|least) (?:often |frequently )?called'],
];
/** Of statements in general, and so only where no more is said than that. */
const WEAK = 'worst|heaviest|longest|shortest|peor(?:es)?';
const MAS_LENTA = '(?:mas|menos) (?:lent|rapid)[ao]s?';
const MAS_LARGA = '(?:mas|menos) (?:larg|cort|costos|pesad)[ao]s?';
const TARDA = '(?:tardan?|tardo|tardaron|duran?|duro|duraron|demoran?|demoro|demoraron)';
const EJECUTA = '(?:ejecutan?|ejecuto|ejecutaron|ha ejecutado|han ejecutado)';
const OFTEN = '(?: (?:often|frequently|times|veces|a menudo))?';

/** Statements with a number before them or before what is said of them: "the five slowest SQL", "top 10 queries". */
const before = (words: string, statement: string) =>
  `${START}(?<asked>(?:top )?(?:${NUMBER} )?(?:${words}) (?:${NUMBER} )?${statement})`;
const asked = (statement: string) => `${START}(?<asked>(?:${NUMBER} )?(?:(?:of )?(?:the|these|los|las) )?${statement})`;
const that = `${asked(STATEMENT)}${PLACE} (?:(?:that|which|que) )?`;

const TOP = `top ${NUMBER} ${STATEMENT}|top (?:${STATEMENTS}|${SQL})`;
const ANY_ADJECTIVE = ADJECTIVES.map(([, words]) => words).join('|');

/** All forms of such a question with the figure that each asks for. */
const FORMS: [Metric, string][] = [
  // "SQL by number of executions", "top 5 statements ordered by CPU"
  ...FIGURES.map(([metric, names]): [Metric, string] => [
    metric,
    `${START}(?<asked>(?:top )?(?:${NUMBER} )?(?:(?:top|${WEAK}|${ANY_ADJECTIVE}) )?(?:${NUMBER} )?${STATEMENT}(?: ${MAS_LENTA})?)${PLACE} (?:(?:ordered|sorted|ranked|ordenad[ao]s) )?(?:by|por|segun)${FILLING} (?:${names})${END_OF_SQL}`,
  ]),
  // "the slowest query", "which query is the slowest"
  ...ADJECTIVES.flatMap(([metric, words]): [Metric, string][] => [
    [metric, `${before(words, STATEMENT)}${END_OF_SQL}`],
    [metric, `${that}${WAS}${ARTICLE}(?:${words})${END_OF_SQL}`],
  ]),
  ['elapsed', `${START}(?<asked>${TOP})${END_OF_ANY}`],
  ['elapsed', `${START}(?<asked>slow ${STATEMENTS})${END_OF_ANY}`],
  ['elapsed', `${START}(?<asked>(?:consultas|sentencias) lentas)${END_OF_ANY}`],
  ['elapsed', `${before(`top|${WEAK}`, SQL)}${END_OF_SQL}`],
  ['elapsed', `${before(WEAK, STATEMENT)}${END_OF_ANY}`],
  // "la consulta más lenta", "qué consulta es la más lenta"
  ['elapsed', `${that}${WAS}?${ARTICLE}${MAS_LENTA}${END_OF_SQL}`],
  ['elapsed', `${asked(SQL)} (?:que )?${WAS}?${ARTICLE}${MAS_LARGA}${END_OF_SQL}`],
  ['elapsed', `${that}${WAS}?${ARTICLE}${MAS_LARGA}${END_OF_ANY}`],
  ['executions', `${that}${WAS}?${ARTICLE}(?:mas|menos)(?: veces)? ejecutad[ao]s?${END_OF_SQL}`],
  // "which query took longest", "qué sentencia tarda más"
  [
    'elapsed',
    `${that}(?:takes?|took|taking|ran|runs?|running|lasts?|lasted|performs?|performed) (?:for )?${ARTICLE}(?:longest|shortest|slowest|fastest|worst|best)${END_OF_SQL}`,
  ],
  ['elapsed', `${that}(?:${TARDA} (?:mas|menos)(?: tiempo)?|(?:mas|menos) (?:tiempo )?${TARDA})${END_OF_SQL}`],
  // "which statement was executed most often", "the SQL that ran most times"
  [
    'executions',
    `${that}(?:${WAS}?(?:executed|executes?|ran|runs?) ${ARTICLE}(?:most|least)${OFTEN}|${WAS}(?:most|least)${OFTEN} (?:executed|run))${END_OF_SQL}`,
  ],
  ['executions', `${that}(?:se ${EJECUTA} (?:mas|menos)${OFTEN}|(?:mas|menos)(?: veces)? se ${EJECUTA})${END_OF_SQL}`],
  ['count', `${that}${WAS}(?:called ${ARTICLE}(?:most|least)${OFTEN}|(?:most|least)${OFTEN} called)${END_OF_SQL}`],
  ['disk', `${that}reads? ${ARTICLE}(?:most|least)(?: blocks| data)? from (?:the )?disk${END_OF_SQL}`],
  // "which query has the most logical reads", "la sentencia que más CPU consume"
  ...FIGURES.map(([metric, names]): [Metric, string] => [
    metric,
    `${that}(?:${DO} ${ARTICLE}(?:${HIGH}|${LOW})${FILLING} (?:${names})|(?:${HIGH}|${LOW}) (?:${names}) ${DO})${END_OF_SQL}`,
  ]),
];
const PATTERNS = FORMS.map(([metric, form]): [Metric, RegExp] => [metric, new RegExp(form)]);

const ASCENDING = new RegExp(`\\b(?:${LOW}|fastest|quickest|best|mas (?:rapid|cort)[ao]s?)\\b(?! rapid|[- ]cort)`);

/**
 * The order by a figure that a question about SQL statements asks for: "slowest SQL", "which query reads most from disk", "top 5
 * statements by CPU", "la consulta más lenta"; null for any other question, and where that is not sure. English and Spanish.
 */
export function metricAsked(question: string): AskedOrder | null {
  const text = question
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim();
  for (const [metric, pattern] of PATTERNS) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const words = found.groups?.asked ?? '';
    const count = numberIn(words);
    return {
      metric,
      descending: !ASCENDING.test(found[0]),
      isPlural: count === null ? PLURAL.test(words) : count > 1,
      count,
    };
  }
  return null;
}

const NUMBER_WORD = new RegExp(`\\b${NUMBER}\\b`);

function numberIn(words: string): number | null {
  const [written] = NUMBER_WORD.exec(words) ?? [];
  if (written === undefined) return null;
  const place = Math.max(NUMBERS.indexOf(written), NUMEROS.indexOf(written));
  return place === -1 ? Number(written) : place + 1;
}
