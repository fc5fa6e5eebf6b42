import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface Account {
  tenancyId: string;
  region: string;
}

type Env = Record<string, string | undefined>;

/**
 * The tenancy and the region, as the Terraform provider finds them: TF_VAR_tenancy_ocid and TF_VAR_region, or else the
 * profile (OCI_CLI_PROFILE) of ~/.oci/config (OCI_CLI_CONFIG_FILE). Empty where neither says.
 */
export function readAccount(env: Env, profile: string): Account {
  const file = env.OCI_CLI_CONFIG_FILE || join(env.HOME ?? homedir(), '.oci', 'config');
  const entries = existsSync(file) ? readProfile(readFileSync(file, 'utf8'), profile) : new Map<string, string>();
  return {
    tenancyId: env.TF_VAR_tenancy_ocid || env.OCI_CLI_TENANCY || (entries.get('tenancy') ?? ''),
    region: env.TF_VAR_region || env.OCI_CLI_REGION || (entries.get('region') ?? ''),
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
