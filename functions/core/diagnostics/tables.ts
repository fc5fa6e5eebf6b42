import type { Block } from '../blocks.ts';
import { withStacksWhole } from './error-stacks.ts';
import { append, isBlank } from './lines.ts';

/** A header has at most so many lines above its rule, of at most so many characters. */
const MAX_HEADER_LINES = 4;
const MAX_WIDTH = 1000;

/**
 * Whether a line is the rule under a table's header: groups of dashes or tildes, among which a column's name may stand
 * (`-----   Waited  -----`). One group far from the margin closes a table.
 */
export function isRule(line: string | undefined): boolean {
  if (line === undefined || line.length > MAX_WIDTH || !/^[ \t\f]*(?:--|~~)/.test(line)) return false;
  const marks = line.replace(/[^-~]/g, '').length;
  if (marks < 4 || marks < 0.8 * line.replace(/\s/g, '').length) return false;
  return !/^ {8,}-+\s*$/.test(line);
}

/** Where the header above the rule at `rule` begins, not before `floor`; null where there is none. */
export function headerStart(lines: string[], rule: number, floor: number): number | null {
  let start = rule;
  while (start > floor && !isBlank(lines[start - 1]) && !isRule(lines[start - 1])) {
    start--;
    if (rule - start > MAX_HEADER_LINES || (lines[start]?.length ?? 0) > MAX_WIDTH) return null;
  }
  return start === rule ? null : start;
}

/**
 * Lines as blocks: tables as rows with their header, which is the lines above a rule of dashes; all else as rows without one.
 * A table ends with a blank line, or, in a section that is one table with pauses (`paused`), where the next begins.
 */
export function tableBlocks(lines: string[], paused = false): Block[] {
  const blocks: Block[] = [];
  let done = 0;
  for (let at = 0; at < lines.length; ) {
    const start = isRule(lines[at]) ? headerStart(lines, at, done) : null;
    if (start === null) {
      at++;
      continue;
    }
    const end = paused ? nextHeader(lines, at + 1) : afterBlank(lines, at + 1);
    const header = lines.slice(start, at + 1).join('');
    append(blocks, withStacksWhole(lines.slice(done, start), 'rows'));
    // Nothing repeats the header of a table without rows.
    append(blocks, withStacksWhole(lines.slice(start, end), 'rows', end === at + 1 ? undefined : header));
    done = end;
    at = end;
  }
  return [...blocks, ...withStacksWhole(lines.slice(done), 'rows')];
}

function afterBlank(lines: string[], from: number): number {
  let at = from;
  while (at < lines.length && !isBlank(lines[at])) at++;
  while (at < lines.length && isBlank(lines[at])) at++;
  return at;
}

function nextHeader(lines: string[], from: number): number {
  for (let at = from; at < lines.length; at++) {
    const start = isRule(lines[at]) ? headerStart(lines, at, from) : null;
    // Without a pause before it, the rule stands above a sum.
    if (start !== null && (start === from || isBlank(lines[start - 1]) || isRule(lines[start - 1]))) return start;
  }
  return lines.length;
}
