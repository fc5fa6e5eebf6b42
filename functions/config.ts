import { isModelSource, MODEL_SOURCE_FAULT } from './core/model-source.ts';
import { MIN_WINDOW } from './core/passages.ts';

/** Reads one setting from its text, undefined where it is not set; throws an Error whose message says what is wrong. */
type Reader<T> = (value: string | undefined) => T;

const refuse = (message: string): never => {
  throw new Error(message);
};

const within =
  (what: string, min: number, max: number, fallback: number, isKind: (n: number) => boolean): Reader<number> =>
  (value) => {
    if (value === undefined) return fallback;
    const n = value.trim() === '' ? Number.NaN : Number(value);
    return isKind(n) && n >= min && n <= max ? n : refuse(`must be a ${what} from ${min} to ${max}`);
  };

const whole = (min: number, max: number, fallback: number) =>
  within('whole number', min, max, fallback, Number.isInteger);

const isNumber = (n: number) => !Number.isNaN(n);

const required =
  (what: string, form?: RegExp, formFault = ''): Reader<string> =>
  (value) => {
    if (value === undefined) return refuse(`is missing: ${what}`);
    return form === undefined || form.test(value) ? value : refuse(formFault);
  };

const optional =
  (fallback: string, form?: RegExp, formFault = ''): Reader<string> =>
  (value) =>
    value === undefined || form === undefined || form.test(value) ? (value ?? fallback) : refuse(formFault);

const oneOf =
  <T extends string>(first: T, ...others: T[]): Reader<T> =>
  (value) =>
    value === undefined
      ? first
      : ([first, ...others].find((known) => known === value) ?? refuse(`must be ${[first, ...others].join(' or ')}`));

/** An http(s) address, or a JWKS as JSON with at least one key. */
const keySet: Reader<string> = (value) => {
  if (value === undefined) return refuse('is missing: the address of a JWKS, or the JWKS itself');
  if (/^https?:\/\//.test(value)) return URL.canParse(value) ? value : refuse('is not a valid address');
  try {
    const { keys } = JSON.parse(value) as { keys?: unknown };
    if (Array.isArray(keys) && keys.length > 0) return value;
  } catch {
    // Told below.
  }
  return refuse('must be http(s)://… or a JWKS as JSON: {"keys":[…]}');
};

/** A time as RFC 3339 has it, or ''. */
const time: Reader<string> = (value = '') =>
  value === '' ||
  (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value)))
    ? value
    : refuse('must be a time such as 2030-01-31T12:00:00Z');

const ENCODER_ADDRESS =
  /^(database$|unix:\/|https?:\/\/|oci:[a-z]+-[a-z]+-\d+:ocid1\.(compartment|tenancy)\.[\w.-]+$|folder:.)/;
const ENCODER_ADDRESS_FAULT =
  'must be database, unix:/path, http://host:port, oci:<region>:<compartment OCID> or folder:/path';

const COMPARTMENT = /^ocid1\.(compartment|tenancy)\.[\w.-]+$/;
const COMPARTMENT_FAULT = 'must be the OCID of a compartment';

const ORACLE_NAME = /^[A-Z][A-Z0-9_]{0,29}$/;
const ORACLE_NAME_FAULT = 'must be an Oracle name: A-Z, 0-9 and _, a letter first, at most 30';

/**
 * Every knob: its environment name, its default, its limits. Plain readers rather than a schema, since each cold call
 * reads them.
 */
