import {
  DeadlineExceeded,
  Forbidden,
  MalformedRequest,
  NotFound,
  problemHeaders,
  TooLarge,
  toAppError,
  toProblem,
  Unauthenticated,
} from './core/errors.ts';
import { decodeUtf8, parseJson, parseQuery, validate } from './core/input.ts';
import { type Caller, seesEverything } from './core/scope.ts';
import { type Match, matchRoute } from './match-route.ts';
import type { Log } from './ports/platform.ts';
import type { HandlerNames, HttpFunction, Route } from './route.ts';
import { MAX_BODY_BYTES, WRITE_SCOPE } from './routes.ts';
import type { Services } from './services.ts';
import { findEmployeeBySubject } from './store/employees.ts';

/** One invocation of a function, however it came: `method` and `path` are null when it was not over HTTP. */
export interface FunctionRequest {
  callId: string;
  deadline: Date | null;
  method: string | null;
  /** As sent, percent-encoding included. */
  path: string | null;
  /** What stands behind the ? of the URL; '' where nothing does. */
  query: string;
  header(name: string): string | null;
  body: Buffer;
}

export interface FunctionResponse {
  status: number;
  headers?: Record<string, string>;
  /** Bytes go as they are, of the Content-Type among the headers; everything else as JSON. */
  body: object | Buffer;
}

/** What a handler gets: a request that is authenticated, allowed and valid. */
export interface Call {
  callId: string;
  startedAt: number;
  deadline: Date | null;
  route: Route;
  params: Record<string, string>;
  /** The validated query, of the shape that the route names; null where it names none. */
  query: unknown;
  /** The validated body, of the shape that the route names. */
  body: unknown;
  rawBody: Buffer;
  /** What the caller says of the body; null where that is nothing. */
  contentType: string | null;
  /** The employee who calls; null on routes that need none. */
  caller: Caller | null;
  /** Whether the caller may write records. */
  mayWrite: boolean;
  log: Log;
}

type Handler = (call: Call) => Promise<FunctionResponse>;

/** Time kept back from a deadline, so that the answer still gets out. */
const DEADLINE_MARGIN_MS = 250;

/** Makes one function's HTTP side: route, authenticate, allow, validate, handle; every error becomes a problem. */
export function createHttpFunction<F extends HttpFunction>(
  name: F,
  handlers: Record<HandlerNames[F], Handler>,
  services: Services,
): (request: FunctionRequest) => Promise<FunctionResponse> {
  return async (request) => {
    const startedAt = performance.now();
    const log = services.log(request.callId);
    let response: FunctionResponse;
    let route: Route | null = null;
    try {
      const match = findRoute(name, request);
      route = match.route;
      if (request.body.length > MAX_BODY_BYTES) throw bodyTooLarge(request.body.length);
      const allowed = await beforeDeadline(request.deadline, authorize(match.route, request, services));
      const call: Call = {
        callId: request.callId,
        startedAt,
        deadline: request.deadline,
        ...match,
        query: await readQuery(match.route, request.query),
        body: await readBody(match.route, request.body),
        rawBody: request.body,
        contentType: request.header('Content-Type'),
        ...allowed,
        log,
      };
      // findRoute has made sure that the route, and so its handler's name, is one of this function.
      const handler = handlers[match.route.handler as HandlerNames[F]];
      response = await beforeDeadline(request.deadline, handler(call));
      if (Buffer.isBuffer(response.body)) requireSendable(response.body);
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.status >= 500) log.error('call_failed', error.cause ?? error, { code: error.code });
      response = {
        status: error.status,
        headers: problemHeaders(error),
        body: toProblem(error, request.callId),
      };
    }
    log.info('call', {
      function: name,
      route: route === null ? null : `${route.method} ${route.path}`,
      status: response.status,
      ms: Math.round(performance.now() - startedAt),
    });
    return response;
  };
}

/** The error for a body over the limit. */
export const bodyTooLarge = (bytes: number) =>
  new TooLarge(`The body is at most ${MAX_BODY_BYTES} bytes, got ${bytes}`);

/** OCI Functions lets no more out than in. */
function requireSendable({ length }: Buffer): void {
  if (length <= MAX_BODY_BYTES) return;
  throw new TooLarge(`This has ${length} bytes, and an answer has at most ${MAX_BODY_BYTES}`);
}

function findRoute(name: HttpFunction, request: FunctionRequest): Match {
  const { route, params } = matchRoute(request.method ?? '', request.path ?? '');
  if (route.function !== name) throw new NotFound(`This path is served by the function ${route.function}`);
  return { route, params: decodeParams(params) };
}

function decodeParams(params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      try {
        return [name, decodeURIComponent(value)];
      } catch {
        throw new MalformedRequest(`${name}: is not percent-encoded UTF-8`);
      }
    }),
  );
}

/** Who calls comes only from the token, verified here, whatever a gateway in front has done. */
async function authorize(route: Route, request: FunctionRequest, services: Services): Promise<Allowed> {
  if (route.access === 'public') return { caller: null, mayWrite: false };
  const verifier = await services.verifier();
  const claims = await verifier.verify(bearerToken(request.header('Authorization')));
  const hasScope = claims.scopes.includes(WRITE_SCOPE);
  if (route.access === 'write' && hasScope) return { caller: null, mayWrite: true };

  const caller = await findEmployeeBySubject(await services.database(request.deadline), claims.subject);
  const isAdmin = caller?.role === 'admin';
  if (route.access === 'write' && !isAdmin) {
    throw new Forbidden(`Writing needs a token with the scope ${WRITE_SCOPE}, or an admin`);
  }
  if (route.access === 'admin' && !isAdmin) throw new Forbidden('This needs an admin');
  if (route.access === 'manager' && (caller === null || !seesEverything(caller))) {
    throw new Forbidden('This needs a manager or an admin');
  }
  if (caller === null && !(route.access === 'state' && hasScope)) {
    throw new Forbidden('The token is valid, but its subject is not an employee known here');
  }
  return { caller, mayWrite: hasScope || isAdmin };
}

type Allowed = Pick<Call, 'caller' | 'mayWrite'>;

/** The token of an Authorization header, or Unauthenticated. */
export function bearerToken(authorization: string | null | undefined): string {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw new Unauthenticated('Send a token: Authorization: Bearer <token>');
  return token;
}

/** The query in the shape that its route names; what other routes are sent plays no part. */
async function readQuery(route: Route, query: string): Promise<unknown> {
  return route.query === undefined ? null : validate(await route.query(), parseQuery(query));
}

/** The body in the shape that its route names; null for routes that have none or read it themselves. */
async function readBody(route: Route, body: Buffer): Promise<unknown> {
  if (route.body === undefined || route.bodyType !== undefined) return null;
  const value = parseJson(decodeUtf8(body));
  return validate(await route.body(), value);
}

/** Rejects when the deadline is near, so that the caller hears of it before the platform ends the call. */
async function beforeDeadline<T>(deadline: Date | null, work: Promise<T>): Promise<T> {
  if (deadline === null) return work;
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_, reject) => {
    const left = Math.max(0, deadline.getTime() - Date.now() - DEADLINE_MARGIN_MS);
    timer = setTimeout(() => reject(new DeadlineExceeded('The time limit of this call has passed')), left);
  });
  try {
    return await Promise.race([work, expiry]);
  } finally {
    clearTimeout(timer);
  }
}
