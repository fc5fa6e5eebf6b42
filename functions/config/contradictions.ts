import { isModelSource, MODEL_SOURCE_FAULT } from '../core/model-source.ts';
import type { Config } from './settings.ts';

/** What is wrong with settings that are right each by itself. */
export function contradictions(config: Config): string[] {
  const isOracle = config.RAG_DATABASE.startsWith('oracle:');
  const faults = isOracle ? oracleContradictions(config) : [];
  faults.push(...vaultFaults(config), ...answerModelContradictions(config), ...storageContradictions(config));
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

/** The settings that are missing, though another one asks for them. */
const missing = (config: Config, names: (keyof Config)[], asking: 'RAG_ANSWER_MODEL' | 'RAG_STORAGE'): string[] =>
  names
    .filter((name) => config[name] === '')
    .map((name) => `${name} is missing, though ${asking} is ${config[asking]}`);

function answerModelContradictions(config: Config): string[] {
  const model = config.RAG_ANSWER_MODEL;
  if (model.startsWith('oci:'))
    return missing(config, ['RAG_ANSWER_REGION', 'RAG_ANSWER_COMPARTMENT'], 'RAG_ANSWER_MODEL');
  if (model.startsWith('openai:')) return missing(config, ['RAG_ANSWER_URL'], 'RAG_ANSWER_MODEL');
  return [];
}

const VAULT_SETTINGS = [
  'RAG_DATABASE_PASSWORD',
  'RAG_DATABASE_OWNER_PASSWORD',
  'RAG_DATABASE_ADMIN_PASSWORD',
  'RAG_DATABASE_WALLET_PASSWORD',
  'RAG_ANSWER_API_KEY',
  'RAG_STORAGE_SECRET_KEY',
] as const;

/** What is wrong with settings that may name a secret of the Vault. */
function vaultFaults(config: Config): string[] {
  return VAULT_SETTINGS.filter((name) => /^vault:/i.test(config[name]) && !/^vault:ocid1\.\S+$/.test(config[name])).map(
    (name) => `${name} must be vault: and the OCID of a secret, vault:ocid1.…`,
  );
}

/** Those of files: where they are kept, and how they are cut. */
function storageContradictions(config: Config): string[] {
  const ofS3 = ['RAG_STORAGE_URL', 'RAG_STORAGE_ACCESS_KEY', 'RAG_STORAGE_SECRET_KEY'] as const;
  const faults = config.RAG_STORAGE.startsWith('s3:') ? missing(config, [...ofS3], 'RAG_STORAGE') : [];
  const { RAG_DOCUMENT_SECTION_SIZE: size, RAG_DOCUMENT_SECTION_OVERLAP: overlap } = config;
  if (overlap > size / 2) {
    faults.push(
      `RAG_DOCUMENT_SECTION_OVERLAP must be at most half of RAG_DOCUMENT_SECTION_SIZE (${Math.floor(size / 2)}), got ${overlap}`,
    );
  }
  return faults;
}

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
  for (const name of ['RAG_EMBEDDING_MODEL_SOURCE', 'RAG_EMBEDDING_NEXT_MODEL_SOURCE'] as const) {
    fault(config[name] !== '' && !isModelSource(config[name]), `${name} ${MODEL_SOURCE_FAULT}`);
  }
  return faults;
}
