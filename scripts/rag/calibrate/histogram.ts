/** Two lists of distances, counted in the same steps. */
export interface Histogram {
  /** The first step begins, and the last one ends here. */
  from: number;
  to: number;
  onSubject: number[];
  offSubject: number[];
  /** The most in any step. */
  most: number;
}

/** Counts distances in `steps` steps from the tenth below the smallest to the tenth above the largest. */
export function histogramOf(onSubject: number[], offSubject: number[], steps: number): Histogram {
  const all = [...onSubject, ...offSubject];
  const from = Math.floor(Math.min(...all) * 10) / 10;
  const to = Math.max(from + 0.1, Math.ceil(Math.max(...all) * 10) / 10);
  const count = (distances: number[]) => {
    const counts = new Array<number>(steps).fill(0);
    for (const distance of distances) {
      const step = Math.min(steps - 1, Math.max(0, Math.floor(((distance - from) / (to - from)) * steps)));
      counts[step] = (counts[step] ?? 0) + 1;
    }
    return counts;
  };
  const counted = { onSubject: count(onSubject), offSubject: count(offSubject) };
  return { from, to, ...counted, most: Math.max(1, ...counted.onSubject, ...counted.offSubject) };
}

/** The tenths on the axis, as they are written. */
export function ticksOf({ from, to }: Histogram): number[] {
  const count = Math.round((to - from) * 10);
  return Array.from({ length: count + 1 }, (_, i) => Math.round((from + i / 10) * 10) / 10);
}
