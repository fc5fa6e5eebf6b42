import { findCandidates, type Searching } from '../../../functions/ask/retrieve.ts';
import type { KnownLanguages } from '../../../functions/core/language.ts';
import { type Evidence, evidenceOf } from '../../eval/evidence.ts';
import { type Asked, figuresAt, WEIGHTS } from '../../eval/measure.ts';
import type { AskSettings } from '../../eval/outcomes.ts';
import type { LabelledQuestion } from '../../eval/questions.ts';
import { UserError } from '../../user-error.ts';
import { chooseThreshold, chooseWeight, type Threshold } from './rules.ts';

/** Fewer questions of a kind than these say nothing of others. */
const MIN_QUESTIONS = 5;
/** A limit that tells the two kinds apart no better than this is of no use; 0.5 is what chance does. */
const MIN_ACCURACY = 0.65;

/** What was measured for one embedding model, and what is chosen by it. */
export interface Calibration {
  model: string;
  /** The nearest distances of the questions that the model understands and that name nothing. */
  distances: { onSubject: number[]; offSubject: number[] };
  cutoff: Threshold;
  /** By the share of words: `limit` is the least share that counts as on the subject. */
  wordCoverage: Threshold;
  /** Null where too few questions say which sources answer them. */
  weight: { chosen: number; sweep: { weight: number; ndcg10: number }[]; questions: number } | null;
  /** Questions left out of the distances: in a language that the model does not know, or naming an id or a code. */
  leftOut: { otherLanguage: number; named: number };
}

/** Throws a UserError where there are too few questions, or all on one side, before anything is started. */
export function requireBothKinds(questions: LabelledQuestion[]): void {
  const offSubject = questions.filter(({ kind }) => kind === 'off_topic').length;
  const onSubject = questions.length - offSubject;
  for (const [n, what] of [
    [onSubject, 'on the subject (kind answerable or unanswered)'],
    [offSubject, 'off the subject (kind off_topic)'],
  ] as const) {
    if (n < MIN_QUESTIONS) throw new UserError(`There must be at least ${MIN_QUESTIONS} questions ${what}, got ${n}`);
  }
}

/** Asks every question once, and chooses the weight, then the limits, by what was found with it. */
export async function calibrate(
  searching: Searching,
  questions: LabelledQuestion[],
  settings: AskSettings,
): Promise<Calibration> {
  const { topK, languages } = settings;
  const asked: (Asked & { labelled: LabelledQuestion })[] = [];
  for (const labelled of questions) {
    const found = await findCandidates(searching, labelled.question, {
      topK,
      filters: {},
      sort: null,
      approximate: false,
    });
    const gains = new Map((labelled.sources ?? []).map((source) => [source, 1]));
    asked.push({ labelled, found, question: { text: labelled.question, gains } });
  }
  requireCorpus(asked);
  const weight = measureWeight(asked, settings.languages);
  const vectorWeight = weight?.chosen ?? settings.vectorWeight;
  const judged = asked.map(({ labelled, found }) => ({
    isOnSubject: labelled.kind !== 'off_topic',
    across: labelled.across === true,
    evidence: evidenceOf(labelled.question, found, { topK, vectorWeight, languages }),
  }));
  const unnamed = judged.filter(({ evidence }) => !evidence.isNamed);
  const side = (isOnSubject: boolean, figureOf: (evidence: Evidence) => number | null, from = unnamed) =>
    from.filter((one) => one.isOnSubject === isOnSubject).flatMap(({ evidence }) => figureOf(evidence) ?? []);
  const distances = {
    onSubject: side(true, ({ distance }) => distance),
    offSubject: side(false, ({ distance }) => distance),
  };
  // Words of a record in another language are not to be expected.
  const comparable = unnamed.filter(({ across }) => !across);
  const byWords = threshold(
    'shares of common words',
    // The more the better: the other way round, as a limit has it.
    side(true, ({ coverage }) => -coverage, comparable),
    side(false, ({ coverage }) => -coverage, comparable),
  );
  return {
    model: searching.embedder.model,
    distances,
    cutoff: threshold('distances', distances.onSubject, distances.offSubject),
    wordCoverage: { ...byWords, limit: -byWords.limit },
    weight,
    leftOut: {
      otherLanguage: unnamed.filter(({ evidence }) => evidence.distance === null).length,
      named: judged.length - unnamed.length,
    },
  };
}

function threshold(what: string, onSubject: number[], offSubject: number[]): Threshold {
  for (const [figures, side] of [
    [onSubject, 'on'],
    [offSubject, 'off'],
  ] as const) {
    if (figures.length < MIN_QUESTIONS) {
      throw new UserError(
        `Only ${figures.length} questions ${side} the subject can be compared by their ${what}, and ${MIN_QUESTIONS} are needed: ` +
          'questions that name an id or a code do not count, nor, for distances, those in a language that the model does not know',
      );
    }
  }
  const chosen = chooseThreshold(onSubject, offSubject);
  if (chosen.balancedAccuracy < MIN_ACCURACY) {
    throw new UserError(
      `The ${what} of the two kinds of questions do not differ enough for a limit: the best one puts ` +
        `${Math.round(chosen.balancedAccuracy * 100)} % on the right side. Are they about this corpus?`,
    );
  }
  return chosen;
}

function requireCorpus(asked: Asked[]): void {
  if (asked.every(({ found }) => found.candidates.length === 0)) {
    throw new UserError('Nothing was found for any question: the corpus has no text of this embedding model');
  }
}

/** By the questions that say which sources answer them; those that name an id find them whatever the weight. */
function measureWeight(asked: Asked[], languages: KnownLanguages): Calibration['weight'] {
  const placed = asked.filter(({ question, found }) => question.gains.size > 0 && found.named.sources.length === 0);
  if (placed.length < MIN_QUESTIONS) return null;
  const sweep = WEIGHTS.map((weight) => ({ weight, ndcg10: figuresAt(placed, weight, languages).ndcg10 }));
  if (sweep.every(({ ndcg10 }) => ndcg10 === 0)) {
    throw new UserError('None of the sources that the questions name was found: are they of this corpus?');
  }
  const chosen = chooseWeight(sweep.map(({ weight, ndcg10 }) => ({ weight, figure: ndcg10 })));
  return { chosen, sweep, questions: placed.length };
}
