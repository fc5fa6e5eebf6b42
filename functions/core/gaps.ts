import { contentWords } from './words.ts';

/** A question that found no answer. */
export interface Unanswered {
  question: string;
  outcome: 'not_found' | 'off_topic';
  employeeId: number;
  /** UTC, ISO 8601. */
  askedAt: string;
}

/** Questions about the same, none of them answered. */
export interface Gap {
  /** The newest wording. */
  question: string;
  count: number;
  /** How many different people have asked. */
  people: number;
  outcomes: { not_found: number; off_topic: number };
  lastAskedAt: string;
  /** Other wordings, the newest first; at most five. */
  examples: string[];
}

const MAX_EXAMPLES = 5;

/** Two questions are about the same from here on: of the words of both together, the share that both have (Jaccard). */
export const SAME_FROM = 0.5;

/** Questions of the very same words. */
interface Wording {
  words: ReadonlySet<string>;
  /** The words in their one order. */
  key: string;
  questions: Unanswered[];
}

/**
 * Groups questions that have mostly the same words. The wording asked most often is the middle of a group, and takes in
 * all that are like it and in no group yet; so no chain of likenesses joins what has nothing in common, and the order in
 * which the questions come does not matter. Each question is in exactly one group. The largest groups first.
 */
export function groupGaps(questions: readonly Unanswered[]): Gap[] {
  const wordings = byWords(questions).sort(
    (a, b) => b.questions.length - a.questions.length || compareText(a.key, b.key),
  );
  const withWord = new Map<string, Wording[]>();
  for (const wording of wordings) {
    for (const word of wording.words) withWord.set(word, [...(withWord.get(word) ?? []), wording]);
  }
  const grouped = new Set<Wording>();
  const gaps: Gap[] = [];
  for (const middle of wordings) {
    if (grouped.has(middle)) continue;
    const candidates = new Set([...middle.words].flatMap((word) => withWord.get(word) ?? []));
    const members = [...candidates].filter(
      (other) => !grouped.has(other) && jaccard(middle.words, other.words) >= SAME_FROM,
    );
    for (const member of members) grouped.add(member);
    gaps.push(toGap(members.flatMap((member) => member.questions)));
  }
  return gaps.sort(
    (a, b) => b.count - a.count || compareText(b.lastAskedAt, a.lastAskedAt) || compareText(a.question, b.question),
  );
}

function byWords(questions: readonly Unanswered[]): Wording[] {
  const wordings = new Map<string, Wording>();
  for (const question of questions) {
    const words = wordsOf(question.question);
    const key = [...words].sort().join(' ');
    const wording = wordings.get(key) ?? { words, key, questions: [] };
    wordings.set(key, wording);
    wording.questions.push(question);
  }
  return [...wordings.values()];
}

/** What a question is about; where no word carries a subject, its text as a whole. */
export function wordsOf(question: string): ReadonlySet<string> {
  const words = contentWords(question);
  return new Set(words.length > 0 ? words : [question.trim().toLowerCase()]);
}

export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / (a.size + b.size - shared);
}

function toGap(questions: Unanswered[]): Gap {
  const newestFirst = questions.sort(
    (a, b) => compareText(b.askedAt, a.askedAt) || compareText(a.question, b.question),
  );
  const [question = '', ...others] = new Set(newestFirst.map((one) => one.question));
  const ended = (outcome: Unanswered['outcome']) => questions.filter((one) => one.outcome === outcome).length;
  return {
    question,
    count: questions.length,
    people: new Set(questions.map((one) => one.employeeId)).size,
    outcomes: { not_found: ended('not_found'), off_topic: ended('off_topic') },
    lastAskedAt: newestFirst[0]?.askedAt ?? '',
    examples: others.slice(0, MAX_EXAMPLES),
  };
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
