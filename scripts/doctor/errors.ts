import { isConnectionLost, oracleCode, oracleNumber } from '../../functions/adapters/oracle/errors.ts';
import { DeadlineExceeded } from '../../functions/core/errors.ts';

/** ORA-01950 for what the server says, NJS-123 for the driver's own; '' where there is none. */
export function codeOf(error: unknown): string {
  const number = oracleNumber(error);
  return number === undefined || number === 0 ? oracleCode(error) : `ORA-${String(number).padStart(5, '0')}`;
}

/** The first line of a message: those after it are a stack, or an address with help. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const lines = message.split('\n');
  const code = codeOf(error);
  // A session that the server ended has the driver's line first, the server's after it.
  return (lines.find((line) => code !== '' && line.startsWith(code)) ?? lines[0] ?? '').trim().slice(0, 300);
}

/** No right to the object or the statement, no quota on the tablespace, a role or an edition that lacks it. */
const MISSING_RIGHTS = new Set([1031, 1536, 1950, 41900]);
const NOT_COMPILED = 6550;
/** The package is not visible, or a private one. */
const NOT_VISIBLE = /PLS-00(201|904)/;

/** Whether the login may not do what was asked; a right that is missing shows as an unknown name in PL/SQL. */
export function isMissingRight(error: unknown): boolean {
  const number = oracleNumber(error) ?? 0;
  return MISSING_RIGHTS.has(number) || (number === NOT_COMPILED && NOT_VISIBLE.test((error as Error).message));
}

export const isTimeout = (error: unknown): boolean =>
  error instanceof DeadlineExceeded || oracleCode(error) === 'NJS-123' || oracleNumber(error) === 1013;

/** What the database refused, for a probe that goes on; throws what is no answer: a lost connection, no time left. */
export function refusalOf(error: unknown, signal: AbortSignal): string {
  signal.throwIfAborted();
  if (isTimeout(error) || isConnectionLost(error)) throw error;
  return codeOf(error) || firstLine(error);
}
