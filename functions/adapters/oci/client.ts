import {
  type AuthenticationDetailsProvider,
  CircuitBreaker,
  type ClientConfiguration,
  NoRetryConfigurationDetails,
  type RegionProvider,
  ResourcePrincipalAuthenticationDetailsProvider,
} from 'oci-common';

/** Who signs, and in which region. */
export type Principal = AuthenticationDetailsProvider & RegionProvider;

/** The function itself: its resource principal. */
export const functionPrincipal = (): Principal => ResourcePrincipalAuthenticationDetailsProvider.builder();

/** One try within a time: by itself a client has no time limit, and some of them try for minutes. */
export const onceWithin = (timeoutMs: number): ClientConfiguration => ({
  retryConfiguration: NoRetryConfigurationDetails,
  circuitBreaker: new CircuitBreaker({ disableClientCircuitBreaker: true }),
  httpOptions: {
    // Read for each request, so that each has the whole time.
    get signal() {
      return AbortSignal.timeout(timeoutMs);
    },
  },
});

/** What the SDK has thrown, as an Error: where a service gave no answer, it throws an object that is none. */
export function toError(thrown: unknown): Error {
  const { statusCode, serviceCode, message } = thrown as {
    statusCode?: number;
    serviceCode?: string;
    message?: string;
  };
  const head = statusCode === undefined ? 'no answer' : `HTTP ${statusCode} ${serviceCode ?? ''}`;
  return new Error(`${head}: ${message ?? ''}`, { cause: thrown });
}
