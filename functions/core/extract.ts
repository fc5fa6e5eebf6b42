import { codesIn, containsCode, KIND_WORD, kindOf, withoutNames } from './codes.ts';
import { rarity } from './evidence.ts';
import { metricAsked } from './metric-question.ts';
import { truncate } from './text.ts';
import { contentWords } from './words.ts';

/** A numbered source as an answerer sees it: a number, a title and text, never an id to copy. */
export interface NumberedSource {
  n: number;
  title: string;
  text: string;
  /** Whether the question names it, by its id or by a code in it. */
  isNamed?: boolean;
  /** Whether it is among the first in the order by a figure that is asked for; those come in that order. */
  isInOrder?: boolean;
}

/** A line or sentence of a source with the words it can match by. */
interface Unit {
  n: number;
  text: string;
  words: Set<string>;
  score: number;
}

/** A question is answered when one source covers this share of the rarity of its words. */
const MIN_COVERAGE = 0.5;
/** Sentences this near to the best one's score are told with it. */
const NEAR_BEST = 0.8;
const MAX_UNITS = 3;
const MAX_UNIT_LENGTH = 600;
/** What a better rank among the sources is worth, for each place. */
const RANK_WORTH = 0.02;
/** What a word of a sentence is worth that the title says already: who asks has most likely read it there. */
const TITLE_WORTH = 0.4;
/** A sentence up to this length, in characters, has its full worth. */
const FULL_WORTH_LENGTH = 300;
/** What a sentence gains when it has the form that the question asks for. */
const CUE_WORTH = 0.5;
/** What a validated fix gains when a fix is asked for: however many of the words stand in the fault, it is no answer. */
const FIX_WORTH = 1.5;

const DURATION =
  /\d\s*(seconds?|minutes?|hours?|days?|weeks?|months?|years?|segundos?|minutos?|horas?|d[ií]as?|semanas?|mes(es)?|años?)\b/iu;
const MONEY = /([€$£]\s*\d|\d\s*(€|\$|£|eur(os?)?\b|usd\b|d[oó]lar(es)?\b|dollars?\b|cents?\b))/iu;

/** What a question asks for, and the form of a field or sentence that tells it. English and Spanish. */
const CUES: [asks: RegExp, tells: RegExp][] = [
  [/\b(who|whose|whom|assigne\w*|owner)\b|\bqui[eé]n(es)?\b|\b(responsable|asignad\w*)\b/iu, /^Assignee: /],
  [
    /^(when|by when|until when)\b|\b(deadline|due date|what date|which date)\b|cu[aá]ndo\b|\bqu[eé] fecha\b|\bplazo\b/iu,
    /^(Due|Dates): |\b\d{1,2} (de )?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic)\w*|\b\d{4}-\d\d-\d\d\b/iu,
  ],
  [/\b(estimate[ds]?|estimation|estimad[oa]s?|estimación)\b/iu, /^Estimated hours: /],
  [/\b(story points?|puntos)\b/iu, /^Story points: /],
  [/\b(status|state of|priority|estado|prioridad)\b|^(is|are|está|están)\b/iu, /^Status: /],
  [/\b(goal|aim|objetivo|meta)\b/iu, /^Goal: /],
  [
    /\b(fix(e[ds])?|solve[ds]?|solution|resolve[ds]?|resolution|workaround|remedy|(?:arregl|corrig|soluci|resolv|resuelv)\p{L}+)(?!\p{L})/iu,
    /^Resolution: /,
  ],
  [/\bhow long\b|\bcuánto tiempo\b|\bcuánto (dura|tarda)\w*/iu, DURATION],
  [/\b(how much|cost\w*|price\w*|pay|cuánto (cuesta|vale|cobra)\w*|precio|coste?)\b/iu, MONEY],
  [/\bhow many\b|\bcuánt[oa]s\b/iu, /\d/],
  [
    /\b(why|cause[ds]?|reason|behind|por qué|causa|causó|motivo)\b/iu,
    /\b(because|cause[ds]?|due to|since|the reason|turned out|porque|causa|debid[oa]|se debe|ya que)\b|\bblocked(:| by | until | on )|\bbloquead[oa](:| por | hasta )/iu,
  ],
  [
    /\b(decid\w+|decision|cho(o)?se\w*|chosen|select\w*|agreed?|pick(ed)?|decisión|eleg\w+|elig\w+|escog\w+|acord\w+)\b/iu,
    /\b(decided|chose|chosen|agreed|selected|picked|decidió|decidimos|acordó|eligió|elegimos)\b/iu,
  ],
];

