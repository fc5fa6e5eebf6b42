import type { ProbeContext } from '../context.ts';
import type { ProbeSession } from '../session.ts';

const LONGEST_TEXT = "SELECT LENGTHB(RPAD('x', 32767, 'x')) AS bytes FROM dual";

/** The bytes of the longest VARCHAR2, as the migrations ask for them; `<text_bytes>` from now on. */
export async function longestText({ names }: ProbeContext, session: ProbeSession): Promise<number> {
  const bytes = Number(await session.value(LONGEST_TEXT));
  names.set('text_bytes', String(bytes));
  return bytes;
}