const SETTINGS = {
  /**
   * Where the records are: oracle: and a connect string (a descriptor, host:port/service, an alias of the wallet's
   * tnsnames.ora), or postgres://user:password@host/database (?host=/folder for a Unix socket).
   */
  RAG_DATABASE: required(
    'a database address, oracle:… or postgres://…',
    /^(postgres(ql)?:\/\/|oracle:.)/,
    'must start with oracle: or postgres://',
  ),
  /** PostgreSQL: how words are ranked, by its own full-text search, or by BM25 where it has the extension pg_textsearch. */
  RAG_TEXT_INDEX: oneOf('fulltext', 'bm25'),
  /** Connections a function process holds at most; an Always Free database has 30 for everybody. */
  RAG_DATABASE_POOL_MAX: whole(1, 20, 2),
  /** Oracle: as whom the functions log in, and the password, or vault:<OCID of the secret that holds it>. */
  RAG_DATABASE_USER: optional('RAG_RUNTIME', ORACLE_NAME, ORACLE_NAME_FAULT),
  RAG_DATABASE_PASSWORD: optional(''),
  /** Instead of the password, a token of the function's resource principal for urn:oracle:db::id::<compartment>::<database>. */
  RAG_DATABASE_TOKEN_SCOPE: optional(
    '',
    /^urn:oracle:db::id::[^*]+$/,
    'must be urn:oracle:db::id::<compartment>::<database>',
  ),
  /** For mutual TLS: the folder with ewallet.pem and tnsnames.ora. */
  RAG_DATABASE_WALLET: optional(''),
  RAG_DATABASE_WALLET_PASSWORD: optional(''),
  /** Who owns tables and model; bootstrap logs in so. */
  RAG_DATABASE_OWNER: optional('RAG_OWNER', ORACLE_NAME, ORACLE_NAME_FAULT),
  RAG_DATABASE_OWNER_PASSWORD: optional(''),
  /** Who makes the two users above, in bootstrap; empty where they are there. */
  RAG_DATABASE_ADMIN_USER: optional('', ORACLE_NAME, ORACLE_NAME_FAULT),
  RAG_DATABASE_ADMIN_PASSWORD: optional(''),
  /** One log line for each call of the database driver. */
  RAG_DATABASE_TRACE: oneOf('false', 'true'),
  RAG_EMBEDDING_MODEL: required("the embedding model's name"),
  /** Where the model is: in the Oracle database, or behind an encoder's address. */
  RAG_EMBEDDING_URL: required(
    'database, or the address of the encoder, unix:/path or http://host:port',
    ENCODER_ADDRESS,
    ENCODER_ADDRESS_FAULT,
  ),
  /**
   * Where bootstrap has the model from, if the database lacks it: a pre-authenticated https URL of its .onnx file (or
   * vault:<OCID>), or DIRECTORY:file of the database server.
   */
  RAG_EMBEDDING_MODEL_SOURCE: optional(''),
  /** Until when that URL can be read; the drain reports the hours that are left. */
  RAG_EMBEDDING_MODEL_SOURCE_EXPIRES: time,
  /** The numbers in one of its vectors. */
  RAG_EMBEDDING_DIMENSION: whole(1, 65_535, 384),
  /** What languages it understands: English alone, or any, which is the default for a model of OCI Generative AI. */
  RAG_EMBEDDING_LANGUAGES: oneOf('en', 'any'),
  /** The longest passage, in characters, that the embedding model reads to its end. */
  RAG_EMBEDDING_WINDOW: whole(MIN_WINDOW, 8000, 600),
  /**
   * The model that is to take the place of RAG_EMBEDDING_MODEL: its chunks are made and kept beside the current ones,
   * and answer nothing yet. Empty for none.
   */
  RAG_EMBEDDING_NEXT_MODEL: optional(''),
  /** Its encoder; empty where it is that of RAG_EMBEDDING_URL. */
  RAG_EMBEDDING_NEXT_URL: optional('', ENCODER_ADDRESS, ENCODER_ADDRESS_FAULT),
  RAG_EMBEDDING_NEXT_MODEL_SOURCE: optional(''),
  RAG_EMBEDDING_NEXT_DIMENSION: whole(1, 65_535, 384),
  RAG_EMBEDDING_NEXT_WINDOW: whole(MIN_WINDOW, 8000, 600),
  RAG_RETRIEVAL_TOP_K: whole(1, 50, 8),
  /** The cosine distance beyond which nothing is near; it belongs to the embedding model. */
  RAG_RETRIEVAL_CUTOFF: within('number', 0, 2, 0.8, isNumber),
  /** What the likeness of meaning counts against that of words, from 0 to 1; see calibrate. */
  RAG_RETRIEVAL_VECTOR_WEIGHT: within('number', 0, 1, 0.6, isNumber),
  /**
   * The share of a question's words, by their rarity, from which on a passage that has them is near, whatever its distance;
   * above 1: never. Measured (docs/retrieval.md): nearly all questions on a corpus reach the default, few on another subject.
   */
  RAG_RETRIEVAL_WORD_COVERAGE: within('number', 0, 2, 0.3, isNumber),
  /** The most sections of one source among those that are looked at; 0 for any number. */
  RAG_RETRIEVAL_MAX_PER_SOURCE: whole(0, 50, 0),
  RAG_WORKER_BATCH_SIZE: whole(1, 500, 32),
  RAG_WORKER_MAX_ATTEMPTS: whole(1, 50, 5),
  /** How long a claim holds; a killed drain's rows come back after it. */
  RAG_WORKER_LEASE_SECONDS: whole(1, 3600, 60),
  RAG_BACKFILL_ON_STARTUP: oneOf('true', 'false'),
  /**
   * Who answers: nobody (`extractive`: the sources' own sentences), a model of OCI Generative AI (oci:<model id>), or one
   * behind an API of OpenAI's kind (openai:<model id>).
   */
  RAG_ANSWER_MODEL: optional(
    'extractive',
    /^(extractive|oci:[\w.-]+|openai:\S+)$/,
    'must be extractive, oci:<model id> or openai:<model id>',
  ),
  /** For oci: the region of Generative AI, which need not be that of the functions, and the compartment that pays. */
  RAG_ANSWER_REGION: optional('', /^[a-z]+-[a-z]+-\d+$/, 'must be a region such as us-chicago-1'),
  RAG_ANSWER_COMPARTMENT: optional('', COMPARTMENT, COMPARTMENT_FAULT),
  /** For openai: what /chat/completions follows, such as http://127.0.0.1:11434/v1, and the key, or vault:<OCID>. */
  RAG_ANSWER_URL: optional('', /^https?:\/\/\S+$/, 'must be http(s)://…'),
  RAG_ANSWER_API_KEY: optional(''),
  /** The longest answer, and the longest prompt with its sources, in tokens. */
  RAG_ANSWER_MAX_TOKENS: whole(16, 16_000, 800),
  RAG_ANSWER_PROMPT_TOKENS: whole(1000, 1_000_000, 6000),
  /** Whether the texts of questions and answers are kept in the question log; everything else about them is. */
  RAG_LOG_TEXT: oneOf('true', 'false'),
  /** The days after which questions leave the log; 0 keeps them for ever. */
  RAG_LOG_RETENTION_DAYS: whole(0, 3650, 90),
  /** Calls of a language model a day (UTC), by everybody together; 0 for no limit. */
  RAG_LIMIT_MODEL_CALLS_PER_DAY: whole(0, 1_000_000_000, 0),
  /** The same for each person. */
  RAG_LIMIT_MODEL_CALLS_PER_PERSON: whole(0, 1_000_000_000, 0),
  RAG_AUTH_ISSUER: required("the token issuer, as in the token's iss claim"),
  RAG_AUTH_AUDIENCE: required("the audience, as in the token's aud claim"),
  /** The issuer's public keys. */
  RAG_AUTH_JWKS: keySet,
  /** The claim that names the person; its value is EMPLOYEE.SUBJECT. */
  RAG_AUTH_EMPLOYEE_CLAIM: optional('sub'),
  /**
   * Where a detached drain is started: unix:/path#/path, http://host:port/path, or oci:<invoke endpoint>/<OCID of the
   * drain function>; empty for none.
   */
  RAG_NUDGE_URL: optional(
    '',
    /^(unix:\/|http:\/\/|oci:https:\/\/[\w.-]+\/ocid1\.fnfunc\.[\w.-]+$)/,
    'must be unix:/path#/path, http://host:port/path or oci:https://<invoke endpoint>/<OCID of the drain function>',
  ),
  /** Where figures go: to the log, or to OCI Monitoring by oci:<namespace>:<OCID of a compartment>. */
  RAG_METRICS: optional(
    'log',
    /^(log|oci:(?!oci_|oracle_)[A-Za-z]\w*:ocid1\.(compartment|tenancy)\.[\w.-]+)$/,
    'must be log or oci:<namespace>:<compartment OCID>, the namespace of letters, digits and _, not oci_… or oracle_…',
  ),
  /** The folder that holds postgres/V1__….sql and so on. */
  RAG_MIGRATIONS: required('the folder of the migrations'),
} satisfies Record<string, Reader<string | number>>;

