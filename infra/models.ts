import { settingFault } from '../functions/config.ts';

/** What a deployment says about the models that it asks. */
interface ModelSettings {
  compartmentId: string;
  /** '' where answers are quoted from the sources, oci:<id> or openai:<id>. */
  answerModel: string;
  /** Of Generative AI. */
  genaiRegion: string;
  answerUrl: string;
  answerApiKeySecret: string;
  functionSettings: Record<string, string>;
}

/** The regions of Generative AI in which chat models are known to be served on demand; in others they may be. */
const CHAT_REGIONS = [
  'ap-hyderabad-1',
  'ap-osaka-1',
  'eu-frankfurt-1',
  'me-riyadh-1',
  'sa-saopaulo-1',
  'uk-london-1',
  'us-ashburn-1',
  'us-chicago-1',
  'us-phoenix-1',
];

/** What DEPLOY_GENAI_REGION is where it is not set: the deployment's region, or '' where that has no chat models. */
export const genaiRegionBeside = (region: string): string => (CHAT_REGIONS.includes(region) ? region : '');

/** Reads DEPLOY_ANSWER_MODEL into RAG_ANSWER_MODEL's form, '' for extractive. */
export function readAnswerModel(text: string): string {
  if (text === 'extractive') return '';
  // Its ids begin with a vendor, and its OCIDs have dots too: a word without one is a slip.
  const [, id] = /^(?:oci:)?([\w-]+\.[\w.-]+)$/.exec(text) ?? [];
  if (id !== undefined) return `oci:${id}`;
  if (/^openai:[^\s,]+$/.test(text)) return text;
  throw new Error(
    'must be extractive, the id of a model of Generative AI such as cohere.command-a-03-2025, or openai:<model id>',
  );
}

const isInOci = (setting = '') => setting.startsWith('oci:');

/** Whether a model of Generative AI answers. */
export const chatsInOci = ({ answerModel }: ModelSettings): boolean => isInOci(answerModel);

const embedders = ({ functionSettings }: ModelSettings) =>
  (['RAG_EMBEDDING_URL', 'RAG_EMBEDDING_NEXT_URL'] as const)
    .map((name) => ({ name, url: functionSettings[name] ?? '' }))
    .filter(({ url }) => isInOci(url));

/** Whether a model of Generative AI embeds, or is to. */
export const embedsInOci = (settings: ModelSettings): boolean => embedders(settings).length > 0;

/** Whether any model of Generative AI is asked, which is paid by token. */
export const usesGenerativeAi = (settings: ModelSettings): boolean => chatsInOci(settings) || embedsInOci(settings);

/** Where OCI has an API of OpenAI's kind, which wants to know the compartment. */
const isHostOfOci = (url: string) => new URL(url).host.endsWith('.oraclecloud.com');

/** What the functions that know of the answering model are told of it; nothing where none answers. */
export function answerSettings(settings: ModelSettings): Record<string, string> {
  const { answerModel, genaiRegion, compartmentId, answerUrl, answerApiKeySecret } = settings;
  if (answerModel === '') return {};
  const model = { RAG_ANSWER_MODEL: answerModel };
  if (chatsInOci(settings)) {
    return { ...model, RAG_ANSWER_REGION: genaiRegion, RAG_ANSWER_COMPARTMENT: compartmentId };
  }
  return {
    ...model,
    RAG_ANSWER_URL: answerUrl,
    ...(answerApiKeySecret !== '' && { RAG_ANSWER_API_KEY: `vault:${answerApiKeySecret}` }),
    ...(isHostOfOci(answerUrl) && { RAG_ANSWER_COMPARTMENT: compartmentId }),
  };
}

/** What is wrong with the settings of models that are right each by itself. */
export function modelFaults(settings: ModelSettings): string[] {
  const { answerModel, genaiRegion, answerUrl, answerApiKeySecret, compartmentId } = settings;
  const faults: string[] = [];
  const isElsewhere = answerModel.startsWith('openai:');
  if (chatsInOci(settings)) {
    if (genaiRegion === '') {
      faults.push(
        'DEPLOY_GENAI_REGION is missing: the region of the deployment is not known to have chat models; known are ' +
          CHAT_REGIONS.join(', '),
      );
    } else if (settingFault('RAG_ANSWER_REGION', genaiRegion) !== null) {
      faults.push(`DEPLOY_GENAI_REGION is ${genaiRegion}, which the functions do not take for a region`);
    }
  }
  if (isElsewhere && answerUrl === '') {
    faults.push(`DEPLOY_ANSWER_URL is missing, though DEPLOY_ANSWER_MODEL is ${answerModel}`);
  }
  for (const [name, value] of [
    ['DEPLOY_ANSWER_URL', answerUrl],
    ['DEPLOY_ANSWER_API_KEY_SECRET', answerApiKeySecret],
  ] as const) {
    if (!isElsewhere && value !== '') {
      faults.push(`${name} is of no use: it belongs to DEPLOY_ANSWER_MODEL=openai:<model id>`);
    }
  }
  for (const { name, url } of embedders(settings)) {
    const [, , compartment] = url.split(':');
    if (compartment !== compartmentId) {
      faults.push(
        `DEPLOY_FUNCTION_SETTINGS ${name} must end with the deployment's compartment, ${compartmentId}, where the ` +
          'functions may use Generative AI',
      );
    }
  }
  return faults;
}
