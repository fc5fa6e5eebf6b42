import { ConfigFileAuthenticationDetailsProvider } from 'oci-common';
import { ObjectStorageClient } from 'oci-objectstorage';
import { UserError } from '../user-error.ts';

type Env = Record<string, string | undefined>;

/** A client that signs as the operator does, by a profile of the OCI configuration file. */
export function openClient(env: Env, profile: string, region: string): ObjectStorageClient {
  try {
    const authenticationDetailsProvider = new ConfigFileAuthenticationDetailsProvider(
      env.OCI_CLI_CONFIG_FILE || undefined,
      profile || env.OCI_CLI_PROFILE || undefined,
    );
    const client = new ObjectStorageClient({ authenticationDetailsProvider });
    client.regionId = region;
    return client;
  } catch (error) {
    // The SDK throws errors and plain texts.
    const message = error instanceof Error ? error.message : String(error);
    throw new UserError(
      `The OCI configuration cannot be used: ${message.trim()}\n` +
        'OCI_CLI_CONFIG_FILE names another file than ~/.oci/config, OCI_CLI_PROFILE another profile',
    );
  }
}
