import { compareFigures } from './figures.ts';
import { detectLanguage } from './language.ts';
import { contentWords } from './words.ts';

/** `unsure` where words and figures do not decide it and no distance does. */
export type Support = 'supported' | 'unsupported' | 'unsure';

/** What a statement has in common with the texts it cites. */
export interface SupportCheck {
  /** The share of the statement's content words that the texts hold, 0 to 1; names weigh double. */
  overlap: number;
  /** Figures, dates, ids and codes of the statement that stand in none of the texts, as written. */
  missing: string[];
  /** How many content words, and how many figures, dates, ids and codes the statement has. */
  words: number;
  figures: number;
  /** Whether statement and texts are in one language: words can be compared. */
  isSameLanguage: boolean;
}

const NAME_WEIGHT = 2;

/**
 * Compares a statement with the texts it cites. It sees words, names and figures, not what is said with them: a left-out "not",
 * exchanged roles ("A pays B") and a figure of the right size for the wrong thing pass.
 */
export function checkSupport(statement: string, citedTexts: string[]): SupportCheck {
  const { figures, missing, rest } = compareFigures(statement, citedTexts);
  const weights = wordWeights(rest);
  const held = new Set(citedTexts.flatMap(contentWords));
  let total = 0;
  let found = 0;
  for (const [word, weight] of weights) {
    total += weight;
    if (held.has(word)) found += weight;
  }
  const overlap = total > 0 ? found / total : 0;
  const isSameLanguage = citedTexts.length === 0 || detectLanguage(statement) === detectLanguage(citedTexts.join('\n'));
  return { overlap, missing, words: weights.size, figures: figures.length, isSameLanguage };
}

/** Answers to what is asked, with nothing in them to compare. */
const ASSENT = new Set(['yes', 'oui', 'ja', 'nein', 'sim', 'nao']);

/** The content words of a text without figures, and their weights. */
function wordWeights(text: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const [i, [written]] of [...text.matchAll(/[\p{L}\p{N}]+(?:[-'][\p{L}\p{N}]+)*/gu)].entries()) {
    const isName = i > 0 && /^\p{Lu}/u.test(written);
    for (const word of contentWords(written)) {
      if (!ASSENT.has(word)) weights.set(word, isName ? NAME_WEIGHT : (weights.get(word) ?? 1));
    }
  }
  return weights;
}

/**
 * Shares of common words. Measured on XQuAD with questions and their answers put together as statements (English and
 * Spanish alike): from 0.55 on are 93 % of them against their own paragraph and 2 % against its neighbour; below 0.3 are none
 * and 80 %. Of Spanish ones against the English paragraph, 50 % have 0.3 or more, and 3 % against its neighbour.
 */
const ENOUGH = 0.55;
const LITTLE = 0.3;
const ENOUGH_ACROSS = 0.3;
/** A statement is near a passage within this share of the distance at which a question has nothing near it any more. */
const NEAR = 0.6;

/**
 * Decides on a statement. A figure that its sources do not have is against it, whatever else they share; enough common
 * words are for it, and few are against it where no figure speaks for it; what lies between, the distance of the statement to
 * the nearest of its cited passages decides: near enough is for it, beyond the embedding model's `cutoff` against it, and
 * else it stays open, since a model's own words are often others than its source's. Null for no distance, and where the
 * model does not know the statement's language: distances say nothing then. Across languages, where few words can be common, a
 * figure that the source has is enough, and neither few words nor a distance count against a statement.
 */
export function judgeSupport(check: SupportCheck, distance: number | null, cutoff: number): Support {
  const { overlap, missing, words, figures, isSameLanguage } = check;
  if (missing.length > 0) return 'unsupported';
  // "Yes [1]." has nothing to compare.
  if (words === 0) return figures > 0 ? 'supported' : 'unsure';
  if (overlap >= (isSameLanguage ? ENOUGH : ENOUGH_ACROSS)) return 'supported';
  // Whatever the words, a figure that the source has speaks for the statement: it is left open.
  if (isSameLanguage && overlap < LITTLE && figures === 0) return 'unsupported';
  if (!isSameLanguage && figures > 0) return 'supported';
  if (distance === null) return 'unsure';
  if (distance <= cutoff * NEAR) return 'supported';
  return isSameLanguage && figures === 0 && distance > cutoff ? 'unsupported' : 'unsure';
}

/** Whether an answer still rests on something: a statement that cites and that nothing speaks against. */
export function hasSupport(judged: { cited: number[]; support: Support }[]): boolean {
  return judged.some(({ cited, support }) => cited.length > 0 && support !== 'unsupported');
}
