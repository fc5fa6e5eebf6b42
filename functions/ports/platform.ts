/** Starts a drain now, without waiting for it; the schedule is the safety net where it fails. */
export interface Nudge {
  drain(): Promise<void>;
}

/** Named figures that operators watch and alarms read. */
export interface Metrics {
  /** Something that has happened so many times. */
  count(name: string, value: number): void;
  /** Something that is so at the moment. */
  gauge(name: string, value: number): void;
  /** Sends what was reported since the last time; rejects where it cannot be sent, and then it is lost. */
  flush(): Promise<void>;
}

/** One JSON line an event, with the call's id. Never secrets, never text of records. */
export interface Log {
  info(event: string, fields?: Record<string, unknown>): void;
  warn(event: string, fields?: Record<string, unknown>): void;
  error(event: string, error: unknown, fields?: Record<string, unknown>): void;
}

/** What a verified token says. */
export interface Claims {
  subject: string;
  scopes: string[];
}

export interface TokenVerifier {
  /** Throws Unauthenticated for anything but a token of the configured issuer and audience that is valid now. */
  verify(token: string): Promise<Claims>;
}
