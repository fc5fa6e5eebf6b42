import { kindOf } from './codes.ts';
import { detectLanguage } from './language.ts';

/** A figure, date or code of a text. */
interface Figure {
  written: string;
  /** Ways to read it: it stands in a text that has all the keys of one of them. */
  readings: string[][];
  /** What a text that holds it has, to be read by: itself, and its parts. */
  keys: string[];
}

/** Names of the months in the languages that answers come in; those cut short stand with or without a full stop. */
const MONTHS = [
  'january|jan|enero|ene|janvier|januar|janeiro|gennaio|gen',
  'february|feb|febrero|février|februar|fevereiro|fev|febbraio',
  'march|mar|marzo|mars|märz|março',
  'april|apr|abril|abr|avril|aprile',
  'may|mayo|mai|maio|maggio|mag',
  'june|jun|junio|juin|juni|junho|giugno|giu',
  'july|jul|julio|juillet|juli|julho|luglio|lug',
  'august|aug|agosto|ago|août',
  'september|sept?|septiembre|setiembre|septembre|setembro|settembre',
  'october|oct|octubre|octobre|oktober|okt|outubro|out|ottobre|ott',
  'november|nov|noviembre|novembre|novembro',
  'december|dec|diciembre|dic|décembre|dezember|dez|dezembro|dicembre',
];
const MONTH = `(?<![\\p{L}])(?<month>${MONTHS.join('|')})(?!\\p{L})\\.?`;
const monthOf = (name: string): number =>
  MONTHS.findIndex((names) => new RegExp(`^(?:${names})$`, 'iu').test(name)) + 1;

const ISO_DATE = /(?<!\d)(?<year>\d{4})-(?<m>\d{2})-(?<day>\d{2})(?!\d)/gu;
const NUMERIC_DATE = /(?<![\d.,/-])(?<a>\d{1,2})([/.-])(?<b>\d{1,2})\2(?<year>\d{4})(?!\d)/gu;
const DAY_MONTH = new RegExp(
  `(?<![\\d.,])(?<day>\\d{1,2})(?:st|nd|rd|th|º|°|er)?\\.?\\s+(?:of |de |d')?${MONTH}(?:,?\\s+(?:de |del |of )?(?<year>\\d{4})(?!\\d))?`,
  'giu',
);
const MONTH_DAY = new RegExp(
  `${MONTH}\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?(?![\\d:])(?:,?\\s+(?<year>\\d{4})(?!\\d))?`,
  'giu',
);
const MONTH_YEAR = new RegExp(`${MONTH}\\s+(?:de |del |of )?(?<year>\\d{4})(?!\\d)`, 'giu');
const YEAR_MONTH = /(?<![\d-])(?<year>(?:19|20)\d\d)-(?<m>0[1-9]|1[0-2])(?![\d-])/gu;
const TIME = /(?<![\d.,:])(?<hour>\d{1,2}):(?<minute>\d{2})(?!\d)/gu;
const CODE =
  /(?<![\p{L}\p{N}_-])(?<prefix>\p{L}[A-Z0-9]{1,9}(?:-[A-Z0-9]{2,10})?)-(?<digits>\d{1,8})(?![\p{L}\p{N}_])/giu;
