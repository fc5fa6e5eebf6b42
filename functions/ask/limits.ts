import { ModelCallLimit } from '../core/errors.ts';
import type { Caller } from '../core/scope.ts';
import type { Database } from '../ports/database.ts';
import { takeModelCall } from '../store/usage.ts';

/** Calls of the language model that a day (UTC) has; 0: as many as are asked for. */
export interface ModelCallLimits {
  perDay: number;
  perPersonPerDay: number;
}

/** Counts one call of the language model, or throws ModelCallLimit, with the seconds until the count starts anew. */
export async function takeModelCallOrThrow(
  database: Database,
  caller: Caller,
  limits: ModelCallLimits,
  now = new Date(),
): Promise<void> {
  const { employeeId } = caller;
  const taken = await takeModelCall(database, { employeeId, day: now.toISOString().slice(0, 10), ...limits });
  if (taken === 'taken') return;
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  const anew = `the count starts anew at ${new Date(midnight).toISOString().replace('.000', '')}`;
  const { perDay, perPersonPerDay } = limits;
  throw new ModelCallLimit(
    taken === 'person'
      ? `Model calls are limited to ${perPersonPerDay} a day for each person, and you have used yours; ${anew}`
      : `Model calls are limited to ${perDay} a day for everybody together, and they are used up; ${anew}`,
    { retryAfterSeconds: Math.ceil((midnight - now.getTime()) / 1000) },
  );
}
