import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, Driver } from '../../functions/adapters/oracle/driver.ts';
import { Session } from '../../functions/adapters/oracle/session.ts';
import { ProbeContext } from './context.ts';
import { codeOf, firstLine, isMissingRight, isTimeout } from './errors.ts';
import { Interrupted, NotTried, type ProbeResult } from './finding.ts';
import type { ProbeOptions } from './options.ts';
import type { Probe } from './probe.ts';
import type { Redact } from './redact.ts';
import { dropAll, type Ledger } from './scratch.ts';
import type { DoctorSettings } from './settings.ts';

interface RunOptions {
  driver: Driver;
  connect(): Promise<Connection>;
  settings: DoctorSettings;
  options: ProbeOptions;
  ledger: Ledger;
  redact: Redact;
  signal: AbortSignal;
  /** A line that is begun when a probe begins, and one that ends it. */
  begin(probe: Probe): void;
  end(result: ProbeResult): void;
}

const DEFAULT_SECONDS = 120;
/** How long a call that was broken off may take to end before its session is left alone. */
const BREAK_MS = 10_000;
const DROP_MS = 180_000;

/** Runs each probe by itself: whatever one of them does, its objects are dropped and the next one begins. */
export async function runProbes(probes: Probe[], run: RunOptions): Promise<ProbeResult[]> {
  const results: ProbeResult[] = [];
  for (const probe of probes) {
    run.begin(probe);
    const result = await runProbe(probe, run);
    run.end(result);
    results.push(result);
  }
  return results;
}

async function runProbe(probe: Probe, run: RunOptions): Promise<ProbeResult> {
  const start = performance.now();
  const seconds = Math.max(probe.seconds?.(run.options) ?? DEFAULT_SECONDS, run.options.timeoutSeconds);
  const outcome = run.signal.aborted ? notTried(probe, 'interrupted') : await settle(probe, seconds, run);
  return {
    id: probe.id,
    question: probe.question,
    status: outcome.status,
    seen: run.redact(outcome.seen),
    means: run.redact(outcome.means),
    seconds: Math.round((performance.now() - start) / 100) / 10,
  };
}

type Outcome = Pick<ProbeResult, 'status' | 'seen' | 'means'>;

async function settle(probe: Probe, seconds: number, run: RunOptions): Promise<Outcome> {
  const { driver, connect, ledger, signal } = run;
  const context = new ProbeContext({ ...run, deadline: new Date(Date.now() + seconds * 1000) });
  try {
    const finding = await untilInterrupted(probe.run(context), signal);
    const status = finding.holds ? 'holds' : 'differs';
    return { status, seen: finding.seen, means: finding.means ?? probe.means[status] };
  } catch (error) {
    return explain(probe, seconds, error, signal);
  } finally {
    await context.close().catch(() => {});
    await dropAll(ledger, async () => new Session(driver, await connect(), new Date(Date.now() + DROP_MS)));
  }
}

/** Where it is interrupted, the call in flight gets time to end: what it makes could not be dropped before. */
async function untilInterrupted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = () => {};
  const interrupted = new Promise<never>((_, reject) => {
    onAbort = () => {
      sleep(BREAK_MS, undefined, { ref: false }).then(() => reject(new Interrupted()));
    };
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function explain(probe: Probe, seconds: number, error: unknown, signal: AbortSignal): Outcome {
  if (signal.aborted) return notTried(probe, 'interrupted');
  if (error instanceof NotTried) return notTried(probe, error.message);
  if (isMissingRight(error)) return notTried(probe, `a right is missing: ${firstLine(error)}; it needs ${probe.needs}`);
  const seen = isTimeout(error) ? `took longer than ${seconds} s (${codeOf(error) || 'no code'})` : firstLine(error);
  return { status: 'failed', seen, means: probe.means.open };
}

const notTried = (probe: Probe, why: string): Outcome => ({
  status: 'not tried',
  seen: why,
  means: probe.means.open,
});
