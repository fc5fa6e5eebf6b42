export interface ProbeOptions {
  /** Where P13 may load a second model from; null: it is not tried. */
  modelSource: string | null;
  /** How many sessions P11 opens at once. */
  sessions: number;
  /** How long P11 leaves a session idle; 0: it is not tried. */
  idleMinutes: number;
  /** Every probe gets at least so long. */
  timeoutSeconds: number;
}
