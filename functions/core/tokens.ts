/**
 * What a character costs, in tokens. Tokenizers differ by model, so each figure lies on the dear side of the usual ones:
 * English comes at about four characters a token (the rule of thumb of OpenAI's and Cohere's documentation), other Latin
 * text at three and a half; digits go in groups of at most three, with some models one by one; signs, as in code and
 * logs, are mostly a token for one or two; a Chinese, Japanese or Korean character is a token or a little more.
 */
const COSTS: [characters: RegExp, cost: number][] = [
  [/[\p{Script=Latin}\s]/u, 0.28],
  [/\p{Nd}/u, 0.5],
  [/[!-/:-@[-`{-~]/u, 0.6],
  [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u, 1.2],
  [/\p{L}/u, 0.6],
];
/** Accents that stand alone, emoji and other signs: they may fall apart into bytes. */
const OTHER = 2;

const ofCharacter = (character: string) => COSTS.find(([characters]) => characters.test(character))?.[1] ?? OTHER;

/** Costs already found: a text has few different characters. */
const known = new Map<string, number>();
const MAX_KNOWN = 10_000;

function costOf(character: string): number {
  const cost = known.get(character) ?? ofCharacter(character);
  if (known.size < MAX_KNOWN) known.set(character, cost);
  return cost;
}

const ASCII = Array.from({ length: 128 }, (_, code) => costOf(String.fromCharCode(code)));

/** About how many tokens a text is to a language model: rather too many than too few. Linear in the text's length. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const character of text) tokens += ASCII[character.charCodeAt(0)] ?? costOf(character);
  return Math.ceil(tokens);
}
