import { existsSync } from 'node:fs';
import { type Account, readAccount } from './account.ts';
import { readFunctionSettings } from './function-settings.ts';
import { genaiRegionBeside, modelFaults, readAnswerModel } from './models.ts';
import type { Missing } from './placeholders.ts';

type Env = Record<string, string | undefined>;

/** Reads a setting from its text, or throws an Error that says what is wrong. */
type Reader<T> = (text: string) => T;

interface Setting<T> {
  /** The environment variable that overrides deployment.ts. */
  env: string;
  fallback: T;
  read: Reader<T>;
  what: string;
}

const setting = <T>(env: string, fallback: T, read: Reader<T>, what: string): Setting<T> => ({
  env,
  fallback,
  read,
  what,
});

const refuse = (message: string): never => {
  throw new Error(message);
};

const matching =
  (form: RegExp, fault: string): Reader<string> =>
  (text) =>
    form.test(text) ? text : refuse(fault);

const whole =
  (min: number, max: number): Reader<number> =>
  (text) => {
    const n = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return n >= min && n <= max ? n : refuse(`must be a whole number from ${min} to ${max}`);
  };

const oneOf =
  <T extends string | number>(...values: T[]): Reader<T> =>
  (text) =>
    values.find((value) => String(value) === text) ?? refuse(`must be one of ${values.join(', ')}`);

const flag: Reader<boolean> = (text) => oneOf('true', 'false')(text) === 'true';

