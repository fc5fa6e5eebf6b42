import { AppError, DeadlineExceeded, NotInForce, Unavailable } from '../../core/errors.ts';
import { DuplicateKey } from '../../ports/database.ts';

/** What an error of oracledb carries. */
interface OracleError extends Error {
  /** 'ORA-00001' or 'NJS-500'. */
  code?: string;
  /** The server's number, also where the driver's code is another. */
  errorNum?: number;
  /** Whether the same call may succeed on a new connection. */
  isRecoverable?: boolean;
}

const RETRY_AFTER_SECONDS = 2;

const UNIQUE_VIOLATION = 1;
const USER_CANCELLED = 1013;
/** Deadlock, a lock that was not waited for or not had in time, a snapshot that two writers share. */
const BUSY = new Set([54, 60, 8177, 30006]);
/** oracledb's own faults of a connection: closed, lost, incomplete, TLS, bad packet, timed out, end of file. */
const CONNECTION_LOST = new Set([
  'NJS-500',
  'NJS-501',
  'NJS-503',
  'NJS-505',
  'NJS-506',
  'NJS-509',
  'NJS-510',
  'NJS-521',
]);
const CALL_TIMEOUT = 'NJS-123';

export const oracleCode = (error: unknown): string => (error as OracleError | null)?.code ?? '';
export const oracleNumber = (error: unknown): number | undefined => (error as OracleError | null)?.errorNum;

/** True where the connection is gone, so that a new one may do what this one did not. */
export function isConnectionLost(error: unknown): boolean {
  // By isRecoverable, since an ORA-00600 too comes under the driver's code of a closed connection.
  if ((error as OracleError | null)?.isRecoverable === true) return true;
  const isOfServer = oracleNumber(error) !== undefined && oracleNumber(error) !== 0;
  return !isOfServer && CONNECTION_LOST.has(oracleCode(error));
}

/** The error as the rest of the house knows it; what it does not know stays as it is. */
export function translate(error: unknown): unknown {
  if (error instanceof AppError || error instanceof DuplicateKey) return error;
  const number = oracleNumber(error);
  if (number === UNIQUE_VIOLATION) return new DuplicateKey('duplicate key', { cause: error });
  if (oracleCode(error) === CALL_TIMEOUT || number === USER_CANCELLED) return deadlineExceeded(error);
  if (number !== undefined && BUSY.has(number)) {
    return new Unavailable('The database was busy with the same records; try again', {
      cause: error,
      retryAfterSeconds: 1,
    });
  }
  return isConnectionLost(error) ? unreachable(error) : error;
}

export const deadlineExceeded = (cause?: unknown) =>
  new DeadlineExceeded('The time limit of this call has passed', { cause });

/** The error of a call that found no connection; its cause names the fault and what mends it, for the log. */
export function unreachable(error: unknown): Unavailable {
  const isEarly = NOT_IN_FORCE.has(oracleCode(error)) || NOT_IN_FORCE.has(serverCode(error));
  const cause = new (isEarly ? NotInForce : Error)(connectHint(error), { cause: error });
  return new Unavailable('The database cannot be reached', { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** By driver code or server number: what a failed connect means, and what to do. */
const HINTS: Record<string, string> = {
  'NJS-040': 'all connections of the pool are busy; see RAG_DATABASE_POOL_MAX',
  'NJS-168': 'no login token could be had: does RAG_DATABASE_TOKEN_SCOPE name the database, and do policies allow it?',
  'NJS-503': 'nothing listens at the address: is the database stopped, or this address not in its access list?',
  'NJS-505': 'TLS could not be set up: does the connect string use port 1521 without a wallet, 1522 with one?',
  'NJS-506': 'TLS was refused: the wallet or its password is wrong',
  'NJS-507': "the server's certificate is not of the name in the connect string",
  'NJS-508': "the server's certificate is not of the host in the connect string",
  'NJS-510': 'the connection timed out: is the address right, and this address in the access list?',
  'NJS-511': 'the listener refused: is the database stopped, or this address not in its access list?',
  'NJS-515': 'RAG_DATABASE is not a connect string',
  'NJS-516': 'RAG_DATABASE is an alias, and no tnsnames.ora was given; use the whole descriptor',
  'NJS-517': 'RAG_DATABASE is an alias that tnsnames.ora does not have',
  'NJS-518': 'the listener does not know the service: is the database stopped, or the service name wrong?',
  'NJS-521': 'the connection was cut: is the database starting or stopping?',
  'NJS-530': 'the host of RAG_DATABASE cannot be found',
  'ORA-00018': 'the database has no session left; see RAG_DATABASE_POOL_MAX',
  'ORA-01017': 'the user name or the password is wrong',
  'ORA-02391': 'the user has no session left; see RAG_DATABASE_POOL_MAX',
  'ORA-12506': 'the listener refused: is this address in the access list?',
  'ORA-12514': 'the listener does not know the service: is the database stopped?',
  'ORA-25708': 'the login token has expired',
  'ORA-28000': 'the account is locked',
  'ORA-28001': 'the password has expired',
};

/** What an access list, a policy or a start that is not through yet looks like; a wrong password would lock the account. */
const NOT_IN_FORCE = new Set(['NJS-168', 'NJS-511', 'NJS-518', 'NJS-521', 'ORA-01033', 'ORA-12506', 'ORA-12514']);

function serverCode(error: unknown): string {
  const number = oracleNumber(error);
  return number === undefined ? '' : `ORA-${String(number).padStart(5, '0')}`;
}

/** One line for the log or a person: the code and what it means, nothing of what was sent. */
export function connectHint(error: unknown): string {
  const code = oracleCode(error);
  const ofServer = serverCode(error);
  const hint = HINTS[ofServer] ?? HINTS[code];
  const name = HINTS[ofServer] === undefined ? code || ofServer : ofServer;
  return hint === undefined ? `${name || 'no code'}: the connection failed` : `${name}: ${hint}`;
}
