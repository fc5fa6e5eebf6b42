import { UserError } from '../user-error.ts';
import type { Check, CheckContext } from './checks/check.ts';

const STATUSES = ['ok', 'not ok', 'warning', 'skipped'] as const;

interface Result {
  status: (typeof STATUSES)[number];
  text: string;
}

/** Runs all checks at once and prints them in their order, then a summary. True where none is "not ok". */
export async function runChecks(checks: Check[], context: CheckContext, say: (line: string) => void): Promise<boolean> {
  const results = new Map<Check, Promise<Result>>();
  for (const check of checks) {
    const result = resultOf(check, context, results);
    // What nobody foresaw is thrown below, in its turn.
    result.catch(() => {});
    results.set(check, result);
  }
  const counts = { ok: 0, 'not ok': 0, warning: 0, skipped: 0 };
  for (const [{ name }, result] of results) {
    const { status, text } = await result;
    counts[status]++;
    for (const line of text.split('\n')) say(`${status.padEnd(7)} ${name}: ${line}`);
  }
  const isFit = counts['not ok'] === 0;
  const verdict = isFit ? 'nothing stands in the way' : 'mend what is not ok, and run this again';
  say(`${STATUSES.map((status) => `${counts[status]} ${status}`).join(', ')}: ${verdict}`);
  return isFit;
}

async function resultOf(
  { unused, after = [], run }: Check,
  context: CheckContext,
  results: Map<Check, Promise<Result>>,
): Promise<Result> {
  const reason = unused?.(context) ?? null;
  if (reason !== null) return { status: 'skipped', text: reason };
  for (const needed of after) {
    const before = await results.get(needed);
    if (before?.status === 'not ok') return { status: 'skipped', text: `rests on ${needed.name}, which is not ok` };
    if (before?.status === 'skipped') return before;
  }
  try {
    const told = await run(context);
    return typeof told === 'string' ? { status: 'ok', text: told } : { status: 'warning', text: told.warning };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { status: 'not ok', text: error.message };
  }
}
