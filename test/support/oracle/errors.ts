/** An error as oracledb throws it. */
export class FakeOracleError extends Error {
  readonly code: string;
  readonly errorNum: number;
  readonly isRecoverable: boolean;

  constructor(code: string, text: string, isRecoverable = false) {
    super(`${code}: ${text}\nHelp: https://docs.oracle.com/error-help/db/${code.toLowerCase()}/`);
    this.code = code;
    this.errorNum = code.startsWith('ORA-') ? Number(code.slice(4)) : 0;
    this.isRecoverable = isRecoverable;
  }

  /** A session that the server has ended: the driver's own code, and the server's number. */
  static sessionEnded(errorNum: number): FakeOracleError {
    const error = new FakeOracleError('NJS-500', 'connection to the Oracle Database was broken', true);
    return Object.assign(error, { errorNum });
  }
}

/** By SQLSTATE: what Oracle says of the same fault. */
const CODES: Record<string, [string, string]> = {
  '23505': ['ORA-00001', 'unique constraint violated'],
  '23503': ['ORA-02291', 'integrity constraint violated'],
  '23502': ['ORA-01400', 'cannot insert NULL'],
  '23514': ['ORA-02290', 'check constraint violated'],
  '22001': ['ORA-12899', 'value too large for column'],
  '40P01': ['ORA-00060', 'deadlock detected while waiting for resource'],
  '42P01': ['ORA-00942', 'table or view does not exist'],
  '42703': ['ORA-00904', 'invalid identifier'],
  '42601': ['ORA-00933', 'SQL command not properly ended'],
  '42501': ['ORA-28115', 'policy with check option violation'],
};

/** The error of the database behind the stand-in, in Oracle's words. */
export function toOracle(error: unknown): unknown {
  const { code, message } = error as { code?: string; message?: string };
  const known = CODES[code ?? ''];
  return known === undefined ? error : new FakeOracleError(known[0], `${known[1]} (${message})`);
}
