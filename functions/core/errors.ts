import { truncate } from './text.ts';

/** One fault in what the caller sent: which field, and what is wrong with it (with the limit, where there is one). */
export interface Fault {
  field: string;
  fault: string;
}

/** More faults than this are counted, not told. */
const MAX_FAULTS = 20;

interface ErrorOptions {
  faults?: Fault[];
  allow?: string[];
  retryAfterSeconds?: number;
  cause?: unknown;
}

/**
 * The base of every error that may reach a caller. `message` is public: it names the field, the fault and the
 * limit, never anything internal; `cause` is for the log alone.
 */
export abstract class AppError extends Error {
  abstract readonly code: string;
  abstract readonly status: number;
  readonly retryable: boolean = false;
  readonly faults: Fault[];
  /** The methods that a path does take. */
  readonly allow: string[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** What its problem document says besides (RFC 9457, extension members). */
  members: object = {};

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.faults = options.faults ?? [];
    this.allow = options.allow;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The body or the path cannot be read at all: not JSON, not UTF-8, no such parameter form. */
export class MalformedRequest extends AppError {
  readonly code = 'malformed_request';
  readonly status = 400;
}

/** The request was read, and a field of it breaks a rule. */
export class InvalidInput extends AppError {
  readonly code = 'invalid_input';
  readonly status = 422;

  static of(faults: Fault[]): InvalidInput {
    const [first] = faults;
    const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
    const told = faults.slice(0, MAX_FAULTS).map(({ field, fault }) => ({ field: truncate(field, 100), fault }));
    const message = first ? `${truncate(first.field, 100)}: ${first.fault}${more}` : 'The input is not valid';
    return new InvalidInput(message, { faults: told });
  }
}

/** No token, or one that does not verify. */
export class Unauthenticated extends AppError {
  readonly code = 'unauthenticated';
  readonly status = 401;
}

/** A valid token whose bearer may not do this. */
export class Forbidden extends AppError {
  readonly code = 'forbidden';
  readonly status = 403;
}

/** Nothing is here, or nothing that the caller may see. */
export class NotFound extends AppError {
  readonly code = 'not_found';
  readonly status = 404;
}

/** The path exists, the method does not. */
export class MethodNotAllowed extends AppError {
  readonly code = 'method_not_allowed';
  readonly status = 405;
}

/** The write contradicts what is stored. */
export class Conflict extends AppError {
  readonly code = 'conflict';
  readonly status = 409;
}

/** The stored embedding model is not the configured one. */
export class ModelMismatch extends AppError {
  readonly code = 'embedding_model_mismatch';
  readonly status = 409;
}

/** The database could not be made fit for the functions; the message says at which step, and what mends it. */
export class SetupFailed extends AppError {
  readonly code = 'setup_failed';
  readonly status = 500;
}

/** The database cannot embed: its model is not there and cannot be loaded, or does not work. */
export class ModelUnavailable extends AppError {
  readonly code = 'embedding_model_unavailable';
  readonly status = 500;
}

/** The body is larger than the limit. */
export class TooLarge extends AppError {
  readonly code = 'too_large';
  readonly status = 413;
}

/** The body is of a kind that is not taken; the message says what it is, and what is taken. */
export class UnsupportedMediaType extends AppError {
  readonly code = 'unsupported_media_type';
  readonly status = 415;
}

/** The caller sends faster than the gateway allows. */
export class RateLimited extends AppError {
  readonly code = 'rate_limited';
  readonly status = 429;
  override readonly retryable = true;
}

/** A part that the product needs (database, embedder, function) does not answer; the same call may work later. */
export class Unavailable extends AppError {
  readonly code = 'unavailable';
  readonly status = 503;
  override readonly retryable = true;
}

/** The answering model is throttled, away, or refuses us; what was found can still be shown. */
export class AnswerModelUnavailable extends AppError {
  readonly code = 'answer_model_unavailable';
  readonly status = 503;
  override readonly retryable = true;
}

/** Somebody, or everybody together, has used up the day's model calls. */
export class ModelCallLimit extends AppError {
  readonly code = 'model_call_limit';
  readonly status = 429;
  override readonly retryable = true;
}

/** The time limit of the call has passed. */
export class DeadlineExceeded extends AppError {
  readonly code = 'deadline_exceeded';
  readonly status = 504;
  override readonly retryable = true;
}

/**
 * What a deploy has made may not be in force yet: a policy, an access list, a database that starts. For the log alone;
 * whoever has time tries again.
 */
export class NotInForce extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NotInForce';
  }
}

/** The {@link NotInForce} that is an error, or is a cause of it; null where there is none. */
export function findNotInForce(error: unknown): NotInForce | null {
  if (error instanceof NotInForce) return error;
  return error instanceof Error ? findNotInForce(error.cause) : null;
}

/** Anything unforeseen. The caller learns only that it happened and under which call id the log holds it. */
class InternalError extends AppError {
  readonly code = 'internal_error';
  readonly status = 500;
}

/** The error as a caller may see it: an {@link AppError} as it is, everything else as an internal error. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new InternalError('Something went wrong here. The log has the details under this call id.', { cause: error });
}

const TITLES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** A problem document (RFC 9457) with our `code`, the call id and the faults by field. */
export interface Problem {
  type: 'about:blank';
  title: string;
  status: number;
  detail: string;
  code: string;
  callId: string;
  errors?: Fault[];
}

export function toProblem(error: AppError, callId: string): Problem {
  return {
    type: 'about:blank',
    title: TITLES[error.status] ?? 'Error',
    status: error.status,
    detail: error.message,
    code: error.code,
    callId,
    ...(error.faults.length > 0 ? { errors: error.faults } : {}),
    ...error.members,
  };
}

/** The headers that belong to a problem. */
export function problemHeaders(error: AppError): Record<string, string> {
  return {
    'Content-Type': 'application/problem+json',
    ...(error.allow === undefined ? {} : { Allow: error.allow.join(', ') }),
    ...(error.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...(error.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(error.retryAfterSeconds) }),
  };
}
