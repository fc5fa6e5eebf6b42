import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';

export interface Account {
  tenancyId: string;
  region: string;
}

type Env = Record<string, string | undefined>;

/**
 * The tenancy and the region: of the profile (or OCI_CLI_PROFILE, or DEFAULT) of ~/.oci/config (OCI_CLI_CONFIG_FILE), or
 * else as the Terraform provider is told them, TF_VAR_tenancy_ocid and TF_VAR_region. Empty where neither says.
 */
export function readAccount(env: Env, profile: string): Account {
  const home = env.HOME ?? homedir();
  const file = (env.OCI_CLI_CONFIG_FILE || '~/.oci/config').replace(/^~(?=\/)/, home);
  const entries = existsSync(file)
    ? readProfile(readFileSync(file, 'utf8'), profile || env.OCI_CLI_PROFILE || 'DEFAULT')
    : new Map<string, string>();
  return {
    tenancyId: entries.get('tenancy') || env.TF_VAR_tenancy_ocid || '',
    region: entries.get('region') || env.TF_VAR_region || '',
  };
}

/** The entries of one profile of an OCI configuration file; what it lacks it has from DEFAULT. */
function readProfile(text: string, profile: string): Map<string, string> {
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
  return new Map([...(profiles.get('DEFAULT') ?? []), ...(profiles.get(profile) ?? [])]);
}
