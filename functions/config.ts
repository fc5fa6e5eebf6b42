import { z } from 'zod';
import { MIN_WINDOW } from './core/passages.ts';

const whole = (min: number, max: number, fallback: number) =>
  z.coerce
    .number({ error: `must be a whole number from ${min} to ${max}` })
    .int({ error: `must be a whole number from ${min} to ${max}` })
    .min(min, { error: `must be a whole number from ${min} to ${max}` })
    .max(max, { error: `must be a whole number from ${min} to ${max}` })
    .default(fallback);

const required = (what: string) => z.string({ error: `is missing: ${what}` }).min(1, { error: `is empty: ${what}` });

/** Every knob: its environment name, its default, its limits. */
const schema = z.object({
  /** Where the records are: postgres://user:password@host/database (?host=/folder for a Unix socket). */
  RAG_DATABASE: required('a database address, postgres://…').refine((url) => /^postgres(ql)?:\/\//.test(url), {
    error: 'must start with postgres://',
  }),
  /** Connections a function process holds at most. */
  RAG_DATABASE_POOL_MAX: whole(1, 20, 4),
  RAG_EMBEDDING_MODEL: required("the embedding model's name"),
  /** The encoder: unix:/path/of/socket or http://host:port. */
  RAG_EMBEDDING_URL: required('the address of the encoder, unix:/path or http://host:port').refine(
    (url) => /^(unix:\/|https?:\/\/)/.test(url),
    { error: 'must be unix:/path or http://host:port' },
  ),
  /** The longest passage, in characters, that the embedding model reads to its end. */
  RAG_EMBEDDING_WINDOW: whole(MIN_WINDOW, 8000, 600),
  RAG_RETRIEVAL_TOP_K: whole(1, 50, 8),
  /** The cosine distance beyond which nothing is near; it belongs to the embedding model. */
  RAG_RETRIEVAL_CUTOFF: z.coerce
    .number({ error: 'must be a number from 0 to 2' })
    .min(0, { error: 'must be a number from 0 to 2' })
    .max(2, { error: 'must be a number from 0 to 2' })
    .default(0.8),
  RAG_WORKER_BATCH_SIZE: whole(1, 500, 32),
  RAG_WORKER_MAX_ATTEMPTS: whole(1, 50, 5),
  /** How long a claim holds; a killed drain's rows come back after it. */
  RAG_WORKER_LEASE_SECONDS: whole(1, 3600, 60),
  RAG_BACKFILL_ON_STARTUP: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('true')
    .transform((value) => value === 'true'),
  RAG_ANSWER_MODEL: z.enum(['extractive'], { error: 'must be extractive' }).default('extractive'),
  RAG_AUTH_ISSUER: required("the token issuer, as in the token's iss claim"),
  RAG_AUTH_AUDIENCE: required("the audience, as in the token's aud claim"),
  /** The issuer's public keys: an https address of a JWKS, or the JWKS itself. */
  RAG_AUTH_JWKS: required('a JWKS address or the JWKS itself'),
  /** The claim that names the person; its value is EMPLOYEE.SUBJECT. */
  RAG_AUTH_EMPLOYEE_CLAIM: z.string().min(1).default('sub'),
  /** Where a detached drain is started: unix:/path#function path, or empty for none. */
  RAG_NUDGE_URL: z.string().default(''),
  /** The folder that holds postgres/V1__….sql and so on. */
  RAG_MIGRATIONS: required('the folder of the migrations'),
});

export type Config = z.output<typeof schema>;

/** Thrown once for all faults, so that one look at the log shows everything that must be mended. */
export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(`The configuration has ${faults.length} fault${faults.length === 1 ? '' : 's'}:\n  ${faults.join('\n  ')}`);
    this.name = 'ConfigError';
  }
}

/** Reads the configuration from environment variables; an empty variable counts as not set. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const known = new Set(Object.keys(schema.shape));
  const unknown = Object.keys(set).filter((name) => name.startsWith('RAG_') && !known.has(name));
  const parsed = schema.safeParse(set);
  const faults = [
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`),
    ...unknown.map((name) => `${name} is not a setting of this version`),
  ];
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  return parsed.data;
}