export type Config = { [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]> };

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

/** What is wrong with settings that are right each by itself. */
function contradictions(config: Config): string[] {
  const isOracle = config.RAG_DATABASE.startsWith('oracle:');
  const faults = isOracle ? oracleContradictions(config) : [];
  faults.push(...answerModelContradictions(config));
  const next = config.RAG_EMBEDDING_NEXT_MODEL;
  const models: [string, string, string][] = [['RAG_EMBEDDING', config.RAG_EMBEDDING_MODEL, config.RAG_EMBEDDING_URL]];
  if (next !== '') models.push(['RAG_EMBEDDING_NEXT', next, config.RAG_EMBEDDING_NEXT_URL || config.RAG_EMBEDDING_URL]);
  for (const [prefix, model, url] of models) {
    if (url !== 'database') continue;
    if (!isOracle) faults.push(`${prefix}_URL is database, but RAG_DATABASE is no Oracle database, which could embed`);
    if (!/^[A-Za-z][A-Za-z0-9_]{0,122}$/.test(model)) {
      faults.push(`${prefix}_MODEL must be an Oracle name (letters, digits, _), since the model is in the database`);
    }
  }
  // In a database, names have no case.
  if (next !== '' && next.toUpperCase() === config.RAG_EMBEDDING_MODEL.toUpperCase()) {
    faults.push('RAG_EMBEDDING_NEXT_MODEL must be another model than RAG_EMBEDDING_MODEL, or empty');
  }
  return faults;
}

