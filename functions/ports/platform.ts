/** Starts a drain now, without waiting for it; the schedule is the safety net where it fails. */
export interface Nudge {
  drain(): Promise<void>;
}

/** Named counts that operators watch and alarms read. */
export interface Metrics {
  count(name: string, value: number): void;
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
