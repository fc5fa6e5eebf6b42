import type { Block } from '../blocks.ts';
import type { Metadata, Part } from '../kinds/kind.ts';
import { isStackLine, withStacksWhole } from './error-stacks.ts';
import { append, cutBefore, firstText, firstTextAt, linesOf } from './lines.ts';
import { type DiagnosticSource, partOf } from './part.ts';
import { type Figures, statementPart } from './statement.ts';
import { tableBlocks } from './tables.ts';

/** What ends a block. */
const STARS = /^\*{80}\s*$/;
const REPORT_START = /^TKPROF: Release /;
/** The rule of a table of calls: eight columns, under `call count cpu elapsed disk query current rows` in any language. */
const CALL_RULE = /^-{4,20}(?: {1,4}-{4,20}){7}\s*$/;
const SQL_ID = /^SQL ID *: *([0-9a-z]{13})(?: +Plan Hash *: *(\d+))?\s*$/i;
const PLAN_HASH = /^Plan Hash *: *(\d+)\s*$/i;
/** What a piece of a report that is no statement begins with. */
const OTHER = /^(?:OVERALL TOTALS|Trace file:|count +=)/;
const FAILED = /^The following statement encountered an? error/;
/** What a statement begins with, besides its SQL id. */
const SQL_START =
  /^\s*(?:(?:select|insert|update|delete|merge|with|begin|declare|create|alter|drop|truncate|lock|call|explain|set|grant|revoke|analyze|comment|commit|rollback|savepoint|purge)\b|\(|\/\*|--|<<)/i;
/** What stands behind the text of a statement, besides its table of calls. */
const AFTER_TEXT = /^(?:Error encountered: |Misses in library cache |Parsing user id: |Optimizer )/;
/** Amounts of a row of calls: the decimals of cpu and elapsed tell their ends where wide numbers run together. */
const CALL_AMOUNTS = /^ *(\d+) +(\d*[.,]\d\d) *(\d*[.,]\d\d) *(\d+) +(\d+) +(\d+) +(\d+)\s*$/;
const MAX_ROW = 400;

/** A TKPROF report as parts: a statement each, which may lack anything but its table of calls; header, legend, totals, trailer. */
export function tkprofParts(text: string, source: DiagnosticSource): Part[] {
  const lines = linesOf(text);
  const pieces = cutBefore(lines, (line, at) => REPORT_START.test(line) || STARS.test(lines[at - 1] ?? ''));
  return withWholeStatements(pieces).map((piece) => {
    const rules = rulesIn(piece);
    const [rule] = rules;
    const isTotals = !beginsStatement(firstText(piece)) && piece.some((line) => line.startsWith('OVERALL TOTALS'));
    // Each table of calls has two rules; the totals of a report have two tables.
    const isStatement = rule !== undefined && rules.length <= 2 && !isTotals;
    return isStatement
      ? statementOf(piece, rule, source)
      : partOf(source, headingOf(piece, rule), tableBlocks(piece), { kind: 'summary' });
  });
}

const rulesIn = (lines: string[]): number[] =>
  lines.flatMap((line, at) => (at > 0 && line.length <= MAX_ROW && CALL_RULE.test(line) ? [at] : []));

/** Pieces with those joined that one statement was cut into at lines of stars in its text. */
function withWholeStatements(pieces: string[][]): string[][] {
  const whole: string[][] = [];
  let isInText = false;
  for (const piece of pieces) {
    const last = whole.at(-1);
    const endsText = rulesIn(piece).length > 0 || piece.some((line) => AFTER_TEXT.test(line));
    if (last !== undefined && isInText && !beginsAnew(piece)) {
      append(last, piece);
      isInText = !endsText;
    } else {
      whole.push([...piece]);
      isInText = !endsText && beginsStatement(firstText(piece));
    }
  }
  return whole;
}

const beginsStatement = (first: string) => SQL_ID.test(first) || FAILED.test(first) || SQL_START.test(first);

/** Whether a piece is surely no more of the text of a statement before it. */
function beginsAnew(piece: string[]): boolean {
  const first = firstText(piece);
  return [SQL_ID, FAILED, OTHER, REPORT_START].some((pattern) => pattern.test(first)) || rulesIn(piece).length > 2;
}

function headingOf(piece: string[], rule: number | undefined): string {
  const first = firstText(piece).trim();
  if (rule !== undefined || first.startsWith('OVERALL TOTALS')) return 'Overall totals';
  if (/^count +=/.test(first)) return 'Legend';
  if (/^Trace file:/.test(first)) return 'Trace file';
  if (piece.some((line) => REPORT_START.test(line))) return 'Report header';
  return STARS.test(first) || first === '' ? 'End of a block' : first;
}

function statementOf(piece: string[], rule: number, source: DiagnosticSource): Part {
  const start = firstTextAt(piece);
  const [, sqlId = null, hashBeside] = SQL_ID.exec(piece[start] ?? '') ?? [];
  let sqlStart = sqlId === null ? start : start + 1;
  const hashBelow = PLAN_HASH.exec(piece[sqlStart] ?? '')?.[1];
  if (hashBelow !== undefined) sqlStart++;
  const planHash = hashBeside ?? hashBelow;
  // A stack of errors in the place of a header stays whole.
  const header = isStackLine(piece[rule - 1]) ? rule : rule - 1;

  const rows = piece.slice(rule + 1);
  const end = rows.findIndex((line) => line.length <= MAX_ROW && CALL_RULE.test(line));
  const text = piece.slice(sqlStart, header).filter((line) => !STARS.test(line));
  const blocks: Block[] = [...withStacksWhole(piece.slice(0, header), 'rows'), ...tableBlocks(piece.slice(header))];
  const statement = {
    sqlId,
    sql: text.join('').trim(),
    figures: end === -1 ? {} : amountsOf(rows[end + 1]),
    executions: (end === -1 ? undefined : amountsOf(rows[1]).count) ?? null,
    about: { planHash: planHash ?? null, ...callerOf(rows), misses: missesIn(rows) },
  };
  return statementPart(source, statement, blocks);
}

/** The figures of a row of calls, after its name. */
function amountsOf(row: string | undefined): Figures {
  if (row === undefined || row.length > MAX_ROW) return {};
  const found = CALL_AMOUNTS.exec(row.trimStart().replace(/^\S+/, ''))?.slice(1);
  if (found === undefined) return {};
  const [count = 0, cpu = 0, elapsed = 0, disk = 0, query = 0, current = 0, rows = 0] = found.map((amount) =>
    Number(amount.replace(',', '.')),
  );
  return { count, cpu, elapsed, disk, query, current, rows };
}

/** Who parsed it: `Parsing user id: 84  (HR)   (recursive depth: 1)`; depth 0 where none is said. */
function callerOf(lines: string[]): Metadata {
  const line = lines.find((each) => /^[^:]{0,30}(?:user id|usuario)[^:]{0,20}:/i.test(each) && each.length <= MAX_ROW);
  if (line === undefined) return {};
  const said = line.slice(line.indexOf(':') + 1);
  const id = said.trim().split(/\s+/)[0] ?? '';
  const notes = [...said.matchAll(/\(([^()]*)\)/g)].map(([, note = '']) => note.trim());
  const depth = notes.map((note) => /: *(\d+)$/.exec(note)?.[1]).find((number) => number !== undefined);
  const name = /^\d+$/.test(id) ? notes.find((note) => note !== '' && !note.includes(':')) : id;
  return {
    ...(/^\d+$/.test(id) && { userId: Number(id) }),
    ...(name !== undefined && name !== '' && { userName: name }),
    depth: Number(depth ?? 0),
  };
}

/** Misses in the library cache, during parse and execute together. */
const missesIn = (lines: string[]): number =>
  lines.reduce((sum, line) => sum + Number(/^Misses in library cache during \w+: *(\d+)\s*$/.exec(line)?.[1] ?? 0), 0);
