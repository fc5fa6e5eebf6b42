import { FunctionsInvokeClient, requests } from 'oci-functions';
import type { Nudge } from '../../ports/platform.ts';
import { functionPrincipal, onceWithin, type Principal, toError } from './client.ts';

const TIMEOUT_MS = 2000;

/** A client of one invoke endpoint, `https://<id>.<region>.functions.oci.oraclecloud.com`. */
export function invokerAt(
  endpoint: string,
  principal: Principal = functionPrincipal(),
  timeoutMs = TIMEOUT_MS,
): FunctionsInvokeClient {
  const client = new FunctionsInvokeClient({ authenticationDetailsProvider: principal }, onceWithin(timeoutMs));
  client.endpoint = endpoint;
  return client;
}

/** Invokes the drain function detached: OCI answers (202) as soon as it has taken the call. */
export class FunctionNudge implements Nudge {
  readonly #client: FunctionsInvokeClient;
  readonly #functionId: string;

  constructor(client: FunctionsInvokeClient, functionId: string) {
    this.#client = client;
    this.#functionId = functionId;
  }

  async drain(): Promise<void> {
    const call = {
      functionId: this.#functionId,
      fnInvokeType: requests.InvokeFunctionRequest.FnInvokeType.Detached,
      invokeFunctionBody: JSON.stringify({ reason: 'a write' }),
    };
    await this.#client.invokeFunction(call).catch((thrown: unknown) => {
      throw toError(thrown);
    });
  }
}