const listOf =
  (item: Reader<string>): Reader<string[]> =>
  (text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map((part) => {
        try {
          return item(part);
        } catch (error) {
          return refuse(`"${part}" ${(error as Error).message}`);
        }
      });

const ocid = (kind: string) =>
  matching(new RegExp(`^ocid1\\.(${kind})\\.[\\w.-]+$`), `must be an OCID, ocid1.${kind.split('|')[0]}.…`);
const region = matching(/^[a-z]{2,}(-[a-z]+)+-\d+$/, 'must be a region identifier such as eu-frankfurt-1');
/** The gateway's and the functions' networks let them out to port 443 alone. */
const https: Reader<string> = (text) => (URL.canParse(text) ? httpsOnly(text) : refuse('is not a valid address'));
const httpsOnly = matching(/^https:\/\/[^\s/:@]+(:443)?(\/\S*)?$/, 'must be an address, https://…, on port 443');
const withoutQuery = matching(/^[^?#]*$/, 'must be an address without ? and #');
const cidr: Reader<string> = (text) => {
  const [, ...parts] = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\/(\d{1,2}))?$/.exec(text) ?? [];
  const bits = Number(parts.pop() ?? 32);
  const value = parts.reduce((sum, part) => sum * 256 + Number(part), 0);
  // The service refuses a range with bits beyond its length.
  const isAddress =
    parts.length === 4 && parts.every((part) => Number(part) <= 255) && bits <= 32 && value % 2 ** (32 - bits) === 0;
  return isAddress ? text : refuse('must be an IPv4 address or range, such as 203.0.113.7 or 203.0.113.0/24');
};

/** OCI Functions has these sizes. */
const memory = oneOf(128, 256, 512, 1024, 2048, 3072);

/** Every setting of a deployment: its environment variable, its default, its limits, and what it is. */
const SETTINGS = {
  name: setting(
    'DEPLOY_NAME',
    'oci-rag',
    matching(/^[a-z][a-z0-9-]{1,19}$/, 'must be 2 to 20 lower-case letters, digits and -, a letter first'),
    'the name that all resources begin with; two deployments in one tenancy need two names',
  ),
  profile: setting(
    'DEPLOY_PROFILE',
    '',
    matching(/^[\w.-]+$/, 'must be the name of a profile'),
    'the profile of ~/.oci/config; empty for the provider’s own choice',
  ),
  tenancyId: setting('DEPLOY_TENANCY', '', ocid('tenancy'), 'the tenancy; empty for the account’s'),
  compartmentId: setting(
    'DEPLOY_COMPARTMENT',
    '',
    ocid('compartment|tenancy'),
    'where everything is made; empty for the tenancy’s root',
  ),
  region: setting('DEPLOY_REGION', '', region, 'the region; empty for the account’s'),
  homeRegion: setting('DEPLOY_HOME_REGION', '', region, 'the tenancy’s home region; empty where it is the region'),
  alwaysFree: setting('DEPLOY_ALWAYS_FREE', true, flag, 'refuse what would leave Always Free'),
  operatorCidrs: setting(
    'DEPLOY_OPERATOR_CIDRS',
    [] as string[],
    listOf(cidr),
    'from where operators may reach the database, besides the functions',
  ),
  operatorEmails: setting(
    'DEPLOY_OPERATOR_EMAILS',
    [] as string[],
    listOf(matching(/^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/, 'must be an e-mail address')),
    'who hears of alarms; each confirms once',
  ),
  authIssuer: setting('DEPLOY_AUTH_ISSUER', '', matching(/^\S+$/, 'must have no spaces'), 'the token issuer (iss)'),
  authAudience: setting('DEPLOY_AUTH_AUDIENCE', '', matching(/^\S+$/, 'must have no spaces'), 'the audience (aud)'),
  authJwks: setting('DEPLOY_AUTH_JWKS', '', https, 'the issuer’s public keys, readable without a login'),
  authEmployeeClaim: setting(
    'DEPLOY_AUTH_EMPLOYEE_CLAIM',
    'sub',
    matching(/^[\w.:/-]+$/, 'must be the name of a claim'),
    'the claim that names the person',
  ),
  requestsPerSecond: setting('DEPLOY_REQUESTS_PER_SECOND', 10, whole(1, 1000), 'what one client address may send'),
  corsOrigins: setting(
    'DEPLOY_CORS_ORIGINS',
    [] as string[],
    listOf(matching(/^(\*|https?:\/\/[^\s/]+)$/, 'must be an origin such as https://app.example.com')),
    'the web pages that may call the API; none by default',
  ),
  memoryMb: setting('DEPLOY_MEMORY_MB', 1024 as 128 | 256 | 512 | 1024 | 2048 | 3072, memory, 'of each function'),
  poolMax: setting('DEPLOY_POOL_MAX', 2, whole(1, 20), 'database sessions that one function instance holds at most'),
  maxInstances: setting(
    'DEPLOY_MAX_INSTANCES',
    12,
    whole(4, 1000),
    'function instances that run at once at your busiest time; what the database’s sessions are counted for',
  ),
  provisionedConcurrency: setting(
    'DEPLOY_PROVISIONED_CONCURRENCY',
    0,
    whole(0, 400),
    'instances of ask that are kept warm, billed while they idle',
  ),
  databaseName: setting(
    'DEPLOY_DATABASE_NAME',
    '',
    matching(/^[A-Za-z][A-Za-z0-9]{0,29}$/, 'must be 1 to 30 letters and digits, a letter first'),
    'unique in the tenancy; empty for the deployment’s name in capitals',
  ),
  databaseVersion: setting('DEPLOY_DATABASE_VERSION', '26ai' as string, oneOf('26ai'), 'of Oracle Database'),
  databaseEcpus: setting('DEPLOY_DATABASE_ECPUS', 2, whole(2, 512), 'of the database'),
  databaseStorageGb: setting('DEPLOY_DATABASE_STORAGE_GB', 20, whole(20, 393_216), 'of the database'),
  databaseAutoScaling: setting('DEPLOY_DATABASE_AUTO_SCALING', false, flag, 'of the database’s ECPUs and storage'),
  databasePrivateEndpoint: setting(
    'DEPLOY_DATABASE_PRIVATE_ENDPOINT',
    false,
    flag,
    'the database is reached inside the network alone',
  ),
  privateVault: setting('DEPLOY_PRIVATE_VAULT', false, flag, 'a vault with hardware of its own'),
  functionImage: setting(
    'FUNCTION_IMAGE',
    '',
    matching(
      /^[a-z0-9-]+\.ocir\.io\/[\w-]+\/[a-z0-9][a-z0-9._/-]*:[\w][\w.-]*(@sha256:[0-9a-f]{64})?$/,
      'must be <region>.ocir.io/<namespace>/<repository>:<tag>, with or without @sha256:<digest>',
    ),
    'an image that exists; empty to build one where Docker runs',
  ),
  answerModel: setting(
    'DEPLOY_ANSWER_MODEL',
    '',
    readAnswerModel,
    'who answers: extractive (the sources’ own sentences), a chat model of Generative AI by its id, or openai:<model id>',
  ),
  genaiRegion: setting('DEPLOY_GENAI_REGION', '', region, 'of Generative AI; empty for the region, where that has it'),
  answerUrl: setting(
    'DEPLOY_ANSWER_URL',
    '',
    (text) => withoutQuery(https(text)),
    'for openai: what /chat/completions follows',
  ),
  answerApiKeySecret: setting(
    'DEPLOY_ANSWER_API_KEY_SECRET',
    '',
    matching(
      /^ocid1\.vaultsecret\.[\w.-]+$/,
      'must be the OCID of a Vault secret that holds the key, ocid1.vaultsecret.…: the key itself would be kept in Terraform’s state',
    ),
    'for openai: the secret that holds the API’s key, in the compartment; empty where it needs none',
  ),
  modelLinkHours: setting('DEPLOY_MODEL_LINK_HOURS', 72, whole(2, 8760), 'how long the link to the model file lasts'),
  modelLink: setting('DEPLOY_MODEL_LINK', 1, whole(1, 1_000_000), 'another number makes a new link to the model file'),
  functionSettings: setting(
    'DEPLOY_FUNCTION_SETTINGS',
    {} as Record<string, string>,
    readFunctionSettings,
    'settings of the functions themselves, as RAG_RETRIEVAL_CUTOFF=0.75,RAG_RETRIEVAL_TOP_K=6',
  ),
  monthlyBudget: setting('DEPLOY_MONTHLY_BUDGET', 0, whole(0, 1_000_000), 'in the tenancy’s currency; 0 for none'),
  logRetentionDays: setting(
    'DEPLOY_LOG_RETENTION_DAYS',
    30,
    oneOf(30, 60, 90, 120, 150, 180) as Reader<number>,
    'of logs',
  ),
  preventDestroy: setting(
    'DEPLOY_PREVENT_DESTROY',
    false,
    flag,
    'Terraform refuses to destroy the database, the documents and the vault',
  ),
  placeholders: setting(
    'DEPLOY_PLACEHOLDERS',
    false,
    flag,
    'lets placeholders take the place of what is deployed, as before it is destroyed',
  ),
  keep: setting('DEPLOY_KEEP', 'all' as 'all' | 'data', oneOf('all', 'data'), 'data: everything but the data goes'),
  stateBucket: setting(
    'DEPLOY_STATE_BUCKET',
    '',
    matching(/^[\w.-]+$/, 'must be the name of a bucket'),
    'keep Terraform’s state there (Terraform 1.12 or newer); empty for a local file',
  ),
  stateNamespace: setting(
    'DEPLOY_STATE_NAMESPACE',
    '',
    matching(/^[\w-]+$/, 'must be the Object Storage namespace'),
    'of that bucket',
  ),
} as const;

type Settings = { -readonly [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name]['fallback'] };

/** What deployment.ts may say. */
export type Deployment = Partial<Settings>;

/** A whole, valid deployment, and what in it stands for something that is not there yet. */
export interface ResolvedDeployment extends Settings {
  /** What is missing for a real deployment. */
  missing: Missing[];
}

/** Thrown once for all faults. */
export class DeploymentError extends Error {
  constructor(readonly faults: string[]) {
    super(`The deployment has ${faults.length} fault${faults.length === 1 ? '' : 's'}:\n  ${faults.join('\n  ')}`);
    this.name = 'DeploymentError';
  }
}

const PLACEHOLDERS = {
  tenancyId: 'ocid1.tenancy.oc1..placeholder',
  region: 'us-ashburn-1',
  authIssuer: 'https://issuer.example.invalid/',
  authAudience: 'audience.example.invalid',
  authJwks: 'https://issuer.example.invalid/jwks',
} as const;

/** What begins an expression in Terraform's texts. */
const TEMPLATE = /[$%]\{/;

/** Puts deployment.ts, the environment and the account together; throws a {@link DeploymentError} for all faults. */
export function readDeployment(given: Deployment, env: Env): ResolvedDeployment {
  const faults: string[] = [];
  const entries = Object.entries(SETTINGS) as [keyof Settings, Setting<unknown>][];
  const values = entries.map(([name, { env: variable, fallback, read }]) => {
    const override = env[variable];
    const [source, text] =
      override !== undefined && override !== ''
        ? [variable, override]
        : [`${name} in deployment.ts`, toText(given[name])];
    if (text === undefined || text === '') return [name, fallback];
    try {
      if (TEMPLATE.test(text)) throw new Error('must not hold ${ or %{, which Terraform would take for an expression');
      return [name, read(text)];
    } catch (error) {
      faults.push(`${source} ${(error as Error).message}`);
      return [name, fallback];
    }
  });
  const known = new Set<string>([...entries.map(([, { env: variable }]) => variable)]);
  for (const variable of Object.keys(env)) {
    if (variable.startsWith('DEPLOY_') && !known.has(variable))
      faults.push(`${variable} is not a setting of a deployment`);
  }
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(SETTINGS, name)) faults.push(`${name} in deployment.ts is not a setting of a deployment`);
  }
  const settings = Object.fromEntries(values) as Settings;
  const account = readAccount(env, settings.profile);
  if (account.fault !== null) faults.push(account.fault);
  for (const name of ['tenancyId', 'region'] as const) {
    try {
      if (account[name] !== '') SETTINGS[name].read(account[name]);
    } catch (error) {
      faults.push(`the account's ${name === 'region' ? 'region' : 'tenancy'} ${(error as Error).message}`);
    }
  }
  const resolved = complete(settings, account);
  if (faults.length === 0) faults.push(...contradictions(resolved));
  if (faults.length > 0) throw new DeploymentError(faults);
  return resolved;
}

/** What is not set comes from the account, or else from a placeholder, which is told. */
function complete(settings: Settings, account: Account): ResolvedDeployment {
  const missing: Missing[] = [];
  const orPlaceholder = (name: keyof typeof PLACEHOLDERS, value: string, remedy: string) => {
    if (value === '') missing.push({ what: remedy, placeholder: PLACEHOLDERS[name] });
    return value || PLACEHOLDERS[name];
  };
  const profile = 'no ~/.oci/config says it';
  const tenancyId = orPlaceholder(
    'tenancyId',
    settings.tenancyId || account.tenancyId,
    `the tenancy: ${profile}; set DEPLOY_TENANCY`,
  );
  const region = orPlaceholder(
    'region',
    settings.region || account.region,
    `the region: ${profile}; set DEPLOY_REGION`,
  );
  return {
    ...settings,
    missing,
    tenancyId,
    region,
    profile: settings.profile || account.profile,
    databaseName: settings.databaseName || settings.name.replaceAll('-', '').toUpperCase(),
    compartmentId: settings.compartmentId || tenancyId,
    homeRegion: settings.homeRegion || region,
    genaiRegion: settings.genaiRegion || genaiRegionBeside(region),
    authIssuer: orPlaceholder('authIssuer', settings.authIssuer, 'the token issuer: set DEPLOY_AUTH_ISSUER'),
    authAudience: orPlaceholder('authAudience', settings.authAudience, 'the audience: set DEPLOY_AUTH_AUDIENCE'),
    authJwks: orPlaceholder('authJwks', settings.authJwks, 'the issuer’s public keys: set DEPLOY_AUTH_JWKS'),
  };
}

function contradictions(deployment: ResolvedDeployment): string[] {
  const faults = modelFaults(deployment);
  if ((deployment.stateBucket === '') !== (deployment.stateNamespace === '')) {
    faults.push('DEPLOY_STATE_BUCKET and DEPLOY_STATE_NAMESPACE go together');
  }
  if (deployment.monthlyBudget > 0 && deployment.operatorEmails.length === 0) {
    faults.push('DEPLOY_MONTHLY_BUDGET tells nobody: set DEPLOY_OPERATOR_EMAILS too');
  }
  if (deployment.databasePrivateEndpoint && deployment.operatorCidrs.length > 0) {
    faults.push('DEPLOY_OPERATOR_CIDRS is of no use with a private endpoint, which has no access list');
  }
  const [imageRegion = ''] = deployment.functionImage.split('.');
  const isElsewhere = /^[a-z]+(-[a-z]+)+-\d+$/.test(imageRegion) && imageRegion !== deployment.region;
  const isPlaceholder = deployment.missing.some(({ placeholder }) => placeholder === PLACEHOLDERS.region);
  if (isElsewhere && !isPlaceholder) {
    faults.push(
      `FUNCTION_IMAGE is in ${imageRegion}, but functions take images of their own region, ${deployment.region}`,
    );
  }
  return faults;
}

/** The environment with what deployment.ts says where the environment says nothing. */
export const mergedEnvironment = (given: Deployment, env: Env): Env => {
  const ofFile = Object.entries(given).flatMap(([name, value]) =>
    Object.hasOwn(SETTINGS, name) ? [[SETTINGS[name as keyof Settings].env, toText(value)]] : [],
  );
  const isSet = ([, value]: [string, string | undefined]) => value !== undefined && value !== '';
  return { ...Object.fromEntries(ofFile), ...Object.fromEntries(Object.entries(env).filter(isSet)) };
};

/** The name of the deployment, also where another setting is wrong. */
export const nameOf = (given: Deployment, env: Env): string =>
  mergedEnvironment(given, env)[SETTINGS.name.env] ?? SETTINGS.name.fallback;

function toText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([name, part]) => `${name}=${part}`)
      .join(',');
  }
  return String(value);
}

/** Whether a Docker engine can be asked to build the image, as far as can be seen without asking it. */
export const hasDocker = (env: Env): boolean => (env.DOCKER_HOST ?? '') !== '' || existsSync('/var/run/docker.sock');
