import type { Part } from '../kinds/kind.ts';
import { figuresOf } from './awr-columns.ts';
import { isStackLine, withStacksWhole } from './error-stacks.ts';
import { append, cutBefore, firstText, firstTextAt, isBlank, linesOf } from './lines.ts';
import { type DiagnosticSource, partOf } from './part.ts';
import { type Figures, statementPart } from './statement.ts';
import { isRule, tableBlocks } from './tables.ts';

const REPORT_START = /^\f?(?:WORKLOAD REPOSITORY|STATSPACK report)/;
/** `Time Model Statistics    DB/Inst: ORCL/orcl  Snaps: 37-38`: the name, cut where it is long. */
const SECTION = /^\f?([^\s].{0,79}?) *DB\/Inst: *\S/;
/** The line under the title of a part of the summary. */
const TITLE_RULE = /^~{4,}/;
const SQL_SECTION = /^SQL ordered by/i;
/** An entry of "SQL ordered by …": amounts, then the statement's SQL id, at the end of the line. */
const SQL_ENTRY = /^[ \d.,#N/A]*\d[ \d.,#N/A]* ([0-9a-z]{13})\s*$/;
const MAX_ENTRY = 300;

/** An AWR report in text as parts: the summary's titled parts, each section, each statement of "SQL ordered by …" on its own. */
export function awrTextParts(text: string, source: DiagnosticSource): Part[] {
  const lines = linesOf(text);
  let inSummary = true;
  const pieces = cutBefore(lines, (line, at) => {
    const isReport = REPORT_START.test(line);
    const isSection = isSectionLine(line);
    if (isReport || isSection) inSummary = isReport;
    return isReport || isSection || (inSummary && isTitle(line, lines[at + 1]));
  });

  const parts: Part[] = [];
  let given = new Set<string>();
  for (const piece of withContinuations(pieces)) {
    const first = firstText(piece);
    if (REPORT_START.test(first)) given = new Set();
    const heading = headingOf(piece);
    const isSql = isSectionLine(first) && SQL_SECTION.test(heading);
    if (isSql) append(parts, sqlParts(piece, heading, source, given));
    else parts.push(partOf(source, heading, tableBlocks(piece, isSectionLine(first)), { kind: 'summary' }));
  }
  return parts;
}

/** Whether a line is the title of a part of the summary; an error over the rule is none. */
const isTitle = (line: string, next: string | undefined) =>
  TITLE_RULE.test(next ?? '') && !isBlank(line) && !isStackLine(line);

const isSectionLine = (line: string) => SECTION.test(line);

/** A section goes on where its line is repeated at the head of a page. */
function withContinuations(pieces: string[][]): string[][] {
  const whole: string[][] = [];
  for (const piece of pieces) {
    const last = whole.at(-1);
    if (last !== undefined && isSectionLine(firstText(piece)) && firstText(last) === firstText(piece))
      append(last, piece);
    else whole.push([...piece]);
  }
  return whole;
}

/** The section's name, or the title of a part of the summary, as long as the rule under it: names of columns may follow. */
function headingOf(piece: string[]): string {
  const first = firstText(piece);
  const section = SECTION.exec(first)?.[1];
  if (section !== undefined) return section.trim();
  const rule = TITLE_RULE.exec(piece[firstTextAt(piece) + 1] ?? '')?.[0];
  return (rule === undefined ? '' : first.slice(0, rule.length).trim()) || 'Report summary';
}

/**
 * The notes of a section with its header, then each statement. What a statement's entry says goes into its anchor; a figure
 * that an earlier section gave of the same statement (`given`) does not order it a second time.
 */
function sqlParts(piece: string[], section: string, source: DiagnosticSource, given: Set<string>): Part[] {
  const isEntry = (line: string) => line.length <= MAX_ENTRY && SQL_ENTRY.test(line);
  let columns: Column[] = [];
  let header: string | undefined;
  return cutBefore(piece, (line) => isEntry(line) || isSectionLine(line)).map((lines) => {
    const sqlId = isEntry(lines[0] ?? '') ? SQL_ENTRY.exec(lines[0] ?? '')?.[1] : undefined;
    const part =
      sqlId === undefined
        ? partOf(source, section, withStacksWhole(lines, 'rows'), { kind: 'summary' })
        : entryPart(lines, sqlId, columns, header, section, source, given);
    // A header stands before the first entry, and again at the head of each page.
    const rule = lines.findLastIndex(isRule);
    if (rule !== -1) {
      const above = headerAbove(lines, rule);
      columns = columnsOf(above, lines[rule] ?? '');
      header = [...above, lines[rule]].join('');
    }
    return part;
  });
}

function entryPart(
  lines: string[],
  sqlId: string,
  columns: Column[],
  header: string | undefined,
  section: string,
  source: DiagnosticSource,
  given: Set<string>,
): Part {
  const row = lines[0] ?? '';
  const figures = figuresOf(
    columns.map(({ name }) => name),
    cellsOf(row, columns),
  );
  const fresh = Object.entries(figures).filter(([metric]) => !given.has(`${sqlId} ${metric}`));
  for (const [metric] of fresh) given.add(`${sqlId} ${metric}`);
  const sql = lines.slice(1).filter((line) => !/^(?:Module|PDB):|^ {10}-{61}/.test(line));
  const statement = { sqlId, sql: sql.join(''), figures, executions: figures.count ?? null, about: {} };
  const facts: Figures = Object.fromEntries(fresh);
  return statementPart(source, statement, withStacksWhole(lines, 'rows', header), { facts, section });
}

interface Column {
  name: string;
  start: number;
  end: number;
}

function headerAbove(lines: string[], rule: number): string[] {
  let start = rule;
  while (start > 0 && rule - start < 4 && !isBlank(lines[start - 1]) && !lines[start - 1]?.startsWith('->')) start--;
  return lines.slice(start, rule);
}

/** The columns over the groups of a rule; the lines of a header are read one under the other. */
function columnsOf(header: string[], rule: string): Column[] {
  return [...rule.matchAll(/-+/g)].map(({ 0: dashes, index: start }) => {
    const end = start + dashes.length;
    const words = header.map((line) => line.slice(start, end).trim()).filter((word) => word !== '');
    return { name: words.join(' '), start, end };
  });
}

/** The cells of a row: one a column where the row has as many, else those that end within a column's width. */
function cellsOf(row: string, columns: Column[]): string[] {
  const words = [...row.matchAll(/\S+/g)].map(({ 0: word, index }) => ({ word, end: index + word.length }));
  if (words.length === columns.length) return words.map(({ word }) => word);
  return columns.map(({ start, end }) => words.find((word) => word.end > start && word.end <= end)?.word ?? '');
}
