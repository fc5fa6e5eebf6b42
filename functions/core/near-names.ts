const MAX_NAMES = 3;
/** Of the longer name's length: beyond it, two names have no more in common than chance. */
const MAX_SHARE = 0.5;

/** The names most like a wanted one, nearest first, at most three: for whoever has misspelt it, or has an old one. */
export function nearNames(wanted: string, names: string[]): string[] {
  return [...new Set(names)]
    .map((name) => ({
      name,
      share: edits(wanted.toLowerCase(), name.toLowerCase()) / Math.max(wanted.length, name.length),
    }))
    .filter(({ share }) => share <= MAX_SHARE)
    .sort((a, b) => a.share - b.share || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NAMES)
    .map(({ name }) => name);
}

/** Characters to insert, delete or exchange (Levenshtein's distance). */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const exchange = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, exchange));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
