import { setImmediate as turn } from 'node:timers/promises';
import type * as z from 'zod';
import { DeadlineExceeded, InvalidInput, MalformedRequest, TooLarge, toAppError } from '../core/errors.ts';
import { decodeUtf8, parseJson, validate } from '../core/input.ts';
import { employeeInput } from '../core/kinds/employee.ts';
import { projectInput } from '../core/kinds/project.ts';
import { sprintInput } from '../core/kinds/sprint.ts';
import { commentInput, taskInput } from '../core/kinds/task.ts';
import type { Database } from '../ports/database.ts';
import type { Log } from '../ports/platform.ts';
import { type BulkLine, type BulkResult, bulkLine } from '../shapes.ts';
import { applyChange, type Change } from './ingest.ts';

const INPUTS: Record<BulkLine['type'], z.ZodType> = {
  employee: employeeInput,
  project: projectInput,
  sprint: sprintInput,
  task: taskInput,
  comment: commentInput,
};

/** Lines that would start with less than this left are refused, so that the answer still gets out. */
const STOP_BEFORE_DEADLINE_MS = 3000;

const LINES_PER_TURN = 100;

/** With a result for each line, the answer stays below what OCI Functions lets out (6 MB). */
const MAX_LINES = 50_000;

interface BulkContext {
  database: Database;
  log: Log;
  deadline: Date | null;
}

/**
 * Writes the lines of an NDJSON body in order, each in a transaction of its own and with a result of its own; blank
 * lines are passed over. What the time does not reach is refused line by line, and can be sent again.
 */
export async function applyLines(context: BulkContext, body: Buffer): Promise<BulkResult> {
  return context.database.hold((database) => applyOnConnection({ ...context, database }, body));
}

async function applyOnConnection({ database, log, deadline }: BulkContext, body: Buffer): Promise<BulkResult> {
  const results: BulkResult['results'] = [];
  for (const { number, bytes } of splitLines(body)) {
    // A line that is refused waits for nothing: without a pause, many of them would hold up every other call.
    if (results.length % LINES_PER_TURN === 0) await turn();
    try {
      if (deadline !== null && deadline.getTime() - Date.now() < STOP_BEFORE_DEADLINE_MS) {
        throw new DeadlineExceeded('The time of this call ran out before this line; send it again');
      }
      const { links } = await applyChange(database, parseLine(bytes));
      results.push({ line: number, status: 202, state: links.state });
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.status >= 500) log.error('line_failed', error.cause ?? error, { line: number });
      results.push({
        line: number,
        status: error.status,
        error: {
          code: error.code,
          detail: error.message,
          ...(error.faults.length > 0 ? { errors: error.faults } : {}),
        },
      });
    }
  }
  const accepted = results.filter((result) => result.status === 202).length;
  return { accepted, failed: results.length - accepted, results };
}

function parseLine(bytes: Buffer): Change {
  const line = validate(bulkLine, parseJson(decodeUtf8(bytes, 'line'), 'line'));
  if (line.op === 'delete') {
    if (line.data !== undefined) throw InvalidInput.of([{ field: 'data', fault: 'is not a field of a delete' }]);
    const { op, data: _, ...rest } = line;
    return { op, ...rest };
  }
  return { ...line, op: 'put', data: validateData(line) } as Change;
}

function validateData({ type, data }: BulkLine): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw InvalidInput.of([{ field: 'data', fault: 'must be an object with the fields of the record' }]);
  }
  return validate(INPUTS[type], data, 'data');
}

const LINE_FEED = 0x0a;

/** The lines of a body with their numbers from 1, cut as bytes so that a line that is not UTF-8 spoils no other. */
function* splitLines(body: Buffer): Generator<{ number: number; bytes: Buffer }> {
  let start = 0;
  for (let number = 1; start < body.length; number++) {
    const end = body.indexOf(LINE_FEED, start);
    const bytes = body.subarray(start, end === -1 ? body.length : end);
    start = end === -1 ? body.length : end + 1;
    if (!isBlank(bytes)) yield { number, bytes };
  }
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);

/** Refuses a body without a line to give a result for, and one with too many. */
export function requireLines(body: Buffer): Buffer {
  if (body.length === 0) throw new MalformedRequest('The body is empty; it must hold one JSON object a line');
  let lines = 1;
  for (let at = body.indexOf(LINE_FEED); at !== -1; at = body.indexOf(LINE_FEED, at + 1)) lines++;
  if (lines > MAX_LINES) throw new TooLarge(`The body has at most ${MAX_LINES} lines, got ${lines}`);
  return body;
}
