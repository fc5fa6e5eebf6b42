import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { ConfigFileReader } from 'oci-common';

export interface Account {
  tenancyId: string;
  region: string;
  /** The profile that was read, where one was named. */
  profile: string;
  /** Why the profile could not be read; null where it could, or is not needed. */
  fault: string | null;
}

type Env = Record<string, string | undefined>;

/**
 * The tenancy and the region: of the profile (or OCI_CLI_PROFILE, or DEFAULT) of ~/.oci/config (OCI_CLI_CONFIG_FILE), or
 * else as the Terraform provider is told them, TF_VAR_tenancy_ocid and TF_VAR_region. Empty where neither says.
 */
export function readAccount(env: Env, profile: string): Account {
  const home = env.HOME ?? homedir();
  const file = (env.OCI_CLI_CONFIG_FILE || '~/.oci/config').replace(/^~(?=\/)/, home);
  const named = profile || env.OCI_CLI_PROFILE || '';
  const text = existsSync(file) && statSync(file).isFile() ? readFileSync(file, 'utf8') : '';
  const config = text === '' ? null : parse(text, named || 'DEFAULT');
  return {
    tenancyId: config?.get('tenancy') || env.TF_VAR_tenancy_ocid || '',
    region: config?.get('region') || env.TF_VAR_region || '',
    profile: named,
    fault: text !== '' && config === null && named !== '' ? `DEPLOY_PROFILE: ${file} has no profile [${named}]` : null,
  };
}

/** Null where the profile is not there, or the text is no OCI configuration; the doctor says which. */
function parse(text: string, profile: string): ReturnType<typeof ConfigFileReader.parse> | null {
  try {
    return ConfigFileReader.parse(text, profile);
  } catch {
    return null;
  }
}
