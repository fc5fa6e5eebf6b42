import {
  CircuitBreaker,
  type ClientConfiguration,
  DefaultRequestSigner,
  FetchHttpClient,
  type HttpClient,
  NoRetryConfigurationDetails,
} from 'oci-common';
import { fieldsOf, stringOf } from '../../core/completion.ts';
import { ModelCallFailed, readRefusal } from '../../core/model-call.ts';
import type { Principal } from './client.ts';

/** Where Generative AI is asked, for whom, and as whom. */
export interface GenerativeAiPlace {
  /** Such as us-chicago-1; it need not be that of the functions. */
  region: string;
  compartmentId: string;
  principal: Principal;
  /** Instead of the region's. */
  endpoint?: string;
}

interface RegionalClient {
  endpoint: string;
  regionId: string;
}

type ClientClass<C> = new (params: { httpClient: HttpClient }, configuration: ClientConfiguration) => C;

/**
 * Asks a service once, within a time. The client lives for this call, which costs it a tenth of a millisecond, since
 * the SDK's own errors lack what its connection knows: Retry-After, and why nothing came back. `sent` are the texts
 * that no log may hold. Throws ModelCallFailed.
 */
export async function askOnce<C extends RegionalClient, T>(
  Client: ClientClass<C>,
  { place, msLeft, sent }: { place: GenerativeAiPlace; msLeft: number; sent: string[] },
  call: (client: C) => Promise<T>,
): Promise<T> {
  const http = new OneCall(place.principal, msLeft, sent);
  const client = new Client(
    { httpClient: http },
    {
      retryConfiguration: NoRetryConfigurationDetails,
      circuitBreaker: new CircuitBreaker({ disableClientCircuitBreaker: true }),
    },
  );
  if (place.endpoint === undefined) client.regionId = place.region;
  else client.endpoint = place.endpoint;
  try {
    return await call(client);
  } catch (error) {
    if (http.failure !== null) throw http.failure;
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    // A parser's error quotes what it read.
    throw isLate ? ModelCallFailed.noAnswer(error) : ModelCallFailed.unreadable('the body ends early or is not JSON');
  }
}

class OneCall implements HttpClient {
  failure: ModelCallFailed | null = null;
  readonly #http: FetchHttpClient;
  readonly #sent: string[];

  constructor(principal: Principal, msLeft: number, sent: string[]) {
    this.#http = new FetchHttpClient(new DefaultRequestSigner(principal), null, {
      signal: AbortSignal.timeout(msLeft),
    });
    this.#sent = sent;
  }

  /** What fails is thrown here, before the SDK writes a service's words to the console. */
  async send(...request: Parameters<HttpClient['send']>): Promise<Response> {
    let response: Response;
    try {
      response = await this.#http.send(...request);
    } catch (error) {
      this.failure = ModelCallFailed.noAnswer(error);
      throw this.failure;
    }
    if (response.ok) return response;
    const { code, message } = fieldsOf(await response.json().catch(() => null));
    const refusal = {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      code: stringOf(code),
      message: stringOf(message),
    };
    this.failure = readRefusal(refusal, this.#sent);
    throw this.failure;
  }
}
