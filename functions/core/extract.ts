import { truncate } from './text.ts';
import { contentWords } from './words.ts';

/** A numbered source as an answerer sees it: a number, a title and text, never an id to copy. */
export interface NumberedSource {
  n: number;
  title: string;
  text: string;
}

/** A line or sentence of a source with the words it can match by. */
interface Unit {
  n: number;
  text: string;
  words: Set<string>;
  score: number;
}

/** A question is answered when the units and titles of one source cover this share of its words' rarity. */
const MIN_COVERAGE = 0.5;
const MAX_UNITS = 3;
const MAX_UNIT_LENGTH = 600;

/** What a question word asks for, and the field that holds it in the text of a record. */
const ASKED_FIELDS: [question: RegExp, field: RegExp][] = [
  [/\b(who|whose|whom|assigne\w*|owner|quién|quien|quiénes|responsable|asignad\w*)\b/iu, /^Assignee: /],
  [/\b(when|deadline|due|date|dates|cuándo|cuando|fecha|vence|plazo)\b/iu, /^(Due|Dates): /],
  [/\b(how many hours|how long|estimate\w*|cuántas horas|estimad\w*)\b/iu, /^Estimated hours: /],
  [/\b(story points?|points|puntos)\b/iu, /^Story points: /],
  [/\b(status|state|blocked|done|finished|priority|estado|bloquead\w*|prioridad|terminad\w*)\b/iu, /^Status: /],
  [/\b(goal|aim|objetivo|meta)\b/iu, /^Goal: /],
];

const EMPTY_FIELD = /^(Due: -|Dates: - -> -|Goal: -|Description: -|Comments:)$/;

/**
 * The sentences of the sources that answer a question best, each with its source's number, best first; none where no
 * source covers enough of the question. Words weigh by their rarity among the sources, a word that no source has
 * weighs most: that is what tells a question on the subject from one that the sources answer.
 */
export function extractAnswer(question: string, sources: NumberedSource[]): { n: number; text: string }[] {
  const asked = [...new Set(contentWords(question))];
  if (asked.length === 0 || sources.length === 0) return [];

  const bySource = sources.map((source) => {
    const units = splitIntoUnits(source);
    return {
      source,
      units,
      title: new Set(contentWords(source.title)),
      words: new Set(units.flatMap((u) => [...u.words])),
    };
  });
  const weight = new Map(
    asked.map((word) => {
      const having = bySource.filter((s) => s.words.has(word) || s.title.has(word)).length;
      return [word, Math.log(1 + (sources.length + 0.5) / (having + 0.5))];
    }),
  );
  const total = asked.reduce((sum, word) => sum + (weight.get(word) ?? 0), 0);
  const fields = ASKED_FIELDS.filter(([pattern]) => pattern.test(question)).map(([, field]) => field);

  const units: Unit[] = [];
  for (const [rank, { title, words, units: own }] of bySource.entries()) {
    const covered = asked.filter((word) => words.has(word) || title.has(word));
    const coverage = covered.reduce((sum, word) => sum + (weight.get(word) ?? 0), 0) / total;
    if (coverage < MIN_COVERAGE) continue;
    for (const unit of own) {
      const hit = asked.filter((word) => unit.words.has(word)).reduce((sum, word) => sum + (weight.get(word) ?? 0), 0);
      const isAskedField = fields.some((field) => field.test(unit.text));
      if (hit === 0 && !isAskedField) continue;
      unit.score = coverage + hit / total + (isAskedField ? 0.6 : 0) - rank * 0.02;
      units.push(unit);
    }
  }
  units.sort((a, b) => b.score - a.score || a.n - b.n);
  const [best] = units;
  if (best === undefined) return [];
  return withoutRepeats(units.filter((unit) => unit.score >= best.score * 0.75))
    .slice(0, MAX_UNITS)
    .map(({ n, text }) => ({ n, text: truncate(text, MAX_UNIT_LENGTH) }));
}

function splitIntoUnits(source: NumberedSource): Unit[] {
  return source.text
    .split('\n')
    .flatMap((line) => (line.length > 160 ? line.split(/(?<=[.!?…]["')\]]*)\s+(?=[\p{Lu}\p{N}¿¡"'([])/u) : [line]))
    .map((text) => text.replace(/^(-|Description:)\s+/, '').trim())
    .filter((text) => text !== '' && !EMPTY_FIELD.test(text))
    .map((text) => ({ n: source.n, text, words: new Set(contentWords(text)), score: 0 }));
}

function withoutRepeats(units: Unit[]): Unit[] {
  const seen = new Set<string>();
  return units.filter(({ text }) => !seen.has(text) && seen.add(text));
}
