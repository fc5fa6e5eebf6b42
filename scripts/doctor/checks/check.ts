import type { Connection } from '../../../functions/adapters/oracle/driver.ts';
import type { Run } from '../run.ts';
import type { DoctorSettings } from '../settings.ts';

/** Instead of the region's, for a service that stands elsewhere. */
type Endpoints = Partial<Record<'identity' | 'limits' | 'generativeAi' | 'objectStorage', string>>;

export interface CheckContext {
  env: Record<string, string | undefined>;
  /** The user's home folder, and the folder of package.json. */
  home: string;
  root: string;
  run: Run;
  endpoints: Endpoints;
  connect(settings: DoctorSettings): Promise<Connection>;
}

/** What may go wrong, but need not. */
export interface Warning {
  warning: string;
}

/** One thing that must be fit. Resolves to what is so; throws a UserError that says what to do, a line for each fault. */
export interface Check {
  name: string;
  /** Why the deploy has no need of it, where it has none. */
  unused?(context: CheckContext): string | null;
  /** Where one of these is not fit, this one is skipped. */
  after?: Check[];
  run(context: CheckContext): Promise<string | Warning>;
}
