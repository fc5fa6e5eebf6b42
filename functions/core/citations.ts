/** Code, which is left alone, or a marker of one or more numbers: [1], [1, 2]. */
const CODE_OR_MARKER = /```[\s\S]*?(?:```|$)|`[^`\n]*`|[ \t]*\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]/g;

export interface CheckedAnswer {
  /** The answer without the markers that point nowhere. */
  answer: string;
  /** The numbers of the sources that are really cited, ascending. */
  cited: number[];
  /** The numbers that were removed. */
  removed: number[];
}

/** Checks every citation of an answer against the sources, which are numbered from 1 to `sourceCount`. */
export function checkCitations(answer: string, sourceCount: number): CheckedAnswer {
  const cited = new Set<number>();
  const removed = new Set<number>();
  const checked = answer.replace(CODE_OR_MARKER, (whole: string, list: string | undefined) => {
    if (list === undefined) return whole;
    const numbers = list.split(',').map((n) => Number(n.trim()));
    const valid = numbers.filter((n) => n >= 1 && n <= sourceCount);
    for (const n of numbers) (valid.includes(n) ? cited : removed).add(n);
    if (valid.length === numbers.length) return whole;
    const lead = whole.slice(0, whole.indexOf('['));
    return valid.length === 0 ? '' : `${lead}[${valid.join(', ')}]`;
  });
  const ascending = (set: Set<number>) => [...set].sort((a, b) => a - b);
  return { answer: checked.trim(), cited: ascending(cited), removed: ascending(removed) };
}
