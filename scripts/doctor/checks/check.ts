import type { Connection } from '../../../functions/adapters/oracle/driver.ts';
import type { DoctorSettings } from '../settings.ts';

export interface CheckContext {
  env: Record<string, string | undefined>;
  connect(settings: DoctorSettings): Promise<Connection>;
}

/** One thing that must be fit. Resolves to what is so; throws a UserError that says what to do. */
export interface Check {
  name: string;
  run(context: CheckContext): Promise<string>;
}
