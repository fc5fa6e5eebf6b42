import { NoRetryConfigurationDetails } from 'oci-common';
import { requests, SecretsClient } from 'oci-secrets';
import { NotInForce, Unavailable } from '../../core/errors.ts';
import { functionPrincipal, toError } from './client.ts';

/** A client that signs as the function itself does: its resource principal. */
export const vaultOfFunction = (): SecretsClient =>
  new SecretsClient({ authenticationDetailsProvider: functionPrincipal() });

/** The current text of a Vault secret. What goes wrong names the secret's OCID and the remedy, nothing of its content. */
export async function readSecret(client: SecretsClient, secretId: string): Promise<string> {
  let content: { contentType: string; content?: string };
  try {
    const { secretBundle } = await client.getSecretBundle({
      secretId,
      stage: requests.GetSecretBundleRequest.Stage.Current,
      // By itself the client tries for minutes, longer than a function has.
      retryConfiguration: NoRetryConfigurationDetails,
    });
    content = secretBundle.secretBundleContent ?? { contentType: 'none' };
  } catch (error) {
    throw explain(secretId, error);
  }
  const text = Buffer.from(content.content ?? '', 'base64').toString('utf8');
  if (content.contentType !== 'BASE64' || text === '') throw new Error(`the secret ${secretId} has no text`);
  return text;
}

const BUSY_STATUS = 429;

function explain(secretId: string, error: unknown): Error {
  const status = (error as { statusCode?: number }).statusCode ?? -1;
  if (status === 404 || status === 401 || status === 403) {
    return new NotInForce(
      `the secret ${secretId} cannot be read (HTTP ${status}): it does not exist, or no policy lets this function ` +
        'read secret-bundles in its compartment',
      { cause: error },
    );
  }
  if (status === BUSY_STATUS || status >= 500 || status === -1) {
    return new Unavailable('A secret could not be read', { cause: toError(error), retryAfterSeconds: 2 });
  }
  return new Error(`the secret ${secretId} cannot be read (HTTP ${status})`, { cause: error });
}
