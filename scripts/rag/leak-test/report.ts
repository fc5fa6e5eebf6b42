import { say, seconds } from '../printing.ts';
import type { Control } from './controls.ts';
import type { Sent } from './exchange.ts';
import type { Asked, FoundLeak } from './run.ts';
import type { TimeComparison } from './timing.ts';
import type { Difference } from './worlds.ts';

/** What the test has found out. */
export interface Findings {
  controls: Control[];
  asked: Asked;
  worlds: { asked: number; outcomes: Difference[]; orders: number };
  byTurns: { differences: Difference[]; times: TimeComparison[] };
  /** By how many chunks a developer is told of more, after so many of others' were written. */
  counts: { employeeId: number; rise: number; written: number }[];
  repeats: number;
}

/** More of one kind than these are counted, not told. */
const MAX_TOLD = 10;
/** With more failed answers among all than this, too little was asked. */
const FAILED_SHARE = 0.01;

/** Prints the findings; true where nothing has leaked and the test means something. */
export function report(findings: Findings): boolean {
  const { controls, asked, worlds, byTurns, counts, repeats } = findings;
  sayShapes(asked);
  const total = [...asked.shapes.values()].reduce((sum, { count }) => sum + count, 0);
  say(
    `\n${total} questions in ${seconds(asked.ms)}, ${Math.round((total / asked.ms) * 1000)} a second; ${repeats} sent again`,
  );

  const faults: string[] = [];
  const missed = controls.filter(({ isMet }) => !isMet);
  say(`controls     ${controls.length - missed.length} of ${controls.length}: who may see a record has found it`);
  for (const { what, askerId, taskId } of missed.slice(0, MAX_TOLD)) {
    say(`  missed: employee ${askerId} has not found task ${taskId} ${what}`);
  }
  if (missed.length > 0 || controls.length === 0)
    faults.push('records were not found by who may see them, so that nothing is proved');
  if (asked.failures > total * FAILED_SHARE)
    faults.push(`${asked.failures} questions failed, so that too little was asked`);

  sayLeaks(asked.leaks);
  if (asked.leaks.length > 0) faults.push(`${asked.leaks.length} leaks`);

  const differences = [...worlds.outcomes, ...byTurns.differences];
  say(
    `existence    ${worlds.asked} questions asked without the records and with them: ${worlds.outcomes.length} outcomes differ`,
  );
  say(`             read by id, what is hidden and what is not there: ${byTurns.differences.length} answers differ`);
  for (const { askerId, sent, without, with: now } of differences.slice(0, MAX_TOLD)) {
    say(`  employee ${askerId}: ${tell(sent)}\n    without: ${without}\n    with:    ${now}`);
  }
  if (differences.length > 0) faults.push(`${differences.length} answers that tell what exists`);
  if (worlds.orders > 0) {
    say(
      `  warning: of ${worlds.orders}, the sources or their order differ: by what others have, or have written meanwhile`,
    );
  }
  sayCounts(counts);
  if (counts.some(isCountOfAll)) faults.push('counts that take in what may not be seen');
  sayTimes(byTurns.times);
  if (byTurns.times.some(({ verdict }) => verdict === 'grossly apart')) faults.push('times that tell what exists');

  say(faults.length === 0 ? '\nNo leak' : `\nFAILED: ${faults.join('; ')}`);
  return faults.length === 0;
}

function sayShapes({ shapes }: Asked): void {
  say(`\n${'asked'.padEnd(36)}${'times'.padStart(7)}  answered with`);
  for (const [shape, { count, statuses }] of [...shapes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const told = [...statuses].sort().map(([status, n]) => `${status}: ${n}`);
    say(`${shape.padEnd(36)}${String(count).padStart(7)}  ${told.join(', ')}`);
  }
}

function sayLeaks(leaks: FoundLeak[]): void {
  say(`leaks        ${leaks.length}`);
  for (const { what, form, where, ownerId, askerId, status, sent, shape } of leaks.slice(0, MAX_TOLD)) {
    say(`  ${what} of employee ${ownerId}'s record, ${form}, in ${where}`);
    say(`    shown to employee ${askerId} (${shape}, HTTP ${status}): ${tell(sent)}`);
  }
  if (leaks.length > MAX_TOLD) say(`  and ${leaks.length - MAX_TOLD} more`);
}

const isCountOfAll = ({ rise, written }: Findings['counts'][number]) => rise >= written;

function sayCounts(counts: Findings['counts']): void {
  const changed = counts.filter(({ rise }) => rise !== 0);
  say(
    `counts       ${counts.length - changed.length} of ${counts.length} people are told of no more chunks by those of others`,
  );
  for (const one of changed.slice(0, MAX_TOLD)) {
    const { employeeId, rise, written } = one;
    const verdict = isCountOfAll(one) ? 'leak' : 'warning, others may have written meanwhile';
    say(`  ${verdict}: employee ${employeeId} is told of ${rise} more, after ${written} were written for others`);
  }
}

function sayTimes(times: TimeComparison[]): void {
  say('times        hidden, not there (medians), chance of such a difference');
  for (const { what, count, medianHidden, medianAbsent, chance, verdict } of times) {
    const figures = `${medianHidden.toFixed(1)} ms, ${medianAbsent.toFixed(1)} ms, ${chance < 0.0001 ? '< 0.0001' : chance.toFixed(4)}`;
    const told = { alike: 'alike', apart: 'WARNING: apart', 'grossly apart': 'LEAK: grossly apart' }[verdict];
    say(`  ${what.padEnd(32)}${figures}, ${count} each: ${told}`);
  }
}

const tell = ({ method, path, body }: Sent) =>
  `${method} ${path}${body === undefined ? '' : ` ${typeof body === 'string' ? body : JSON.stringify(body)}`}`;
