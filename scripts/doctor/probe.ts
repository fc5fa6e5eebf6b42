import type { ProbeContext } from './context.ts';
import type { Finding } from './finding.ts';
import type { ProbeOptions } from './options.ts';

/** One question about a database that its documentation leaves open, and what hangs on the answer. */
export interface Probe {
  id: string;
  question: string;
  /** The rights that the login needs for it. */
  needs: string;
  /** What an answer means for this product; `open` where there is none. */
  means: { holds: string; differs: string; open: string };
  /** How long it may take, in seconds; two minutes where it does not say. */
  seconds?(options: ProbeOptions): number;
  run(context: ProbeContext): Promise<Finding>;
}
