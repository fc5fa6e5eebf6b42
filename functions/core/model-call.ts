import { setTimeout as sleep } from 'node:timers/promises';
import { truncate } from './text.ts';

/**
 * Why a model gave nothing. `refused`: the call is wrong, or not allowed. `withheld`: the provider's safety filter.
 * `away`: not reached. `late`: no time is left. `unreadable`: what came is no answer.
 */
type ModelFault = 'throttled' | 'broken' | 'away' | 'late' | 'unreadable' | 'refused' | 'withheld';

/** One call to a model failed. The message is for the log; it repeats nothing of what was sent. */
export class ModelCallFailed extends Error {
  constructor(
    readonly fault: ModelFault,
    message: string,
    /** Of HTTP; 0 where nothing came back. */
    readonly status: number,
    /** What the provider asks to wait for; null where it says nothing. */
    readonly askedToWaitSeconds: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ModelCallFailed';
  }

  /** Nothing came back: not reached, or not in time. */
  static noAnswer(cause: unknown): ModelCallFailed {
    const isLate = cause instanceof Error && (cause.name === 'TimeoutError' || cause.name === 'AbortError');
    return new ModelCallFailed(isLate ? 'late' : 'away', isLate ? 'no answer in time' : 'not reached', 0, null, {
      cause,
    });
  }

  /** Something came back that is no answer. Its cause is left out where it could quote the answer, as a parser does. */
  static unreadable(what: string): ModelCallFailed {
    return new ModelCallFailed('unreadable', what, 0);
  }
}

/** A refusal as a provider words it. */
export interface Refusal {
  status: number;
  /** The header Retry-After. */
  retryAfter: string | null;
  code: string;
  message: string;
}

const TOO_MANY = 429;
/** Short of an answer in time, which a second try would hardly give. */
const BROKEN = [500, 502, 503];
const LATE = [408, 504];
/** OCI's and OpenAI's words for what their filters stop before or after the model; both say it with HTTP 400. */
const WITHHELD = /inappropriate\b.*\bcontent|content[_ ](filter|management policy)/i;

/** What a refusal means; `sent` are the texts that the log must not hold. */
export function readRefusal({ status, retryAfter, code, message }: Refusal, sent: string[]): ModelCallFailed {
  const said = `HTTP ${status} ${wordsOf(code, sent)}: ${wordsOf(message, sent)}`;
  return new ModelCallFailed(faultOf(status, `${code} ${message}`), said, status, parseRetryAfter(retryAfter));
}

function faultOf(status: number, words: string): ModelFault {
  if (status === TOO_MANY) return 'throttled';
  if (BROKEN.includes(status)) return 'broken';
  if (LATE.includes(status)) return 'late';
  if (status > 500) return 'away';
  return status === 400 && WITHHELD.test(words) ? 'withheld' : 'refused';
}

const MAX_WORDS = 300;
/** A run of so many characters that was sent counts as a quotation of it. */
const QUOTED = 16;

/** A provider's words, unless they quote what was sent: some servers answer a fault with the request that has it. */
function wordsOf(words: string, sent: string[]): string {
  const text = truncate(words, MAX_WORDS);
  const runs = Array.from({ length: Math.max(0, text.length - QUOTED + 1) }, (_, at) => text.slice(at, at + QUOTED));
  const isQuoted = (one: string) =>
    one.length < QUOTED ? one.length > QUOTED / 2 && text.includes(one) : runs.some((run) => one.includes(run));
  return sent.some(isQuoted) ? '(it quotes what was sent)' : text;
}

/** Seconds, rounded up, from a Retry-After header: a number, or a date (RFC 9110, 10.2.3). */
export function parseRetryAfter(header: string | null, now = Date.now()): number | null {
  if (header === null || header.trim() === '') return null;
  const isDate = /\bGMT\s*$/.test(header);
  const seconds = isDate
    ? (Date.parse(header) - now) / 1000
    : /^\s*\d+(\.\d+)?\s*$/.test(header)
      ? Number(header)
      : Number.NaN;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}

/** The longest that callers are told to wait: what is away for longer is asked for again all the same. */
export const MAX_RETRY_AFTER_SECONDS = 120;
/** Where the provider says nothing; a refusal lasts until somebody has mended it. */
const RETRY_AFTER_SECONDS: Record<ModelFault, number> = {
  throttled: 10,
  broken: 5,
  away: 5,
  late: 5,
  unreadable: 2,
  refused: 60,
  withheld: 60,
};

/** The seconds after which a caller may try again. */
export const retryAfterOf = ({ fault, askedToWaitSeconds }: ModelCallFailed): number =>
  Math.min(Math.max(1, askedToWaitSeconds ?? RETRY_AFTER_SECONDS[fault]), MAX_RETRY_AFTER_SECONDS);

/** Time and chance, which tests have their own of. */
export interface Clock {
  now(): number;
  sleep(ms: number): Promise<unknown>;
  /** From 0 to below 1. */
  random(): number;
}

export const CLOCK: Clock = { now: Date.now, sleep, random: Math.random };

export interface CallTime {
  /** Of the function's call; null for none. */
  deadline: Date | null;
  /** The longest that all tries may take together. */
  timeoutMs: number;
  clock: Clock;
}

/** What is kept of the deadline to check the answer, write the log and send the sources. */
const KEPT_MS = 1500;
/** A try with less time is not worth its price. */
const MIN_TRY_MS = 1000;
/** Before the second try where the provider names no time; a throttled one needs longer to have a place free. */
const PAUSE_MS = { throttled: 1000, broken: 200, away: 200 };

/** How long to wait before a second try, in ms; null where none is to be made. */
export function pauseBeforeRetry(failure: ModelCallFailed, msLeft: number, random: number): number | null {
  const { fault, askedToWaitSeconds } = failure;
  if (fault !== 'throttled' && fault !== 'broken' && fault !== 'away') return null;
  // Up to half as much again, so that many who failed together do not come back together.
  const pause =
    (askedToWaitSeconds === null ? PAUSE_MS[fault] : askedToWaitSeconds * 1000) + PAUSE_MS[fault] * random * 0.5;
  return pause + MIN_TRY_MS <= msLeft ? Math.round(pause) : null;
}

/**
 * Makes a call, and once more where that may help and time is left: an answer of a provider that is throttled for longer
 * is not worth waiting for, and a third try would take the time in which the sources can be shown. `attempt` gets the
 * milliseconds that it has. Throws ModelCallFailed.
 */
export async function callWithRetry<T>(
  attempt: (msLeft: number) => Promise<T>,
  { deadline, timeoutMs, clock }: CallTime,
): Promise<T> {
  const deadlineMs = deadline === null ? Number.POSITIVE_INFINITY : deadline.getTime() - KEPT_MS;
  const endsAt = Math.min(clock.now() + timeoutMs, deadlineMs);
  const left = () => Math.floor(endsAt - clock.now());
  const tryNow = () => {
    if (left() <= 0) throw new ModelCallFailed('late', 'no time was left for the call', 0);
    return attempt(left());
  };
  try {
    return await tryNow();
  } catch (error) {
    if (!(error instanceof ModelCallFailed)) throw error;
    const pause = pauseBeforeRetry(error, left(), clock.random());
    if (pause === null) throw error;
    await clock.sleep(pause);
    return tryNow();
  }
}
