import { setTimeout as sleep } from 'node:timers/promises';
import type { ProbeContext } from '../context.ts';
import { codeOf, firstLine, refusalOf } from '../errors.ts';
import type { Probe } from '../probe.ts';
import type { ProbeSession } from '../session.ts';
import { longestText } from './text-bytes.ts';

const SESSIONS = "SELECT value FROM v$parameter WHERE name = 'sessions'";
const ALIVE = 'SELECT 1 AS alive FROM dual';

const EXTENDED = 32_767;

export const limits: Probe = {
  id: 'P11',
  question: 'How long may a text be, how many sessions can be open, and how long may one be idle?',
  needs: 'nothing more; SELECT on SYS.V_$PARAMETER for the configured number',
  means: {
    holds: 'passages of 8,000 characters fit a column, and the sessions that were asked for are there',
    differs:
      'with texts of 4,000 bytes keep RAG_EMBEDDING_WINDOW under 1,000; with few sessions lower RAG_DATABASE_POOL_MAX',
    open: 'the product counts on 30 sessions for all its processes, and asks idle ones whether they live',
  },
  seconds: ({ idleMinutes }) => 120 + idleMinutes * 60,
  async run(context) {
    const session = await context.open();
    const bytes = await longestText(context, session);
    const configured = await session.value(SESSIONS).then(
      (value) => String(value),
      (error) => `not readable (${refusalOf(error, session.signal)})`,
    );
    const opened = await openMany(context, context.options.sessions - 1);
    const idle = await stayIdle(context, session);
    return {
      holds: bytes === EXTENDED && opened.refusal === null,
      seen:
        `a text has up to ${bytes} bytes; ${opened.count + 1} sessions open at once` +
        `${opened.refusal === null ? '' : `, the next was refused: ${opened.refusal}`}; the parameter "sessions": ` +
        `${configured}; ${idle}`,
    };
  },
};

/** Opens so many one after the other, until one is refused. */
async function openMany(context: ProbeContext, wanted: number): Promise<{ count: number; refusal: string | null }> {
  for (let count = 0; count < wanted; count++) {
    try {
      const session = await context.open();
      await session.value(ALIVE);
    } catch (error) {
      context.signal.throwIfAborted();
      const cause = (error as Error).cause;
      return { count, refusal: codeOf(cause) || firstLine(error) };
    }
  }
  return { count: wanted, refusal: null };
}

async function stayIdle({ options, signal }: ProbeContext, session: ProbeSession): Promise<string> {
  if (options.idleMinutes === 0) return 'idle sessions: not tried (--idle-minutes 6)';
  await sleep(options.idleMinutes * 60_000, undefined, { signal });
  try {
    await session.value(ALIVE);
    return `a session lives after ${options.idleMinutes} idle minutes`;
  } catch (error) {
    signal.throwIfAborted();
    return `a session is gone after ${options.idleMinutes} idle minutes (${codeOf(error)})`;
  }
}
