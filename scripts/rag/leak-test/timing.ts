/** Two series of times, and whether one is longer than chance explains. */
export interface TimeComparison {
  what: string;
  /** How many times in each series. */
  count: number;
  /** Milliseconds. */
  medianHidden: number;
  medianAbsent: number;
  /** How likely so large a difference of ranks is, if there is none (Mann-Whitney, two-sided, normal approximation). */
  chance: number;
  verdict: 'alike' | 'apart' | 'grossly apart';
}

/** Below this chance a difference is told; with a handful of comparisons, it is seen by accident once in some hundred runs. */
const CHANCE = 0.001;
/** So much apart, anybody can tell the two from each other with a few calls. */
const GROSS = { ms: 20, share: 0.5 };

/** Compares the times for what exists and may not be seen with those for what does not exist. */
export function compareTimes(what: string, hidden: number[], absent: number[]): TimeComparison {
  const [medianHidden, medianAbsent] = [median(hidden), median(absent)];
  const gap = Math.abs(medianHidden - medianAbsent);
  const chance = rankTest(hidden, absent);
  const isGross = gap > GROSS.ms && gap > GROSS.share * Math.min(medianHidden, medianAbsent);
  const verdict = chance >= CHANCE ? 'alike' : isGross ? 'grossly apart' : 'apart';
  return { what, count: Math.min(hidden.length, absent.length), medianHidden, medianAbsent, chance, verdict };
}

function median(times: number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The chance of a difference of ranks as large as this between two series that do not differ. */
function rankTest(one: number[], other: number[]): number {
  const all = [...one.map((time) => ({ time, isOne: true })), ...other.map((time) => ({ time, isOne: false }))];
  all.sort((a, b) => a.time - b.time);
  const n = all.length;
  let rankSum = 0;
  let ties = 0;
  for (let i = 0; i < n; ) {
    let end = i;
    while (end < n && all[end]?.time === all[i]?.time) end++;
    const rank = (i + 1 + end) / 2;
    rankSum += rank * all.slice(i, end).filter(({ isOne }) => isOne).length;
    ties += (end - i) ** 3 - (end - i);
    i = end;
  }
  const [a, b] = [one.length, other.length];
  const u = rankSum - (a * (a + 1)) / 2;
  const deviation = Math.sqrt(((a * b) / 12) * (n + 1 - ties / (n * (n - 1))));
  if (!(deviation > 0)) return 1;
  const z = Math.max(0, Math.abs(u - (a * b) / 2) - 0.5) / deviation;
  return 2 * (1 - normal(z));
}

/** The normal distribution, to seven digits (Abramowitz and Stegun 26.2.17). */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const polynomial = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
}