function answerModelContradictions(config: Config): string[] {
  const model = config.RAG_ANSWER_MODEL;
  const missing = (names: (keyof Config)[]) =>
    names
      .filter((name) => config[name] === '')
      .map((name) => `${name} is missing, though RAG_ANSWER_MODEL is ${model}`);
  if (model.startsWith('oci:')) return missing(['RAG_ANSWER_REGION', 'RAG_ANSWER_COMPARTMENT']);
  if (model.startsWith('openai:')) return missing(['RAG_ANSWER_URL']);
  return [];
}

const VAULT_SETTINGS = [
  'RAG_DATABASE_PASSWORD',
  'RAG_DATABASE_OWNER_PASSWORD',
  'RAG_DATABASE_ADMIN_PASSWORD',
  'RAG_DATABASE_WALLET_PASSWORD',
  'RAG_ANSWER_API_KEY',
] as const;

function oracleContradictions(config: Config): string[] {
  const faults: string[] = [];
  const fault = (when: boolean, text: string) => {
    if (when) faults.push(text);
  };
  const { RAG_DATABASE_PASSWORD: password, RAG_DATABASE_TOKEN_SCOPE: scope } = config;
  fault(
    /^oracle:[^(]*@/.test(config.RAG_DATABASE),
    'RAG_DATABASE must not hold a user or a password: they are RAG_DATABASE_USER and RAG_DATABASE_PASSWORD',
  );
  fault(
    password === '' && scope === '',
    'RAG_DATABASE_PASSWORD is missing: the password, vault:<OCID>, or RAG_DATABASE_TOKEN_SCOPE instead',
  );
  fault(password !== '' && scope !== '', 'RAG_DATABASE_PASSWORD must be empty where RAG_DATABASE_TOKEN_SCOPE is set');
  fault(
    config.RAG_DATABASE_OWNER === config.RAG_DATABASE_USER,
    'RAG_DATABASE_USER must be another than RAG_DATABASE_OWNER, whom no row policy keeps from altering it',
  );
  fault(
    config.RAG_DATABASE_ADMIN_USER !== '' && config.RAG_DATABASE_ADMIN_PASSWORD === '',
    'RAG_DATABASE_ADMIN_PASSWORD is missing, though RAG_DATABASE_ADMIN_USER is set',
  );
  fault(
    config.RAG_DATABASE_WALLET === '' && config.RAG_DATABASE_WALLET_PASSWORD !== '',
    'RAG_DATABASE_WALLET is missing, though RAG_DATABASE_WALLET_PASSWORD is set',
  );
  for (const name of VAULT_SETTINGS) {
    const value = config[name];
    fault(
      /^vault:/i.test(value) && !/^vault:ocid1\.\S+$/.test(value),
      `${name} must be vault: and the OCID of a secret, vault:ocid1.…`,
    );
  }
  for (const name of ['RAG_EMBEDDING_MODEL_SOURCE', 'RAG_EMBEDDING_NEXT_MODEL_SOURCE'] as const) {
    fault(config[name] !== '' && !isModelSource(config[name]), `${name} ${MODEL_SOURCE_FAULT}`);
  }
  return faults;
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
