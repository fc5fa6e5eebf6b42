import type { Log, Metrics } from '../../ports/platform.ts';

/** Collects what is reported, and sends it together: a count as its sum, a gauge as it was last. */
export class Figures implements Metrics {
  readonly #send: (figures: Record<string, number>) => Promise<void>;
  #figures: Record<string, number> = {};

  constructor(send: (figures: Record<string, number>) => Promise<void>) {
    this.#send = send;
  }

  count(name: string, value: number): void {
    this.#figures[name] = (this.#figures[name] ?? 0) + value;
  }

  gauge(name: string, value: number): void {
    this.#figures[name] = value;
  }

  async flush(): Promise<void> {
    const figures = this.#figures;
    this.#figures = {};
    if (Object.keys(figures).length > 0) await this.#send(figures);
  }
}

/** Writes figures to the log, where they are other than the last ones: an idle machine's log stays short. */
export function logFigures(log: Log): (figures: Record<string, number>) => Promise<void> {
  let last = '';
  return async (figures) => {
    const now = JSON.stringify(figures);
    if (now !== last) log.info('metrics', figures);
    last = now;
  };
}
