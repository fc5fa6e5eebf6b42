import fdk, { type FnContext } from '@fnproject/fdk';
import { toAppError } from '../../core/errors.ts';
import type { FunctionRequest, FunctionResponse } from '../../http.ts';
import type { Log } from '../../ports/platform.ts';

/**
 * Serves a function over the FDK's socket: the only place that knows the FDK, and where its faults (0.0.76) are kept
 * out. Bodies come as bytes (its string modes break UTF-8 between two reads), a result is always there (it never
 * answers a null), and what is thrown is a public message (it passes it on to the caller).
 */
export function serve(handle: (request: FunctionRequest) => Promise<FunctionResponse>, log: Log): void {
  // The FDK prints stacks of many lines; a log has one line an event.
  console.warn = (...parts: unknown[]) => log.warn('fdk', { message: parts.map(String).join(' ') });
  fdk.handle(
    async (body: Buffer, context: FnContext) => {
      const gateway = context.httpGateway;
      const method = gateway.method;
      try {
        const response = await handle({
          callId: context.callID ?? 'none',
          deadline: validDate(context.deadline),
          method,
          path: method === null ? null : pathOf(gateway.requestURL),
          query: queryOf(gateway.requestURL),
          header: (name) => gateway.getHeader(name) ?? null,
          body,
        });
        if (method !== null) {
          gateway.statusCode = response.status;
          for (const [name, value] of Object.entries(response.headers ?? {})) gateway.setResponseHeader(name, value);
        }
        return fdk.rawResult(Buffer.isBuffer(response.body) ? response.body : JSON.stringify(response.body));
      } catch (error) {
        throw new Error(toAppError(error).message);
      }
    },
    { inputMode: 'buffer' },
  );
}

const validDate = (date: Date | null): Date | null => (date === null || Number.isNaN(date.getTime()) ? null : date);

/** What stands behind the ? of a request URL. */
const queryOf = (requestUrl: string | null): string => /\?([^#]*)/.exec(requestUrl ?? '')?.[1] ?? '';

/** The path of a request URL, which may be whole or without a host. */
function pathOf(requestUrl: string | null): string {
  const withoutHost = (requestUrl ?? '').replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  return withoutHost.split(/[?#]/, 1)[0] || '/';
}
