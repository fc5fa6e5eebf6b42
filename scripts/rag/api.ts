import { UserError } from '../user-error.ts';

/** The statuses after which the same call may work later. */
const RETRYABLE = new Set([429, 502, 503, 504]);

interface ProblemBody {
  detail?: unknown;
  code?: unknown;
  callId?: unknown;
}

/** A call that was refused (`status` from the server) or did not come through (`status` 0); the message is for people. */
export class ApiError extends UserError {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
  }

  get retryable(): boolean {
    return this.status === 0 || RETRYABLE.has(this.status);
  }
}

/** Calls the API with one person's token. */
export class Api {
  readonly #locate: () => Promise<string>;
  readonly #token: string;

  /** `locate` is asked anew for every call: a server that was started again may have another port. */
  constructor(locate: () => Promise<string>, token: string) {
    this.#locate = locate;
    this.#token = token;
  }

  /**
   * The JSON answer of a call that succeeded; everything else is an {@link ApiError}. Bytes go as they are, an object as
   * JSON.
   */
  async call<T>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object | Buffer,
    bytesType = 'application/x-ndjson',
  ): Promise<T> {
    const url = await this.#locate();
    const isBytes = Buffer.isBuffer(body);
    let response: Response;
    let text: string;
    try {
      response = await fetch(url + path, {
        method,
        headers: {
          Authorization: `Bearer ${this.#token}`,
          ...(body === undefined ? {} : { 'Content-Type': isBytes ? bytesType : 'application/json' }),
        },
        ...(body === undefined ? {} : { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
      });
      text = await response.text();
    } catch (error) {
      throw new ApiError(`${url} does not answer (${reasonOf(error)})`, 0, 'unreachable');
    }
    if (!response.ok) throw toApiError(response, text);
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new ApiError(`${url} answers, but not as oci-rag does`, response.status, 'not_json');
    }
  }
}

function reasonOf(error: unknown): string {
  const cause = (error as Error).cause as { code?: string; message?: string } | undefined;
  return cause?.code ?? cause?.message ?? (error as Error).message;
}

function toApiError(response: Response, text: string): ApiError {
  let problem: ProblemBody = {};
  try {
    problem = JSON.parse(text) as ProblemBody;
  } catch {
    // Something in between has answered; its status says what there is to say.
  }
  const detail = typeof problem.detail === 'string' ? problem.detail : `HTTP ${response.status}`;
  const call = response.status >= 500 && typeof problem.callId === 'string' ? ` (call ${problem.callId})` : '';
  const after = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return new ApiError(
    detail + call,
    response.status,
    typeof problem.code === 'string' ? problem.code : 'unknown',
    Number.isFinite(after) && after >= 0 ? after : null,
  );
}
