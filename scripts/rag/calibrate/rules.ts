/** A limit between two kinds of figures, and how well it tells them apart. */
export interface Threshold {
  limit: number;
  /** Figures of questions on the subject that lie beyond it: these questions would be refused. */
  refused: number;
  /** Figures of questions off the subject that lie within it: these would be let through. */
  letThrough: number;
  /** The mean of the shares of either kind that are on their side, 0.5 where the limit tells nothing, to 1. */
  balancedAccuracy: number;
}

/**
 * What a refused question on the subject weighs against one off the subject that is let through: the latter still meets
 * an answerer that finds nothing; the former is lost.
 */
const REFUSAL_WEIGHT = 2;

/**
 * The limit up to which figures count as on the subject: of all places between two figures, the one that puts most on their
 * sides, refusals weighing double. Among places that are as good, the one that refuses fewest; then the widest gap, in whose
 * middle the limit lies. Both lists need at least one figure.
 */
export function chooseThreshold(onSubject: readonly number[], offSubject: readonly number[]): Threshold {
  if (onSubject.length === 0 || offSubject.length === 0) throw new RangeError('both kinds need a figure');
  const all = [...new Set([...onSubject, ...offSubject])].sort((a, b) => a - b);
  const places = all.map((from, i) => ({ from, to: all[i + 1] ?? from }));
  const judged = places.map(({ from, to }) => {
    const refused = onSubject.filter((figure) => figure > from).length;
    const letThrough = offSubject.filter((figure) => figure <= from).length;
    const kept = 1 - refused / onSubject.length;
    const stopped = 1 - letThrough / offSubject.length;
    return {
      limit: (from + to) / 2,
      refused,
      letThrough,
      balancedAccuracy: (kept + stopped) / 2,
      worth: REFUSAL_WEIGHT * kept + stopped,
      gap: to - from,
    };
  });
  const [best] = judged.sort((a, b) => apart(b.worth, a.worth) || a.refused - b.refused || b.gap - a.gap);
  if (best === undefined) throw new RangeError('there is no place for a limit');
  const { limit, refused, letThrough, balancedAccuracy } = best;
  return { limit, refused, letThrough, balancedAccuracy };
}

/** The difference of two sums of shares; none where it is only that of their rounding. */
const apart = (a: number, b: number) => (Math.abs(a - b) < 1e-9 ? 0 : a - b);

/** Weights whose figure is this near to the best one's are as good, on sets of the size that people have. */
const AS_GOOD = 0.002;

/** Of the weights that are about as good as the best, the one in the middle: the least that depends on single questions. */
export function chooseWeight(figures: readonly { weight: number; figure: number }[]): number {
  const best = Math.max(...figures.map(({ figure }) => figure));
  const good = figures
    .filter(({ figure }) => best - figure <= AS_GOOD)
    .map(({ weight }) => weight)
    .sort((a, b) => a - b);
  const middle = good[Math.floor((good.length - 1) / 2)];
  if (middle === undefined) throw new RangeError('there is no weight to choose from');
  return middle;
}
