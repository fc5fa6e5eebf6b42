import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';

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
  let entries: Map<string, string> | null = new Map();
  if (existsSync(file) && statSync(file).isFile())
    entries = readProfile(readFileSync(file, 'utf8'), named || 'DEFAULT');
  return {
    tenancyId: entries?.get('tenancy') || env.TF_VAR_tenancy_ocid || '',
    region: entries?.get('region') || env.TF_VAR_region || '',
    profile: named,
    fault: entries === null && named !== '' ? `DEPLOY_PROFILE: ${file} has no profile [${named}]` : null,
  };
}

/** The entries of one profile of an OCI configuration file; what it lacks it has from DEFAULT. Null where it is not there. */
function readProfile(text: string, profile: string): Map<string, string> | null {
  const profiles = new Map<string, Map<string, string>>();
  let entries = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [, name] = /^\s*\[([^\]]+)\]\s*$/.exec(line) ?? [];
    if (name !== undefined) {
      entries = profiles.get(name) ?? new Map();
      profiles.set(name, entries);
      continue;
    }
    const [, key, value] = /^\s*([\w.-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) entries.set(key, value);
  }
  const own = profiles.get(profile);
  return own === undefined ? null : new Map([...(profiles.get('DEFAULT') ?? []), ...own]);
}
