import {
  CircuitBreaker,
  type ClientConfiguration,
  DefaultRequestSigner,
  FetchHttpClient,
  type HttpClient,
  NoRetryConfigurationDetails,
  type OciError,
  type SimpleAuthenticationDetailsProvider,
} from 'oci-common';

const TIMEOUT_SECONDS = 10;

/** Why a service gave no answer; the message is fit to be shown. */
export class Refusal extends Error {
  /** Of HTTP; 0 where nothing came back. */
  readonly status: number;
  /** How far this machine's clock is behind the service's, in minutes. */
  readonly minutesBehind: number;

  constructor(message: string, status: number, minutesBehind: number) {
    super(message);
    this.status = status;
    this.minutesBehind = minutesBehind;
  }
}

interface Client {
  endpoint: string;
  regionId: string;
}

interface Question<C> {
  Client: new (params: { httpClient: HttpClient }, configuration: ClientConfiguration) => C;
  provider: SimpleAuthenticationDetailsProvider;
  region: string;
  /** Instead of the region's. */
  endpoint: string | undefined;
}

/** Asks a service once, and for no longer than ten seconds; throws a {@link Refusal}. */
export async function ask<C extends Client, T>(question: Question<C>, call: (client: C) => Promise<T>): Promise<T> {
  const { Client, provider, region, endpoint } = question;
  const http = new Http(provider);
  const client = new Client(
    { httpClient: http },
    {
      retryConfiguration: NoRetryConfigurationDetails,
      circuitBreaker: new CircuitBreaker({ disableClientCircuitBreaker: true }),
    },
  );
  if (endpoint === undefined) client.regionId = region;
  else client.endpoint = endpoint;
  try {
    return await call(client);
  } catch (error) {
    throw refusalOf(http.failure ?? error, http.date);
  }
}

/** Remembers what the SDK's own errors leave out: why nothing came back, and the service's clock. */
class Http implements HttpClient {
  failure: unknown;
  date: string | null = null;
  readonly #signer: DefaultRequestSigner;

  constructor(provider: SimpleAuthenticationDetailsProvider) {
    this.#signer = new DefaultRequestSigner(provider);
  }

  async send(...request: Parameters<HttpClient['send']>): Promise<Response> {
    const signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1000);
    try {
      const response = await new FetchHttpClient(this.#signer, null, { signal }).send(...request);
      this.date = response.headers.get('date');
      return response;
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

function refusalOf(error: unknown, date: string | null): Refusal {
  const { statusCode, serviceCode } = error as Partial<OciError>;
  if (statusCode !== undefined) {
    const minutesBehind = date === null ? 0 : Math.round((Date.parse(date) - Date.now()) / 60_000);
    return new Refusal(`HTTP ${statusCode} ${serviceCode ?? ''}`.trim(), statusCode, minutesBehind);
  }
  const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  const reason = name === 'TimeoutError' ? `no answer within ${TIMEOUT_SECONDS} s` : (cause?.code ?? message);
  return new Refusal(reason, 0, 0);
}
