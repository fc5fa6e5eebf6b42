import { GenerativeAiClient, type models } from 'oci-generativeai';
import { UserError } from '../../user-error.ts';
import { ask, Refusal } from '../oci/ask.ts';
import { readProfile } from '../oci/profile.ts';
import type { Check, CheckContext, Warning } from './check.ts';
import { homeRegion } from './home-region.ts';

const SOON_DAYS = 90;
const DAY_MS = 86_400_000;

export const generativeAi: Check = {
  name: 'Generative AI',
  unused: ({ env }) => (env.DEPLOY_ANSWER_MODEL ? null : 'not used: answers are quoted from the sources'),
  after: [homeRegion],
  async run(context) {
    const wanted = context.env.DEPLOY_ANSWER_MODEL ?? '';
    const { deployRegion } = readProfile(context);
    const region = context.env.DEPLOY_GENAI_REGION || deployRegion;
    try {
      return verdict(await listModels(region, context), wanted, region);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status === 0) {
        throw new UserError(
          `Generative AI cannot be reached in ${region} (${error.message}); set DEPLOY_GENAI_REGION to a region that has it`,
        );
      }
      return { warning: `could not be asked in ${region} (${error.message}); in the console: Generative AI, Models` };
    }
  },
};

async function listModels(region: string, context: CheckContext): Promise<models.ModelSummary[]> {
  const { provider, tenancy } = readProfile(context);
  const question = { Client: GenerativeAiClient, provider, region, endpoint: context.endpoints.generativeAi };
  return ask(question, async (client) => {
    const found: models.ModelSummary[] = [];
    let page: string | undefined;
    do {
      const answer = await client.listModels({ compartmentId: tenancy, ...(page && { page }) });
      found.push(...answer.modelCollection.items);
      page = answer.opcNextPage;
    } while (page);
    return found;
  });
}

const isChat = ({ capabilities }: models.ModelSummary) => capabilities.some((capability) => capability === 'CHAT');
const isActive = ({ lifecycleState }: models.ModelSummary) => lifecycleState === 'ACTIVE';

function verdict(all: models.ModelSummary[], wanted: string, region: string): string | Warning {
  const named = all.filter(({ id, displayName }) => id === wanted || displayName === wanted);
  // One name may stand for several entries, of which one is enough.
  const model = named.find((each) => isChat(each) && isActive(each)) ?? named.find(isChat) ?? named[0];
  if (model === undefined) {
    const others = [...new Set(all.filter((each) => isChat(each) && isActive(each)).map((each) => each.displayName))];
    const choice = others.length === 0 ? 'no model that chats' : others.sort().join(', ');
    throw new UserError(`${region} has no model ${wanted}; set DEPLOY_ANSWER_MODEL to one that it has: ${choice}`);
  }
  if (!isChat(model))
    throw new UserError(`${wanted} does not chat (${model.capabilities}); set DEPLOY_ANSWER_MODEL to one that does`);
  if (!isActive(model))
    throw new UserError(`${wanted} is ${model.lifecycleState} in ${region}; set DEPLOY_ANSWER_MODEL to another`);
  return retirement(model, wanted, region);
}

function retirement({ timeOnDemandRetired, timeDeprecated }: models.ModelSummary, wanted: string, region: string) {
  const retired = daysUntil(timeOnDemandRetired);
  if (retired <= 0) {
    throw new UserError(`${wanted} is retired since ${dayOf(timeOnDemandRetired)}; set DEPLOY_ANSWER_MODEL to another`);
  }
  const next = 'choose its successor for DEPLOY_ANSWER_MODEL';
  if (retired <= SOON_DAYS) return { warning: `${wanted} is retired on ${dayOf(timeOnDemandRetired)}; ${next}` };
  if (daysUntil(timeDeprecated) <= SOON_DAYS) {
    return { warning: `${wanted} is deprecated from ${dayOf(timeDeprecated)}; ${next}` };
  }
  return `${wanted} in ${region}, ACTIVE`;
}

// The SDK hands dates on as the text that came.
const daysUntil = (time: Date | string | null | undefined): number =>
  time ? (new Date(time).getTime() - Date.now()) / DAY_MS : Number.POSITIVE_INFINITY;

const dayOf = (time: Date | string | null | undefined): string =>
  time ? new Date(time).toISOString().slice(0, 10) : '';
