import { contradictions } from './config/contradictions.ts';
import { type Config, SETTINGS } from './config/settings.ts';

export type { Config };

/** Thrown once for all faults, so that one look at the log shows everything that must be mended. */
export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(`The configuration has ${faults.length} fault${faults.length === 1 ? '' : 's'}:\n  ${faults.join('\n  ')}`);
    this.name = 'ConfigError';
  }
}

/** Reads the configuration from environment variables; an empty variable counts as not set. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const faults: string[] = [];
  const values = Object.entries(SETTINGS).map(([name, read]) => {
    try {
      return [name, read(env[name] === '' ? undefined : env[name])];
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`);
      return [name, undefined];
    }
  });
  for (const [name, value] of Object.entries(env)) {
    const isUnknown = name.startsWith('RAG_') && value !== undefined && !(name in SETTINGS);
    if (isUnknown) faults.push(`${name} is not a setting of this version`);
  }
  const config = Object.fromEntries(values) as Config;
  if (!env.RAG_EMBEDDING_LANGUAGES && config.RAG_EMBEDDING_URL?.startsWith('oci:'))
    config.RAG_EMBEDDING_LANGUAGES = 'any';
  if (faults.length === 0) faults.push(...contradictions(config));
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** What is wrong with one setting by itself, its name first; null where nothing is. */
export function settingFault(name: string, value: string): string | null {
  if (!Object.hasOwn(SETTINGS, name)) return `${name} is not a setting of this version`;
  try {
    SETTINGS[name as keyof typeof SETTINGS](value);
    return null;
  } catch (error) {
    return `${name} ${(error as Error).message}`;
  }
}
