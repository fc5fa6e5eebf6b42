import { settingFault } from '../functions/config.ts';

/** What the deployment itself tells the functions. */
const OF_DEPLOYMENT =
  /^RAG_(DATABASE|NUDGE|METRICS|AUTH|MIGRATIONS|EMBEDDING_MODEL|EMBEDDING_NEXT_MODEL_SOURCE|EMBEDDING_URL)/;

/** Reads settings that are passed on to the functions, NAME=value,NAME=value; throws an Error that names the wrong one. */
export function readFunctionSettings(text: string): Record<string, string> {
  const pairs = text.split(/,(?=RAG_)/).map((pair): [string, string] => {
    const [, name, value] = /^\s*([A-Z0-9_]+)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || value === undefined) throw new Error(`"${pair}" must be NAME=value`);
    if (!name.startsWith('RAG_')) throw new Error(`"${name}" must begin with RAG_`);
    if (OF_DEPLOYMENT.test(name)) throw new Error(`"${name}" is set by the deployment itself`);
    const fault = settingFault(name, value.trim());
    if (fault !== null) throw new Error(fault);
    return [name, value.trim()];
  });
  return Object.fromEntries(pairs);
}
