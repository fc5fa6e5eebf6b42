import type { Part } from '../kinds/kind.ts';
import { normalizeErrorCode } from './error-codes.ts';
import { withStacksWhole } from './error-stacks.ts';
import { append, linesOf } from './lines.ts';
import { type DiagnosticSource, partOf } from './part.ts';
import { statementPart } from './statement.ts';

const PARSING = /^PARSING IN CURSOR #(\d+) (.*)/;
const PARSE_ERROR = /^PARSE ERROR #(\d+):(.*)/;
const END_OF_TEXT = /^END OF STMT\s*$/;
/** An event of a cursor: `EXEC #3:c=0,…`, `STAT #3 id=1 …`, `SORT UNMAP #3:…`. */
const EVENT = /^([A-Z][A-Z ]{1,20}) #(\d+)[: ]/;
const RULE = /^={21}\s*$/;
/** A moment or a property of the session; what follows belongs to no statement unless it says so. */
const NOTE = /^\*\*\* /;
const CALL = /^(?:PARSE|EXEC|FETCH) #\d+:/;
const AMOUNT = /(?<=[:,])(c|e|p|cr|cu|mis|r|plh)=(\d+)/g;
/** The longest part of a line that is looked at for figures. */
const MAX_CALL = 500;
/** More cursor numbers of a statement than this are counted and not named. */
const MAX_CURSORS = 20;

/** A statement of a trace: everything that its cursors did for it. */
interface Traced {
  sqlId: string | null;
  sql: string;
  text: string[];
  events: string[];
  codes: string[];
  cursors: Set<string>;
  userId: number;
  depth: number;
  executions: number;
  planHash: string | null;
  /** As the calls state them; c and e in microseconds. */
  sums: Record<'c' | 'e' | 'p' | 'cr' | 'cu' | 'mis' | 'r', number>;
}

/** What a cursor number stands for at one point of the trace. */
interface Cursor {
  statement: Traced | null;
  isClosed: boolean;
  /** Waits while it stood for none: they are of the statement that is parsed with this number next, if any is. */
  waits: string[];
}

/**
 * A trace of event 10046 as parts: one for each statement (by its SQL id; without ids, by its hash), with the events of all
 * cursors while they stood for it; one for all that belongs to none. Cursor numbers are reused, and events of several cursors
 * alternate. Figures are sums over PARSE, EXEC and FETCH, each with the recursive calls that it made; `count` is that of EXEC.
 */
export function traceParts(text: string, source: DiagnosticSource): Part[] {
  const outside: string[] = [];
  const statements = new Map<string, Traced>();
  const cursors = new Map<string, Cursor>();
  /** The statement whose text is being read, until its end is marked. */
  let reading: { statement: Traced; isMarked: boolean } | null = null;
  /** Where lines go that name no cursor. */
  let owner = outside;
  /** Lines that go wherever the next line goes. */
  let held: string[] = [];

  const cursorOf = (number: string): Cursor => {
    const cursor = cursors.get(number) ?? { statement: null, isClosed: false, waits: [] };
    cursors.set(number, cursor);
    return cursor;
  };
  const settleWaits = (cursor: Cursor, to: string[]) => {
    append(to, cursor.waits);
    if (owner === cursor.waits) owner = to;
    cursor.waits = [];
  };
  const begin = (number: string, told: string, isMarked: boolean) => {
    const statement = statementAt(statements, told, isMarked);
    statement.cursors.add(number);
    const cursor = cursorOf(number);
    cursor.statement = statement;
    cursor.isClosed = false;
    settleWaits(cursor, statement.events);
    reading = { statement, isMarked };
    owner = statement.text.length === 0 ? statement.text : statement.events;
  };
  const give = (line: string) => {
    owner.push(...held, line);
    held = [];
  };

  for (const line of linesOf(text)) {
    const [, parsed, told = ''] = PARSING.exec(line) ?? [];
    const [, failed, toldOfFailed = ''] = PARSE_ERROR.exec(line) ?? [];
    if (parsed !== undefined) {
      begin(parsed, told, true);
      give(line);
      continue;
    }
    if (reading !== null) {
      const { statement, isMarked }: { statement: Traced; isMarked: boolean } = reading;
      const isOver = isMarked ? END_OF_TEXT.test(line) : RULE.test(line) || NOTE.test(line) || EVENT.test(line);
      if (isOver) reading = null;
      if (!isOver && owner === statement.text) statement.sql += line;
      if (!isOver || isMarked) {
        give(line);
        continue;
      }
    }
    if (RULE.test(line)) held.push(line);
    else if (failed !== undefined) {
      begin(failed, toldOfFailed, false);
      give(line);
      addError(cursorOf(failed).statement, toldOfFailed);
    } else {
      if (NOTE.test(line)) owner = outside;
      const [, event, number = '0'] = EVENT.exec(line) ?? [];
      // Cursor 0 is none.
      if (event !== undefined && number !== '0') owner = ownerOf(event, line, cursorOf(number), outside, settleWaits);
      else if (event !== undefined || /^XCTEND /.test(line)) owner = outside;
      give(line);
    }
  }
  owner.push(...held);
  for (const cursor of cursors.values()) settleWaits(cursor, cursor.statement?.events ?? outside);

  const parts = [...statements.values()].map((statement) => partOfTraced(statement, source));
  if (outside.length === 0) return parts;
  const heading = 'Header and events outside statements';
  return [partOf(source, heading, withStacksWhole(outside, 'rows'), { kind: 'summary' }), ...parts];
}

