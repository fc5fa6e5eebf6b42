import type { ProbeResult, Status } from './finding.ts';
import type { ScratchObject } from './scratch.ts';
import { wrap } from './wrap.ts';

const WIDTH = 100;
const ID = 5;
const STATUS = 11;
const INDENT = ' '.repeat(ID + STATUS);
const STATUSES: Status[] = ['holds', 'differs', 'not tried', 'failed'];

/** The results as lines of at most 100 columns: a probe's status and question, what was seen, what it means. */
export function toTable(results: ProbeResult[]): string[] {
  return [
    `${'probe'.padEnd(ID)} ${'result'.padEnd(STATUS - 1)}question`.trimEnd(),
    '-'.repeat(WIDTH),
    ...results.flatMap(({ id, status, question, seen, means }) => [
      ...wrap(question, `${id.padEnd(ID)}${status.padEnd(STATUS)}`, INDENT),
      ...wrap(seen, `${INDENT}seen: `, `${INDENT}      `),
      ...wrap(means, `${INDENT}here: `, `${INDENT}      `),
    ]),
    '-'.repeat(WIDTH),
    summary(results),
  ];
}

const summary = (results: ProbeResult[]): string =>
  STATUSES.map((status) => `${results.filter((result) => result.status === status).length} ${status}`).join(', ');

/** What could not be dropped, and how to; nothing where everything was. */
export const toLeftovers = (objects: ScratchObject[]): string[] =>
  objects.length === 0
    ? []
    : [
        'These scratch objects are left in the database; drop them with',
        ...objects.flatMap(({ drop }) => (drop.endsWith(';') ? [`  ${drop}`, '  /'] : [`  ${drop};`])),
      ];
