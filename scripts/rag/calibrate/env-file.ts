import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Writes settings into a file of NAME=value lines, each in the place of an earlier value; all other lines stay. */
export function writeEnvFile(path: string, settings: Record<string, string>): void {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  if (lines.at(-1) === '') lines.pop();
  const isReplaced = (line: string) => Object.hasOwn(settings, /^\s*(?:export\s+)?(\w+)\s*=/.exec(line)?.[1] ?? '');
  const kept = lines.filter((line) => !isReplaced(line));
  writeFileSync(path, `${[...kept, ...envLines(settings)].join('\n')}\n`);
}

export const envLines = (settings: Record<string, string>): string[] =>
  Object.entries(settings).map(([name, value]) => `${name}=${value}`);
