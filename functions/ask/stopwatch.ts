/** Milliseconds between two readings of the clock, to a tenth. */
export const elapsed = (from: number, to: number): number => Math.round((to - from) * 10) / 10;

/** The milliseconds of the stages of one call. */
export class Stopwatch {
  readonly timings: Record<string, number> = {};

  add(timings: Record<string, number>): void {
    Object.assign(this.timings, timings);
  }

  /** Notes the time of a stage, also of one that fails. */
  async time<T>(stage: string, work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      this.timings[stage] = elapsed(start, performance.now());
    }
  }

  /** The stages so far, and all since `startedAt`. */
  total(startedAt: number): Record<string, number> {
    return { ...this.timings, total: elapsed(startedAt, performance.now()) };
  }
}