const EMPTY_FIELD = /^(Due: -|Dates: - -> -|Goal: -|Description: -|Comments:|Type: -)$/;
const FIELD = /^[A-Z][a-z]+( [a-z]+)?: /;
const FIX = /^Resolution: /;
/** The name that a record's first line, and each passage of a file, begins with. */
const ANCHOR = /^\[(?:[A-Z]+ #\d+|(?:DOCUMENT|(?:RESOLUTION of )?DIAGNOSTIC) [^\n]+?)\] /;
/** The part of a resolution that tells of the fault, not of its fix. */
const EVIDENCE = /\nEvidence: \[DIAGNOSTIC [\s\S]*$/;

/**
 * The sentences of the sources that answer a question best, each with its source's number, best first; none where no
 * source covers enough of the question. Words weigh by their rarity among the sources, a word that no source has
 * weighs most: that is what tells a question on the subject from one that the sources answer. `written` is a follow-up as it
 * was asked, of which `question` is the one that stands by itself: what it asks for counts before what was asked for earlier.
 * Of sources in the order of a figure it is their first lines, which tell the figures: one, unless several are asked for.
 */
export function extractAnswer(
  question: string,
  sources: NumberedSource[],
  written = question,
): { n: number; text: string }[] {
  const inOrder = sources.filter(({ isInOrder }) => isInOrder === true);
  if (inOrder.length > 0) {
    const order = metricAsked(question);
    const most = order?.count ?? (order?.isPlural === false ? 1 : MAX_UNITS);
    return inOrder.slice(0, most).map(({ n, text }) => ({ n, text: truncate(firstLine(text), MAX_UNIT_LENGTH) }));
  }
  // What the question names is what it is about, whatever else was found; its number is not to be looked for in texts.
  const named = sources.filter(({ isNamed }) => isNamed === true);
  const asked = [...new Set(contentWords(withoutNames(named.length > 0 ? written : question)))];
  const cues = cuesOf(written).length > 0 ? cuesOf(written) : cuesOf(question);
  if (cues.length === 0 && asked.every((word) => /^\d+$/.test(word) || kindOf(word) !== null)) {
    return named.slice(0, MAX_UNITS).flatMap((source) => beginningOf(source, codesIn(question).codes));
  }
  // Named, and not there, or not for this person: what else was found is not what was asked for.
  if (named.length === 0 && (asked.length === 0 || codesIn(question).sources.length > 0)) return [];

  const split = (named.length > 0 ? named : sources).map((source) => {
    const title = new Set(contentWords(source.title));
    const all = splitIntoUnits(source.n, source.text);
    const words = new Set([...title, ...all.flatMap((unit) => [...unit.words])]);
    return { units: splitIntoUnits(source.n, withoutEvidence(source)), title, words };
  });
  const weights = new Map(
    asked.map((word) => [word, rarity(split.filter((s) => s.words.has(word)).length, split.length)]),
  );
  const total = sum([...weights.values()]);
  const share = (words: Set<string>) =>
    total === 0 ? 0 : sum(asked.filter((w) => words.has(w)).map((w) => weights.get(w) ?? 0)) / total;

  const candidates: Unit[] = [];
  for (const [rank, { units, title, words }] of split.entries()) {
    const coverage = share(words);
    if (coverage < MIN_COVERAGE && named.length === 0) continue;
    for (const unit of units) {
      const inTitle = share(new Set([...unit.words].filter((word) => title.has(word))));
      // A very long unit (a log, a table) holds many words without saying anything with them.
      const density = Math.min(1, FULL_WORTH_LENGTH / unit.text.length);
      const hit = (share(unit.words) - inTitle * (1 - TITLE_WORTH)) * density;
      const isCued = cues.some((tells) => tells.test(unit.text));
      if (hit === 0 && !isCued) continue;
      const cueWorth = isCued ? (FIX.test(unit.text) ? FIX_WORTH : CUE_WORTH) : 0;
      unit.score = coverage + hit + cueWorth - rank * RANK_WORTH;
      // The first line names the record; it answers only where nothing else does.
      if (ANCHOR.test(unit.text)) unit.score -= 1;
      candidates.push(unit);
    }
  }
  // Whatever is asked of a fault that is named, its fix is worth telling.
  if (candidates.length === 0)
    return named
      .filter(isResolution)
      .slice(0, 1)
      .flatMap((fix) => beginningOf(fix, []));
  candidates.sort((a, b) => b.score - a.score || a.n - b.n);
  const best = candidates[0]?.score ?? 0;
  const enough = best - Math.abs(best) * (1 - NEAR_BEST);
  return withoutRepeats(candidates.filter((unit) => unit.score >= enough))
    .slice(0, MAX_UNITS)
    .map(({ n, text }) => ({ n, text: truncate(text, MAX_UNIT_LENGTH) }));
}

const cuesOf = (question: string): RegExp[] => CUES.filter(([asks]) => asks.test(question)).map(([, tells]) => tells);

/** An answer made of the sources' own best sentences, one a line, each with its source's number; null where none answers. */
export function extractiveAnswer(question: string, sources: NumberedSource[], written = question): string | null {
  const sentences = extractAnswer(question, sources, written);
  if (sentences.length === 0) return null;
  return sentences.map(({ n, text }) => `${withoutMarkers(text.replace(ANCHOR, ''))} [${n}]`).join('\n');
}

/** The names of sources in brackets, as the texts of others refer to them. */
const OTHERS = new RegExp(`\\[((?:${KIND_WORD}|document|(?:resolution of )?diagnostic)\\s[^\\][\\n]{1,512})\\]`, 'giu');

/** Numbers and names in brackets that stand in a record are its own text, and must not pass for citations. */
const withoutMarkers = (text: string) => text.replace(/\[(\d[\d\s,]*)\]/g, '($1)').replace(OTHERS, '$1');

const firstLine = (text: string) => text.split('\n', 1)[0] ?? '';

/** The fix, or the sentence with the code that was asked for, else the first one of the record's text. */
function beginningOf(source: NumberedSource, codes: string[]): { n: number; text: string }[] {
  const units = splitIntoUnits(source.n, withoutEvidence(source)).filter(({ text }) => !ANCHOR.test(text));
  const unit =
    units.find(({ text }) => FIX.test(text)) ??
    units.find(({ text }) => codes.some((code) => containsCode(text, code))) ??
    units.find(({ text }) => !FIELD.test(text)) ??
    units[0];
  return unit === undefined ? [] : [{ n: unit.n, text: truncate(unit.text, MAX_UNIT_LENGTH) }];
}

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);

const isResolution = ({ text }: Pick<NumberedSource, 'text'>) => text.startsWith('[RESOLUTION of ');

const withoutEvidence = (source: NumberedSource) =>
  isResolution(source) ? source.text.replace(EVIDENCE, '') : source.text;

function splitIntoUnits(n: number, source: string): Unit[] {
  return source
    .split('\n')
    .flatMap((line) => (line.length > 160 ? line.split(/(?<=[.!?…]["')\]]*)\s+(?=[\p{Lu}\p{N}¿¡"'([])/u) : [line]))
    .map((text) => text.replace(/^(-|Description:)\s+/, '').trim())
    .filter((text) => text !== '' && !EMPTY_FIELD.test(text))
    .map((text) => ({ n, text, words: new Set(contentWords(text)), score: 0 }));
}

function withoutRepeats(units: Unit[]): Unit[] {
  const seen = new Set<string>();
  return units.filter(({ text }) => !seen.has(text) && seen.add(text));
}
