import type { OracleSettings } from '../adapters/oracle/open.ts';
import type { SqlSettings } from '../adapters/oracle/sql-settings.ts';
import type { Config } from '../config.ts';
import type { EmbeddingModel } from '../ports/embedder.ts';
import type { Log } from '../ports/platform.ts';
import { IN_OCI, secret } from './setting.ts';

export const isOracle = (config: Config) => config.RAG_DATABASE.startsWith('oracle:');

export function oracleSettings(config: Config, log: Log, modelSource = ''): OracleSettings {
  return {
    connectString: config.RAG_DATABASE.slice('oracle:'.length),
    wallet: config.RAG_DATABASE_WALLET,
    walletPassword: secret(config.RAG_DATABASE_WALLET_PASSWORD),
    owner: config.RAG_DATABASE_OWNER,
    ownerPassword: secret(config.RAG_DATABASE_OWNER_PASSWORD),
    runtime: config.RAG_DATABASE_USER,
    runtimePassword: secret(config.RAG_DATABASE_PASSWORD),
    tokenScope: config.RAG_DATABASE_TOKEN_SCOPE,
    admin: config.RAG_DATABASE_ADMIN_USER,
    adminPassword: secret(config.RAG_DATABASE_ADMIN_PASSWORD),
    poolMax: config.RAG_DATABASE_POOL_MAX,
    sourceOf: (model) =>
      secret(
        model === config.RAG_EMBEDDING_NEXT_MODEL
          ? config.RAG_EMBEDDING_NEXT_MODEL_SOURCE
          : modelSource || config.RAG_EMBEDDING_MODEL_SOURCE,
      )(),
    log,
    trace: config.RAG_DATABASE_TRACE === 'true',
  };
}

export function sqlSettings(config: Config, embeddingModel: EmbeddingModel): SqlSettings {
  return {
    embeddingModel,
    cutoff: config.RAG_RETRIEVAL_CUTOFF,
    topK: config.RAG_RETRIEVAL_TOP_K,
    answer: config.RAG_ANSWER_MODEL.startsWith(IN_OCI)
      ? {
          model: config.RAG_ANSWER_MODEL.slice(IN_OCI.length),
          region: config.RAG_ANSWER_REGION,
          maxTokens: config.RAG_ANSWER_MAX_TOKENS,
        }
      : null,
    keepsText: config.RAG_LOG_TEXT === 'true',
    callsPerDay: config.RAG_LIMIT_MODEL_CALLS_PER_DAY,
    callsPerPerson: config.RAG_LIMIT_MODEL_CALLS_PER_PERSON,
  };
}
