import { DefaultRequestSigner, EndpointBuilder, FetchHttpClient } from 'oci-common';
import type { models } from 'oci-generativeai';
import { fieldsOf } from '../../core/completion.ts';
import { NotInForce, SetupFailed, Unavailable } from '../../core/errors.ts';
import { nearNames } from '../../core/near-names.ts';
import { functionPrincipal, type Principal, toError } from './client.ts';

/** What a model can be asked for. */
export type Capability = 'CHAT' | 'TEXT_EMBEDDINGS';

export interface WantedModel {
  /** The id that calls have, such as cohere.command-a-03-2025, or the model's OCID. */
  model: string;
  capability: Capability;
}

export interface ModelState {
  /** ACTIVE, or else why it cannot be asked. */
  state: string;
  /** When it is served on demand no more; null where that is not told. */
  retiresAt: string | null;
}

interface ModelPage {
  modelCollection: { items: models.ModelSummary[] };
  opcNextPage?: string;
}

/** As GenerativeAiClient of oci-generativeai has it. */
export interface ModelCatalog {
  listModels(request: { compartmentId: string; page?: string }): Promise<ModelPage>;
}

const TIMEOUT_MS = 10_000;
const ENDPOINT = 'https://generativeai.{region}.oci.{secondLevelDomain}';

export interface CatalogOptions {
  region: string;
  principal?: Principal;
  timeoutMs?: number;
  /** Instead of the region's. */
  endpoint?: string;
}

/** The models of a region. The SDK's own client would be a tenth of the functions' image, for this one request. */
export function modelCatalog(options: CatalogOptions): ModelCatalog {
  const { region, principal = functionPrincipal(), timeoutMs = TIMEOUT_MS } = options;
  const signer = new DefaultRequestSigner(principal);
  const endpoint = options.endpoint ?? EndpointBuilder.createEndpointFromRegionId(ENDPOINT, region);
  return {
    async listModels(request) {
      const uri = `${endpoint}/20231130/models?${new URLSearchParams(request)}`;
      const http = new FetchHttpClient(signer, null, { signal: AbortSignal.timeout(timeoutMs) });
      const response = await http.send({ method: 'GET', uri, headers: new Headers() });
      if (!response.ok) throw Object.assign(new Error('refused'), { statusCode: response.status });
      const { items } = fieldsOf(await response.json());
      if (!Array.isArray(items)) throw new Error('the list of models has another shape');
      const next = response.headers.get('opc-next-page');
      return { modelCollection: { items }, ...(next !== null && { opcNextPage: next }) };
    },
  };
}

/** All the models of a region that a compartment may use, those of other capabilities included. */
export async function listModels(catalog: ModelCatalog, compartmentId: string): Promise<models.ModelSummary[]> {
  const found: models.ModelSummary[] = [];
  let page: string | undefined;
  do {
    const answer = await catalog.listModels({ compartmentId, ...(page && { page }) });
    found.push(...answer.modelCollection.items);
    page = answer.opcNextPage;
  } while (page);
  return found;
}

const can = (capability: Capability) => (model: models.ModelSummary) =>
  model.capabilities.some((each) => each === capability);
const isActive = ({ lifecycleState }: models.ModelSummary) => lifecycleState === 'ACTIVE';

/** The time as text; the SDK hands a date on as the text that came. */
const textOf = (time: Date | string | null | undefined): string | null => (time ? new Date(time).toISOString() : null);

const isRetired = ({ timeOnDemandRetired }: models.ModelSummary, now = Date.now()): boolean =>
  Date.parse(textOf(timeOnDemandRetired) ?? '') <= now;

interface FoundModel extends ModelState {
  summary: models.ModelSummary;
}

/**
 * The wanted model among those of a region. Throws a {@link ModelFault} where it is not there, or is not what can be
 * asked so.
 */
export function findModel(all: models.ModelSummary[], { model, capability }: WantedModel): FoundModel {
  const fits = (each: models.ModelSummary) => can(capability)(each) && isActive(each) && !isRetired(each);
  const named = all.filter(({ id, displayName }) => id === model || displayName === model);
  // One name may stand for several entries, of which one is enough.
  const summary = named.find(fits) ?? named.find(can(capability)) ?? named[0];
  if (summary === undefined) {
    const others = [...new Set(all.filter(fits).map(({ displayName, id }) => displayName ?? id))].sort();
    throw new ModelFault('missing', `has no model ${model}`, nearNames(model, others), others);
  }
  if (!can(capability)(summary)) {
    const verb = capability === 'CHAT' ? 'does not chat' : 'does not embed texts';
    throw new ModelFault('unable', `${model} ${verb} (${summary.capabilities.join(', ')})`);
  }
  if (!isActive(summary)) throw new ModelFault('inactive', `${model} is ${summary.lifecycleState}`);
  const retiresAt = textOf(summary.timeOnDemandRetired);
  if (isRetired(summary)) throw new ModelFault('retired', `${model} is retired since ${retiresAt?.slice(0, 10)}`);
  return { summary, state: summary.lifecycleState, retiresAt };
}

/** Why a model cannot be asked; of one that is missing, with the names most like it, and all that could be asked. */
export class ModelFault extends Error {
  constructor(
    readonly kind: 'missing' | 'unable' | 'inactive' | 'retired',
    message: string,
    readonly near: string[] = [],
    readonly others: string[] = [],
  ) {
    super(message);
    this.name = 'ModelFault';
  }
}

/** The settings that a fault of the model is mended with. */
interface ModelSettings {
  model: string;
  region: string;
  compartment: string;
}

interface RequiredModel extends WantedModel {
  compartmentId: string;
  /** The catalog's. */
  region: string;
  settings: ModelSettings;
}

/**
 * Makes sure that a model can be asked. Throws SetupFailed with what to set where it cannot, or may not be looked for
 * (a policy may not be in force yet, which its cause tells); Unavailable where the list of models does not answer.
 */
export async function requireModel(
  catalog: ModelCatalog,
  { compartmentId, region, settings, ...wanted }: RequiredModel,
): Promise<ModelState> {
  let all: models.ModelSummary[];
  try {
    all = await listModels(catalog, compartmentId);
  } catch (thrown) {
    throw refused(thrown, settings);
  }
  try {
    const { state, retiresAt } = findModel(all, wanted);
    return { state, retiresAt };
  } catch (fault) {
    if (!(fault instanceof ModelFault)) throw fault;
    const choice = fault.near.length > 0 ? `; the nearest names are ${fault.near.join(', ')}` : '';
    throw new SetupFailed(
      `${settings.model}: Generative AI in ${region}: ${fault.message}${choice}. Set ${settings.model} to a model that ` +
        `${settings.region} has.`,
      { cause: fault },
    );
  }
}

function refused(thrown: unknown, { region, compartment }: ModelSettings): Error {
  const status = (thrown as { statusCode?: number }).statusCode ?? -1;
  const cause = toError(thrown);
  if (status === 401 || status === 403 || status === 404) {
    const notYet = new NotInForce(`the models of Generative AI cannot be listed (HTTP ${status})`, { cause });
    return new SetupFailed(
      `The models of Generative AI cannot be listed (HTTP ${status}). The tenancy must be subscribed to ${region}, and a ` +
        `policy must let this function inspect generative-ai-model in ${compartment}.`,
      { cause: notYet },
    );
  }
  if (status === -1 || status === 429 || status >= 500) {
    return new Unavailable('The list of the models of Generative AI does not answer', { cause, retryAfterSeconds: 5 });
  }
  return new SetupFailed(`The models of Generative AI cannot be listed (HTTP ${status})`, { cause });
}
