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

const required =
  (what: string, form?: RegExp, formFault = ''): Reader<string> =>
  (value) => {
    if (value === undefined) return refuse(`is missing: ${what}`);
    return form === undefined || form.test(value) ? value : refuse(formFault);
  };

const optional =
  (fallback: string): Reader<string> =>
  (value) =>
    value ?? fallback;

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

/**
 * Every knob: its environment name, its default, its limits. Plain readers rather than a schema, since each cold call
 * reads them.
 */
const SETTINGS = {
  /** Where the records are: postgres://user:password@host/database (?host=/folder for a Unix socket). */
  RAG_DATABASE: required('a database address, postgres://…', /^postgres(ql)?:\/\//, 'must start with postgres://'),
  /** Connections a function process holds at most. */
  RAG_DATABASE_POOL_MAX: whole(1, 20, 4),
  RAG_EMBEDDING_MODEL: required("the embedding model's name"),
  /** The encoder. */
  RAG_EMBEDDING_URL: required(
    'the address of the encoder, unix:/path or http://host:port',
    /^(unix:\/|https?:\/\/)/,
    'must be unix:/path or http://host:port',
  ),
  /** The numbers in one of its vectors. */
  RAG_EMBEDDING_DIMENSION: whole(1, 65_535, 384),
  /** The longest passage, in characters, that the embedding model reads to its end. */
  RAG_EMBEDDING_WINDOW: whole(MIN_WINDOW, 8000, 600),
  RAG_RETRIEVAL_TOP_K: whole(1, 50, 8),
  /** The cosine distance beyond which nothing is near; it belongs to the embedding model. */
  RAG_RETRIEVAL_CUTOFF: within('number', 0, 2, 0.8, (n) => !Number.isNaN(n)),
  RAG_WORKER_BATCH_SIZE: whole(1, 500, 32),
  RAG_WORKER_MAX_ATTEMPTS: whole(1, 50, 5),
  /** How long a claim holds; a killed drain's rows come back after it. */
  RAG_WORKER_LEASE_SECONDS: whole(1, 3600, 60),
  RAG_BACKFILL_ON_STARTUP: oneOf('true', 'false'),
  RAG_ANSWER_MODEL: oneOf('extractive'),
  RAG_AUTH_ISSUER: required("the token issuer, as in the token's iss claim"),
  RAG_AUTH_AUDIENCE: required("the audience, as in the token's aud claim"),
  /** The issuer's public keys. */
  RAG_AUTH_JWKS: keySet,
  /** The claim that names the person; its value is EMPLOYEE.SUBJECT. */
  RAG_AUTH_EMPLOYEE_CLAIM: optional('sub'),
  /** Where a detached drain is started: unix:/path#/path or http://host:port/path; empty for none. */
  RAG_NUDGE_URL: optional(''),
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
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.fromEntries(values) as Config;
}
