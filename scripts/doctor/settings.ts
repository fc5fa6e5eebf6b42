import { isName } from '../../functions/adapters/oracle/names.ts';
import type { OracleAddress } from '../../functions/adapters/oracle/pool.ts';
import { UserError } from '../user-error.ts';

/** What the doctor needs of the product's settings. */
export interface DoctorSettings {
  address: OracleAddress;
  user: string;
  password: string;
  /** Whose schema holds the product's tables and the embedding model. */
  owner: string;
  model: string;
  /** The longest passage, in characters, that the model is relied on to read to its end. */
  window: number;
}

const PREFIX = 'oracle:';
const POSTGRES = /^postgres(ql)?:/i;
const VAULT = 'vault:';
const DEFAULT_OWNER = 'RAG_OWNER';
const DEFAULT_MODEL = 'ALL_MINILM_L12_V2';
const DEFAULT_WINDOW = '600';

type Env = Record<string, string | undefined>;

/** Reads the settings from environment variables; throws a {@link UserError} that names all that is wrong, and no value. */
export function readSettings(env: Env): DoctorSettings {
  const given = (name: string) => (env[name] === undefined || env[name] === '' ? null : env[name]);
  const faults: string[] = [];
  const required = (name: string, what: string) => {
    const value = given(name);
    if (value === null) faults.push(`${name} is missing: ${what}`);
    return value ?? '';
  };
  const nameOf = (name: string, fallback: string) => {
    const value = (given(name) ?? fallback).toUpperCase();
    if (!isName(value)) faults.push(`${name} must be an Oracle name (A-Z, 0-9, _; a letter first)`);
    return value;
  };
  if (POSTGRES.test(given('RAG_DATABASE') ?? '')) {
    throw new UserError('RAG_DATABASE is a PostgreSQL address: the doctor and its probes are for Oracle Database only');
  }
  const database = required('RAG_DATABASE', `${PREFIX} and a connect string, as the console of the database shows it`);
  if (database !== '' && !(database.startsWith(PREFIX) && database.length > PREFIX.length)) {
    faults.push(`RAG_DATABASE must be ${PREFIX} and a connect string: the doctor looks at Oracle databases`);
  }
  const user = required('RAG_DATABASE_USER', `as whom to log in (the owner, ${DEFAULT_OWNER}, may do most)`);
  const password = required('RAG_DATABASE_PASSWORD', "the user's password");
  if (password.startsWith(VAULT)) {
    faults.push(`RAG_DATABASE_PASSWORD is ${VAULT}…, which is read in the cloud alone; set the password itself`);
  }
  const settings: DoctorSettings = {
    address: {
      connectString: database.slice(PREFIX.length),
      wallet: given('RAG_DATABASE_WALLET') ?? '',
      walletPassword: given('RAG_DATABASE_WALLET_PASSWORD') ?? '',
    },
    user,
    password,
    owner: nameOf('RAG_DATABASE_OWNER', DEFAULT_OWNER),
    model: nameOf('RAG_EMBEDDING_MODEL', DEFAULT_MODEL),
    window: Number(given('RAG_EMBEDDING_WINDOW') ?? DEFAULT_WINDOW),
  };
  if (!Number.isInteger(settings.window) || settings.window < 200 || settings.window > 8000) {
    faults.push('RAG_EMBEDDING_WINDOW must be a whole number from 200 to 8000');
  }
  if (faults.length > 0) throw new UserError(faults.join('\n'));
  return settings;
}

/** What may be printed nowhere; read from the environment itself, so that it is known also where a setting is wrong. */
export const secretsIn = (env: Env): string[] =>
  [
    env.RAG_DATABASE_PASSWORD,
    env.RAG_DATABASE_WALLET_PASSWORD,
    env.RAG_DATABASE_OWNER_PASSWORD,
    env.RAG_DATABASE_ADMIN_PASSWORD,
    env.RAG_EMBEDDING_MODEL_SOURCE,
    env.RAG_STORAGE_ACCESS_KEY,
    env.RAG_STORAGE_SECRET_KEY,
    env.RAG_DATABASE,
    env.RAG_DATABASE?.replace(PREFIX, ''),
  ].filter((secret): secret is string => secret !== undefined && secret !== '');
