import { randomBytes } from 'node:crypto';

/** Stands in every fence, and in no prose: not even with the blanks between words taken out. */
const FIXED_PART = 'zqfence';

/** A mark that no text can hold by chance or by guess: 128 random bits. One for each prompt. */
export const newFence = (): string => `${FIXED_PART}-${randomBytes(16).toString('hex')}`;

/** The line that opens, and closes, what is data. */
export const fenceLine = (fence: string): string => `=====${fence}=====`;

/** A shorter random part could be a word. */
const MIN_RANDOM = 16;

/** What is put where data held something like a fence. */
const DEFUSED = '(mark removed)';

/** Letters of other scripts that look like those of a fence, as they are after NFKD and in lower case. */
const LOOK_ALIKES: Record<string, string> = Object.fromEntries(
  [
    ['a', 'аαɑᴀ'],
    ['b', 'вьβʙ'],
    ['c', 'сϲᴄς'],
    ['d', 'ԁɗᴅ'],
    ['e', 'еεєҽᴇɛ'],
    ['f', 'ƒғꜰſ'],
    ['n', 'νпηոɴ'],
    ['q', 'ԛɋգ'],
    ['z', 'ζᴢʐ'],
    ['0', 'oоοօ'],
    ['1', 'liіι|ӏ'],
    ['3', 'зɜ'],
  ].flatMap(([letter = '', looks = '']) => [...looks].map((look) => [look, letter])),
);

/** The letters and digits of a text as a careless reader sees them, and where in the text each stands. */
function skeleton(text: string): { letters: string; at: number[] } {
  let letters = '';
  const at: number[] = [];
  let index = 0;
  for (const character of text) {
    const plain = /^[\x20-\x7e]$/.test(character) ? character : character.normalize('NFKD');
    for (const part of plain.toLowerCase()) {
      const letter = LOOK_ALIKES[part] ?? part;
      // Blanks, signs, accents and what cannot be seen part nothing.
      if (!/^[\p{L}\p{N}]$/u.test(letter)) continue;
      letters += letter;
      for (let unit = 0; unit < letter.length; unit++) at.push(index);
    }
    index += character.length;
  }
  return { letters, at };
}

/**
 * A text with everything taken out that could pass for a line of the fence: the fence, its random part, and the fixed part of any
 * fence, in whatever case, spacing, look-alike letters and characters that cannot be seen.
 */
export function defuse(text: string, fence: string): string {
  const { letters, at } = skeleton(text);
  const whole = skeleton(fence).letters;
  const random = whole.startsWith(FIXED_PART) ? whole.slice(FIXED_PART.length) : whole;
  const marks = [whole, FIXED_PART, random].filter((mark) => mark === FIXED_PART || mark.length >= MIN_RANDOM);
  const ranges = marks.flatMap((mark) => occurrences(letters, mark)).sort(([a], [b]) => a - b);
  let defused = '';
  let done = 0;
  for (const [first, last] of ranges) {
    const start = at[first] ?? 0;
    const lastAt = at[last] ?? 0;
    const end = lastAt + String.fromCodePoint(text.codePointAt(lastAt) ?? 0).length;
    if (start >= done) defused += text.slice(done, start) + DEFUSED;
    done = Math.max(done, end);
  }
  return defused + text.slice(done);
}

function occurrences(text: string, part: string): [first: number, last: number][] {
  const found: [number, number][] = [];
  for (let from = text.indexOf(part); from !== -1; from = text.indexOf(part, from + part.length)) {
    found.push([from, from + part.length - 1]);
  }
  return found;
}
