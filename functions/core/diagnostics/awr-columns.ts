import type { Metric } from '../facts.ts';
import { parseAmount } from './amounts.ts';
import type { Figures } from './statement.ts';

/** What the columns of "SQL ordered by …" call the figures of a statement; times in seconds. */
const NAMES: [column: RegExp, metric: Metric][] = [
  [/^elapsed( time)? \(s\)$/, 'elapsed'],
  [/^cpu( time)? \(s\)$/, 'cpu'],
  [/^exec(ution)?s$/, 'count'],
  [/^(physical )?reads$/, 'disk'],
  [/^(buffer )?gets$/, 'query'],
  [/^rows( processed)?$/, 'rows'],
];

/** The figures in a row of such a table, by the names of its columns. */
export function figuresOf(columns: string[], cells: string[]): Figures {
  const figures: Figures = {};
  columns.forEach((column, at) => {
    const name = column.replace(/\s+/g, ' ').trim().toLowerCase();
    const metric = NAMES.find(([pattern]) => pattern.test(name))?.[1];
    const amount = parseAmount(cells[at] ?? '');
    if (metric !== undefined && amount !== null && figures[metric] === undefined) figures[metric] = amount;
  });
  return figures;
}
