import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Clock,
  callWithRetry,
  MAX_RETRY_AFTER_SECONDS,
  ModelCallFailed,
  parseRetryAfter,
  pauseBeforeRetry,
  readRefusal,
  retryAfterOf,
} from '../../functions/core/model-call.ts';
import { nearNames } from '../../functions/core/near-names.ts';

const NOW = Date.parse('2026-11-30T08:00:00Z');

test.each([
  ['2', 2],
  [' 600 ', 600],
  ['0.2', 1],
  ['0', 0],
  ['Mon, 30 Nov 2026 08:00:05 GMT', 5],
  ['Mon, 30 Nov 2026 07:59:00 GMT', 0],
  ['soon', null],
  ['-5', null],
  ['', null],
  [null, null],
])('Retry-After %j is %j seconds', (header, seconds) => {
  expect(parseRetryAfter(header, NOW)).toBe(seconds);
});

/** A clock of its own, on which a try takes `tryMs`. */
function clockOf(random = 0): Clock & { ms: number } {
  const clock = {
    ms: NOW,
    now: () => clock.ms,
    random: () => random,
    sleep: async (ms: number) => {
      clock.ms += ms;
    },
  };
  return clock;
}

const throttled = (seconds: number | null) => new ModelCallFailed('throttled', 'HTTP 429', 429, seconds);

describe('a call with a second try', () => {
  test('never has a third, and never ends after its time, whatever is asked of it', async () => {
    const fault = fc.constantFrom<ModelCallFailed['fault'][]>('throttled', 'broken', 'away', 'late', 'refused');
    const asked = fc.option(fc.integer({ min: 0, max: 700 }));
    await fc.assert(
      fc.asyncProperty(
        fault,
        asked,
        fc.integer({ min: 1, max: 30_000 }),
        fc.option(fc.integer({ min: 0, max: 40_000 })),
        fc.nat(20_000),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        async (kind, seconds, timeoutMs, deadlineMs, tryMs, random) => {
          const clock = clockOf(random);
          const deadline = deadlineMs === null ? null : new Date(NOW + deadlineMs);
          const times: number[] = [];
          const call = callWithRetry(
            async (msLeft) => {
              times.push(msLeft);
              clock.ms += Math.min(tryMs, msLeft);
              throw new ModelCallFailed(kind, 'x', 500, seconds);
            },
            { deadline, timeoutMs, clock },
          );

          await expect(call).rejects.toThrow(ModelCallFailed);
          expect(times.length).toBeLessThanOrEqual(2);
          expect(times.every((msLeft) => msLeft > 0)).toBe(true);
          expect(clock.ms).toBeLessThanOrEqual(NOW + timeoutMs);
          if (deadlineMs !== null && times.length > 0) expect(clock.ms).toBeLessThan(NOW + deadlineMs);
        },
      ),
    );
  });

  test('waits for as long as it is asked to, where the time is enough', async () => {
    const clock = clockOf();
    const attempt = async () => {
      if (clock.ms === NOW) throw throttled(2);
      return clock.ms - NOW;
    };

    expect(await callWithRetry(attempt, { deadline: null, timeoutMs: 20_000, clock })).toBe(2000);
  });

  test.each([
    ['throttled', 3, 3999],
    ['throttled', 600, 20_000],
    ['unreadable', null, 20_000],
    ['refused', null, 20_000],
    ['withheld', null, 20_000],
    ['late', null, 20_000],
  ] as const)('is not made of what is %s (%j s) with %d ms left', (fault, seconds, msLeft) => {
    expect(pauseBeforeRetry(new ModelCallFailed(fault, 'x', 0, seconds), msLeft, 0)).toBeNull();
  });

  test('does not come when many others come', () => {
    const pauses = [0, 0.5, 0.99].map((random) => pauseBeforeRetry(throttled(2), 20_000, random));

    expect(new Set(pauses).size).toBe(3);
    expect(Math.min(...pauses.map(Number))).toBe(2000);
  });
});

test.each([
  [throttled(2), 2],
  [throttled(0), 1],
  [throttled(600), MAX_RETRY_AFTER_SECONDS],
  [throttled(null), 10],
])('a caller is told a sane time to wait (%#)', (failure, seconds) => {
  expect(retryAfterOf(failure)).toBe(seconds);
});

test('a message never quotes 16 characters or more of what was sent', () => {
  const text = fc.string({ minLength: 16, maxLength: 80 });
  fc.assert(
    fc.property(text, fc.string({ maxLength: 100 }), fc.string({ maxLength: 100 }), (sent, before, after) => {
      const refusal = { status: 400, retryAfter: null, code: 'x', message: `${before}${sent}${after}` };
      const { message } = readRefusal(refusal, [`…${sent}…`]);
      expect(message).not.toContain(sent);
    }),
  );
});

describe('near names', () => {
  const names = ['cohere.command-a-03-2025', 'cohere.command-r-plus-08-2024', 'xai.grok-4.6', 'cohere.embed-v4.0'];

  test.each([
    ['cohere.comand-a-03-2025', 'cohere.command-a-03-2025'],
    ['Cohere.Command-R-Plus', 'cohere.command-r-plus-08-2024'],
    ['xai.grok-4', 'xai.grok-4.6'],
    ['cohere.embed-english-v4.0', 'cohere.embed-v4.0'],
  ])('of %s: %s first', (wanted, first) => {
    expect(nearNames(wanted, names)[0]).toBe(first);
  });

  test('of something else there is none', () => {
    expect(nearNames('gpt-4o', names)).toEqual([]);
  });
});
