import type { Block } from '../blocks.ts';
import { CODE_PATTERN, errorCodesIn } from './error-codes.ts';
import { blockOf, isBlank } from './lines.ts';

/** What precedes a line of a pluggable database in a log: `PDB4(6):`; before it has a name, `(6):`. */
export const PDB_PREFIX = '(?:(?:[A-Za-z][\\w$#]{0,127})?\\(\\d{1,5}\\):[ \\t]*)?';
const STACK_LINE = new RegExp(`^[ \\t]*${PDB_PREFIX}${CODE_PATTERN}`, 'iu');
/** What announces a stack: `Errors in file …:`, `ERROR at line 1:`. */
const ANNOUNCEMENT = new RegExp(`^[ \\t]*${PDB_PREFIX}errors?\\b.{0,300}:\\s*$`, 'iu');
const MAX_ANNOUNCEMENT = 400;
/** A line of a stack that tells where: `  at "SYS.DBMS_JOB", line 9`. */
const PLACE_LINE = new RegExp(`^[ \\t]*${PDB_PREFIX}at "`, 'iu');
/** Indented lines below an error that go on with it; more of them in a row are something else: a dump, a trace of Java. */
const MAX_CONTINUATION = 3;
/** A stack is kept with what announces it and what goes on below it up to so many characters, which fit in a passage. */
const MAX_WITH_NEIGHBOURS = 250;
/** A line of at least this length may be broken by the tool that wrote it; its rest stands at the next line's beginning. */
const BROKEN_LINE = 60;

/**
 * Lines as blocks, every stack of errors whole: consecutive lines that begin with an error code, where they say it happened, a few
 * lines indented between them, and the rest of a line that was broken at the page's width. Where there is room, also a few lines
 * indented below, and the line before that announces them or holds a code itself ("Cause: FDPSTP failed due to ORA-01652"). All
 * other lines are of the kind `rest`, with `header` where they are rows of a table.
 */
export function withStacksWhole(lines: string[], rest: 'prose' | 'rows', header?: string): Block[] {
  const blocks: Block[] = [];
  let done = 0;
  for (let at = 0; at < lines.length; ) {
    if (!isStackLine(lines[at])) {
      at++;
      continue;
    }
    const errorsEnd = endOfStack(lines, at);
    const isAnnounced = at > done && introduces(lines[at - 1] ?? '') && fits(lines, at - 1, errorsEnd);
    const start = isAnnounced ? at - 1 : at;
    const below = errorsEnd + continuation(lines, errorsEnd);
    const end = fits(lines, start, below) ? below : errorsEnd;
    blocks.push(...blockOf(lines.slice(done, start), rest, header), ...blockOf(lines.slice(start, end), 'whole'));
    done = end;
    at = end;
  }
  return [...blocks, ...blockOf(lines.slice(done), rest, header)];
}

/** Whether a line is one of a stack of errors. */
export const isStackLine = (line: string | undefined) => line !== undefined && STACK_LINE.test(line);

const announces = (line: string) => line.length <= MAX_ANNOUNCEMENT && ANNOUNCEMENT.test(line);
const introduces = (line: string) => announces(line) || errorCodesIn(line, 1).length > 0;

const fits = (lines: string[], start: number, end: number) =>
  lines.slice(start, end).reduce((sum, line) => sum + line.length, 0) <= MAX_WITH_NEIGHBOURS;

/** The index after the last error of the stack that begins at `start`, or after where that happened. */
function endOfStack(lines: string[], start: number): number {
  let end = start + 1;
  for (;;) {
    const line = lines[end];
    const between = continuation(lines, end);
    const isRestOfBroken = (lines[end - 1]?.length ?? 0) >= BROKEN_LINE && !isBlank(line) && !announces(line ?? '');
    if (isStackLine(line) || (line !== undefined && PLACE_LINE.test(line))) end++;
    else if (between > 0 && isStackLine(lines[end + between])) end += between + 1;
    else if (isRestOfBroken && isStackLine(lines[end + 1])) end += 2;
    else return end;
  }
}

/** How many lines from `start` are indented and no errors themselves; none where they are too many. */
function continuation(lines: string[], start: number): number {
  let count = 0;
  while (count <= MAX_CONTINUATION && isContinuation(lines[start + count])) count++;
  return count > MAX_CONTINUATION ? 0 : count;
}

const isContinuation = (line: string | undefined) => line !== undefined && /^[ \t]+\S/.test(line) && !isStackLine(line);
