import { settingFault } from '../functions/config.ts';

/** What the deployment itself tells the functions. */
const OF_DEPLOYMENT =
  /^RAG_(DATABASE|NUDGE|METRICS|AUTH|MIGRATIONS|EMBEDDING_MODEL_SOURCE|EMBEDDING_NEXT_MODEL_SOURCE|STORAGE(_(URL|REGION|ACCESS_KEY|SECRET_KEY))?$)/;

/** What has a setting of the deployment, which grants what it takes besides. */
const BY_DEPLOYMENT: Record<string, string> = {
  RAG_ANSWER_MODEL: 'DEPLOY_ANSWER_MODEL',
  RAG_ANSWER_REGION: 'DEPLOY_GENAI_REGION',
  RAG_ANSWER_COMPARTMENT: 'DEPLOY_COMPARTMENT',
  RAG_ANSWER_URL: 'DEPLOY_ANSWER_URL',
  RAG_ANSWER_API_KEY: 'DEPLOY_ANSWER_API_KEY_SECRET',
};

/** Reads settings that are passed on to the functions, NAME=value,NAME=value; throws an Error that names the wrong one. */
export function readFunctionSettings(text: string): Record<string, string> {
  const pairs = text.split(/,(?=RAG_)/).map((pair): [string, string] => {
    const [, name, value] = /^\s*([A-Z0-9_]+)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || value === undefined) throw new Error(`"${pair}" must be NAME=value`);
    if (!name.startsWith('RAG_')) throw new Error(`"${name}" must begin with RAG_`);
    if (OF_DEPLOYMENT.test(name)) throw new Error(`"${name}" is set by the deployment itself`);
    const own = BY_DEPLOYMENT[name];
    if (own !== undefined) throw new Error(`"${name}" is set by the deployment itself: ${own}`);
    const fault = settingFault(name, value.trim());
    if (fault !== null) throw new Error(fault);
    return [name, value.trim()];
  });
  const settings = Object.fromEntries(pairs);
  requireWholeEmbedder(settings);
  return settings;
}

/** The model in the database is the deployment's own, whose file bootstrap loads; one of Generative AI may take its place. */
function requireWholeEmbedder({ RAG_EMBEDDING_URL: url, RAG_EMBEDDING_MODEL: model }: Record<string, string>): void {
  if (url === undefined && model === undefined) return;
  if (!url?.startsWith('oci:') || model === undefined) {
    throw new Error(
      'RAG_EMBEDDING_MODEL and RAG_EMBEDDING_URL=oci:<region>:<compartment OCID> go together; any other model that ' +
        'embeds is set by the deployment itself',
    );
  }
}
