import { refusalOf } from '../errors.ts';
import { NotTried } from '../finding.ts';
import type { ProbeSession } from '../session.ts';

const COUNTER = `SELECT s.value FROM v$mystat s JOIN v$statname n ON n.statistic# = s.statistic#
  WHERE n.name = 'SQL*Net roundtrips to/from client'`;

/** What must be readable for it. */
export const ROUND_TRIP_RIGHTS = 'SELECT on SYS.V_$MYSTAT and SYS.V_$STATNAME';

/** The round trips of some work in a session, by the server's own count; NotTried where that may not be read. */
export async function roundTripsOf(session: ProbeSession, work: () => Promise<unknown>): Promise<number> {
  const first = await readCounter(session);
  const own = (await readCounter(session)) - first;
  const before = await readCounter(session);
  await work();
  return (await readCounter(session)) - before - own;
}

async function readCounter(session: ProbeSession): Promise<number> {
  try {
    return Number(await session.value(COUNTER));
  } catch (error) {
    throw new NotTried(`V$MYSTAT cannot be read (${refusalOf(error, session.signal)}); it needs ${ROUND_TRIP_RIGHTS}`);
  }
}

/** The same as words, for a probe in which it is a side matter. */
export async function roundTripsInWords(session: ProbeSession, work: () => Promise<unknown>): Promise<string> {
  try {
    return String(await roundTripsOf(session, work));
  } catch (error) {
    if (error instanceof NotTried) return 'not counted';
    throw error;
  }
}
