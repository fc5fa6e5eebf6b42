export type Status = 'holds' | 'differs' | 'not tried' | 'failed';

/** What a probe found. */
export interface Finding {
  holds: boolean;
  /** What the database answered, in a sentence or two. */
  seen: string;
  /** Instead of what the probe says it means. */
  means?: string;
}

/** A probe as it is told of. */
export interface ProbeResult {
  id: string;
  question: string;
  status: Status;
  seen: string;
  means: string;
  seconds: number;
}

/** A probe that cannot be tried here; its message says why. */
export class NotTried extends Error {}

/** A probe that was cut off by Ctrl-C. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
  }
}