/** Letters and digits in one word: S11, 7ztbq2nf4kd3a; not an amount with its unit (12h, 19c). */
const MIXED = /(?<![\p{L}\p{N}_])(?:\p{L}[\p{L}_$]*\d|\d+\p{L}+\d)[\p{L}\p{N}_]*/gu;
/** Groups of three behind a blank are one number where nothing else can be meant. */
const NUMBER = /\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?![\p{N}])(?:[.,]\d+)?|\d+(?:[.,'’]\d+)*/gu;

/** The numbers that texts have as words, by their places from 2 on. */
const NUMBER_WORDS: Record<'en' | 'es', string[]> = {
  en: 'two three four five six seven eight nine ten eleven twelve'.split(' '),
  es: 'dos tres cuatro cinco seis siete ocho nueve diez once doce'.split(' '),
};
/** As a whole: neither `twenty-two`, `treinta y dos` nor `two hundred`. */
const NUMBER_WORD = new RegExp(
  `(?<![\\p{L}\\p{N}_-]|nta\\s+y\\s+)(?:${Object.values(NUMBER_WORDS).flat().join('|')})(?![\\p{L}\\p{N}_]|[\\s-]+(?:hundred|thousand|million|billion|mil|mill[óo]n|millones)(?!\\p{L}))`,
  'giu',
);

/** The number that a word stands for in a text's language; null for "once" in English. */
function numberOf(word: string, language: string): number | null {
  const lower = word.toLowerCase();
  const [en, es] = [NUMBER_WORDS.en.indexOf(lower), NUMBER_WORDS.es.indexOf(lower)];
  if (lower === 'once' && language !== 'es') return null;
  return Math.max(en, es) + 2;
}

const pad = (number: string | number | undefined) => String(Number(number ?? 0)).padStart(2, '0');

function dateFigure(written: string, year: string | undefined, month: number, day: string | undefined): Figure {
  const monthDay = day === undefined ? null : `${pad(month)}-${pad(day)}`;
  const parts = [year, month, day].filter((part) => part !== undefined).map((part) => `number ${Number(part)}`);
  if (monthDay === null)
    return { written, readings: [[`month ${year}-${pad(month)}`]], keys: [`month ${year}-${pad(month)}`, ...parts] };
  if (year === undefined)
    return { written, readings: [[`day ${monthDay}`]], keys: [`day ${monthDay}`, `yearless ${monthDay}`, ...parts] };
  return {
    written,
    // A text may tell the year once and then days alone.
    readings: [[`date ${year}-${monthDay}`], [`yearless ${monthDay}`, `number ${Number(year)}`]],
    keys: [`date ${year}-${monthDay}`, `day ${monthDay}`, `month ${year}-${pad(month)}`, ...parts],
  };
}

const numberFigure = (written: string): Figure => {
  const keys = readNumber(written);
  return { written, readings: keys.map((key) => [key]), keys };
};

/** The numbers that a notation may mean: 41,750 and 41.750 are each forty-one thousand or forty-one and a fraction. */
function readNumber(written: string): string[] {
  const text = written.replace(/[ \u00a0\u202f'’]/g, '');
  const separators = text.match(/[.,]/g) ?? [];
  const groups = text.split(/[.,]/);
  const [first = ''] = groups;
  const last = groups.at(-1) ?? '';
  const areThousands = (some: string[]) => first.length <= 3 && some.every((group) => group.length === 3);
  const whole = groups.join('');
  const fraction = `${groups.slice(0, -1).join('')}.${last}`;
  if (separators.length === 0) return [numberKey(text)];
  if (separators.length === 1) {
    return areThousands(groups.slice(1)) && Number(first) > 0
      ? [numberKey(whole), numberKey(fraction)]
      : [numberKey(fraction)];
  }
  const isOneKind = new Set(separators).size === 1;
  if (isOneKind && areThousands(groups.slice(1))) return [numberKey(whole)];
  if (!isOneKind && areThousands(groups.slice(1, -1)) && new Set(separators.slice(0, -1)).size === 1)
    return [numberKey(fraction)];
  // A version, an address, a chapter.
  return [`dotted ${text}`];
}

const numberKey = (digits: string): string => {
  const [whole = '', fraction = ''] = digits.split('.');
  const significant = fraction.replace(/0+$/, '');
  return `number ${whole.replace(/^0+(?=\d)/, '') || '0'}${significant === '' ? '' : `.${significant}`}`;
};

/**
 * A code: an Oracle message's number has five digits, of which leading zeros are often left out. In small letters it may
 * be a word with a number (`top-10`): then the number by itself will do.
 */
function codeFigure(written: string, prefix: string, digits: string): Figure {
  const isOracle = /^(ORA|PLS|TNS|RMAN)$/i.test(prefix);
  const code = `code ${prefix.toUpperCase()}-${isOracle ? digits.padStart(5, '0') : digits}`;
  const keys = [code, numberKey(digits)];
  const isCertain = isOracle || written === written.toUpperCase();
  return { written, readings: isCertain ? [[code]] : keys.map((key) => [key]), keys };
}

type Groups = Record<string, string | undefined>;

/** What is looked for, in this order: what one has found, those after it do not see. */
const READERS: [pattern: RegExp, read: (written: string, groups: Groups) => Figure | null][] = [
  [ISO_DATE, (written, { year, m, day }) => dateFigure(written, year, Number(m), day)],
  [NUMERIC_DATE, (written, { year, a, b }) => bothOrders(written, year, a, b)],
  [DAY_MONTH, (written, { year, month = '', day }) => dateFigure(written, year, monthOf(month), day)],
  [MONTH_DAY, (written, { year, month = '', day }) => dateFigure(written, year, monthOf(month), day)],
  [MONTH_YEAR, (written, { year, month = '' }) => dateFigure(written, year, monthOf(month), undefined)],
  [YEAR_MONTH, (written, { year, m }) => dateFigure(written, year, Number(m), undefined)],
  [
    CODE,
    (written, { prefix = '', digits = '' }) => (kindOf(prefix) === null ? codeFigure(written, prefix, digits) : null),
  ],
  [
    TIME,
    (written, { hour, minute }) => {
      const [key, hourKey] = [`time ${pad(hour)}:${minute}`, `number ${Number(hour)}`];
      return { written, readings: minute === '00' ? [[key], [hourKey]] : [[key]], keys: [key, hourKey] };
    },
  ],
  [
    MIXED,
    (written) => ({
      written,
      readings: [[`word ${written.toLowerCase()}`]],
      keys: [`word ${written.toLowerCase()}`, ...(written.match(/\d+/g) ?? []).map(numberKey)],
    }),
  ],
  [NUMBER, numberFigure],
];

/** A date in figures, day and month in either order. */
function bothOrders(written: string, year: string | undefined, a: string | undefined, b: string | undefined): Figure {
  const orders = [dateFigure(written, year, Number(b), a), dateFigure(written, year, Number(a), b)];
  return { written, readings: orders.flatMap((one) => one.readings), keys: orders.flatMap((one) => one.keys) };
}

/** A text's figures, and the text without them. */
function figuresOf(text: string): { figures: Figure[]; rest: string } {
  const figures: Figure[] = [];
  let rest = text.normalize('NFC');
  for (const [pattern, read] of READERS) {
    rest = rest.replace(pattern, (written: string, ...args: unknown[]) => {
      const groups = args.at(-1);
      const figure = read(written, typeof groups === 'object' && groups !== null ? (groups as Groups) : {});
      if (figure === null) return written;
      figures.push(figure);
      // Keeps apart what stands before and behind.
      return ' \u0000 ';
    });
  }
  return { figures, rest };
}

/** What a text holds, by which figures are found in it. */
function keysOf(text: string): string[] {
  const { figures, rest } = figuresOf(text);
  const language = detectLanguage(text);
  const numbers = (rest.match(NUMBER_WORD) ?? []).map((word) => numberOf(word, language));
  return [
    ...figures.flatMap((figure) => figure.keys),
    ...numbers.filter((number) => number !== null).map((number) => `number ${number}`),
  ];
}

/**
 * The figures, dates, ids and codes of a statement, as written, each once, and those of them that occur in no text. The
 * notation does not matter: 41,750 and 41.750 and 41750; 4 December 2026 and 2026-12-04; ORA-1652 and ORA-01652; units and signs
 * are not compared. 2 to 12 may be words, in English or Spanish; a word that occurs in no text as a figure is no figure, since
 * what is counted may be a list. `rest` is the statement without its figures.
 */
export function compareFigures(
  statement: string,
  texts: string[],
): { figures: string[]; missing: string[]; rest: string } {
  const keys = new Set(texts.flatMap(keysOf));
  const { figures, rest } = figuresOf(statement);
  const language = detectLanguage(statement);
  const words: string[] = [];
  const withoutNumbers = rest.replace(NUMBER_WORD, (word) => {
    const number = numberOf(word, language);
    if (number === null || !keys.has(`number ${number}`)) return word;
    words.push(word);
    return ' \u0000 ';
  });
  const missing = figures.filter(({ readings }) => !readings.some((reading) => reading.every((key) => keys.has(key))));
  const written = (some: Figure[]) => [...new Set(some.map((figure) => figure.written.trim()))];
  return { figures: [...written(figures), ...new Set(words)], missing: written(missing), rest: withoutNumbers };
}
