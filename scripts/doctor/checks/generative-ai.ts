import { GenerativeAiClient, type models } from 'oci-generativeai';
import {
  type Capability,
  findModel,
  listModels,
  ModelFault,
  type WantedModel,
} from '../../../functions/adapters/oci/model-catalog.ts';
import { UserError } from '../../user-error.ts';
import { ask, Refusal } from '../oci/ask.ts';
import { readProfile } from '../oci/profile.ts';
import type { Check, CheckContext, Warning } from './check.ts';
import { homeRegion } from './home-region.ts';

const SOON_DAYS = 90;
const DAY_MS = 86_400_000;

/** A model that some setting names, and where. */
interface Named extends WantedModel {
  setting: string;
  regionSetting: string;
  /** '' for where the deploy goes. */
  region: string;
  /** '' for the tenancy. */
  compartment: string;
}

/** RAG_ANSWER_MODEL's and RAG_EMBEDDING_URL's form for what is in OCI; the latter's rest is region:compartment. */
const IN_OCI = 'oci:';

function namedModels(env: CheckContext['env']): Named[] {
  const value = (name: string) => env[name] ?? '';
  const chat = { capability: 'CHAT', compartment: '' } as const;
  const found: Named[] = [];
  if (!/^(extractive|openai:.*)?$/.test(value('DEPLOY_ANSWER_MODEL'))) {
    const model = value('DEPLOY_ANSWER_MODEL').replace(/^oci:/, '');
    const region = value('DEPLOY_GENAI_REGION');
    found.push({ ...chat, setting: 'DEPLOY_ANSWER_MODEL', regionSetting: 'DEPLOY_GENAI_REGION', model, region });
  }
  if (value('RAG_ANSWER_MODEL').startsWith(IN_OCI)) {
    found.push({
      ...chat,
      setting: 'RAG_ANSWER_MODEL',
      regionSetting: 'RAG_ANSWER_REGION',
      model: value('RAG_ANSWER_MODEL').slice(IN_OCI.length),
      region: value('RAG_ANSWER_REGION'),
      compartment: value('RAG_ANSWER_COMPARTMENT'),
    });
  }
  if (value('RAG_EMBEDDING_URL').startsWith(IN_OCI)) {
    const [, region = '', compartment = ''] = value('RAG_EMBEDDING_URL').split(':');
    const model = value('RAG_EMBEDDING_MODEL');
    const settings = { setting: 'RAG_EMBEDDING_MODEL', regionSetting: 'RAG_EMBEDDING_URL' };
    found.push({ ...settings, capability: 'TEXT_EMBEDDINGS', model, region, compartment });
  }
  return found;
}

export const generativeAi: Check = {
  name: 'Generative AI',
  unused: ({ env }) =>
    namedModels(env).length > 0 ? null : reasonUnused(env.DEPLOY_ANSWER_MODEL || env.RAG_ANSWER_MODEL || ''),
  after: [homeRegion],
  async run(context) {
    const faults: string[] = [];
    const told: (string | Warning)[] = [];
    for (const named of namedModels(context.env)) {
      try {
        told.push(await checkModel(named, context));
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        faults.push(error.message);
      }
    }
    if (faults.length > 0) throw new UserError(faults.join('\n'));
    const text = told.map((one) => (typeof one === 'string' ? one : one.warning)).join('; ');
    return told.every((one) => typeof one === 'string') ? text : { warning: text };
  },
};

const reasonUnused = (answerModel: string): string =>
  answerModel.startsWith('openai:')
    ? 'not used: the model that answers is not of OCI'
    : 'not used: answers are quoted from the sources';

async function checkModel(named: Named, context: CheckContext): Promise<string | Warning> {
  const { deployRegion } = readProfile(context);
  const region = named.region || deployRegion;
  try {
    return verdict(await modelsIn(region, named.compartment, context), named, region);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 0) {
      throw new UserError(
        `Generative AI cannot be reached in ${region} (${error.message}); set ${named.regionSetting} to a region that has it`,
      );
    }
    return { warning: `could not be asked in ${region} (${error.message}); in the console: Generative AI, Models` };
  }
}

function modelsIn(region: string, compartment: string, context: CheckContext): Promise<models.ModelSummary[]> {
  const { provider, tenancy } = readProfile(context);
  const question = { Client: GenerativeAiClient, provider, region, endpoint: context.endpoints.generativeAi };
  return ask(question, (client) => listModels(client, compartment || tenancy));
}

const CAPABLE: Record<Capability, string> = { CHAT: 'chats', TEXT_EMBEDDINGS: 'embeds texts' };

function verdict(all: models.ModelSummary[], named: Named, region: string): string | Warning {
  const { setting, model, capability } = named;
  try {
    const { summary } = findModel(all, named);
    return retirement(summary, named, region);
  } catch (error) {
    if (!(error instanceof ModelFault)) throw error;
    if (error.kind === 'missing') {
      const near = error.near.length > 0 ? ` (nearest: ${error.near.join(', ')})` : '';
      const choice = error.others.length === 0 ? `no model that ${CAPABLE[capability]}` : error.others.join(', ');
      throw new UserError(`${region} has no model ${model}${near}; set ${setting} to one that it has: ${choice}`);
    }
    const other = error.kind === 'unable' ? `one that ${CAPABLE[capability]}` : 'another';
    const where = error.kind === 'inactive' ? ` in ${region}` : '';
    throw new UserError(`${error.message}${where}; set ${setting} to ${other}`);
  }
}

function retirement(summary: models.ModelSummary, { setting, model }: Named, region: string): string | Warning {
  const { timeOnDemandRetired, timeDeprecated } = summary;
  const next = `choose its successor for ${setting}`;
  if (daysUntil(timeOnDemandRetired) <= SOON_DAYS) {
    return { warning: `${model} is retired on ${dayOf(timeOnDemandRetired)}; ${next}` };
  }
  if (daysUntil(timeDeprecated) <= SOON_DAYS) {
    return { warning: `${model} is deprecated from ${dayOf(timeDeprecated)}; ${next}` };
  }
  return `${model} in ${region}, ACTIVE`;
}

// The SDK hands dates on as the text that came.
const daysUntil = (time: Date | string | null | undefined): number =>
  time ? (new Date(time).getTime() - Date.now()) / DAY_MS : Number.POSITIVE_INFINITY;

const dayOf = (time: Date | string | null | undefined): string =>
  time ? new Date(time).toISOString().slice(0, 10) : '';