/** Where an event goes; its figures are added to its statement's. */
function ownerOf(
  event: string,
  line: string,
  cursor: Cursor,
  outside: string[],
  settleWaits: (cursor: Cursor, to: string[]) => void,
): string[] {
  const { statement } = cursor;
  if (event === 'WAIT' && (statement === null || cursor.isClosed)) return cursor.waits;
  if (event !== 'WAIT') settleWaits(cursor, statement?.events ?? outside);
  if (statement === null) return outside;
  if (event === 'CLOSE') cursor.isClosed = true;
  else if (event !== 'STAT') cursor.isClosed = false;
  if (event === 'ERROR') addError(statement, line);
  if (CALL.test(line)) addCall(statement, event, line);
  return statement.events;
}

function statementAt(statements: Map<string, Traced>, told: string, isMarked: boolean): Traced {
  const value = (name: string) => new RegExp(`(?:^| )${name}='?(\\w+)`).exec(told.slice(0, MAX_CALL))?.[1];
  const sqlId = value('sqlid') ?? null;
  const hash = value('hv');
  // One that could not be parsed has neither.
  const key = isMarked
    ? (sqlId ?? (hash === undefined ? `nameless ${statements.size}` : `hash ${hash}`))
    : `failed ${statements.size}`;
  const statement = statements.get(key) ?? {
    sqlId,
    sql: '',
    text: [],
    events: [],
    codes: [],
    cursors: new Set(),
    userId: Number(value('uid') ?? 0),
    depth: Number(value('dep') ?? 0),
    executions: 0,
    planHash: null,
    sums: { c: 0, e: 0, p: 0, cr: 0, cu: 0, mis: 0, r: 0 },
  };
  statements.set(key, statement);
  return statement;
}

function addCall(statement: Traced, event: string, line: string): void {
  if (event === 'EXEC') statement.executions++;
  for (const [, name, digits = ''] of line.slice(0, MAX_CALL).matchAll(AMOUNT)) {
    if (name === 'plh') statement.planHash = digits === '0' ? statement.planHash : digits;
    else statement.sums[name as keyof Traced['sums']] += Number(digits);
  }
}

/** `ERROR #3:err=1652 tim=…`: the number is that of an ORA- message. */
function addError(statement: Traced | null, told: string): void {
  const number = /err=(\d{1,5})(?!\d)/.exec(told.slice(0, MAX_CALL))?.[1];
  const code = number === undefined ? null : normalizeErrorCode(`ORA-${number}`);
  if (statement !== null && code !== null && !statement.codes.includes(code)) statement.codes.push(code);
}

function partOfTraced(traced: Traced, source: DiagnosticSource): Part {
  const { sums, executions } = traced;
  const blocks = [...withStacksWhole(traced.text, 'rows'), ...withStacksWhole(traced.events, 'rows')];
  const statement = {
    sqlId: traced.sqlId,
    sql: traced.sql,
    figures: {
      count: executions,
      cpu: sums.c / 1e6,
      elapsed: sums.e / 1e6,
      disk: sums.p,
      query: sums.cr,
      current: sums.cu,
      rows: sums.r,
    },
    executions,
    about: {
      planHash: traced.planHash,
      userId: traced.userId,
      depth: traced.depth,
      misses: sums.mis,
      cursorCount: traced.cursors.size,
      cursors: [...traced.cursors].slice(0, MAX_CURSORS),
    },
  };
  return statementPart(source, statement, blocks, { codes: traced.codes });
}
