import { join } from 'node:path';
import { exit, stderr, stdout } from 'node:process';
import { Figures, logFigures } from './adapters/local/figures.ts';
import type { EmbedderOptions } from './adapters/local/http-embedder.ts';
import { LineLog } from './adapters/local/line-log.ts';
import type { ModelState } from './adapters/oci/model-catalog.ts';
import type { OracleSettings } from './adapters/oracle/open.ts';
import type { SqlSettings } from './adapters/oracle/sql-settings.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { SetupFailed } from './core/errors.ts';
import type { ChatModel } from './ports/chat-model.ts';
import type { Database, Migration, Migrator } from './ports/database.ts';
import type { Embedder, EmbeddingModel } from './ports/embedder.ts';
import type { ModelStore } from './ports/model-store.ts';
import type { Log, Metrics, Nudge, TokenVerifier } from './ports/platform.ts';
import type { VectorIndex } from './ports/vector-index.ts';

/**
 * The parts a function works with, each made when it is first asked for and kept while the process lives: a cold call
 * loads what it needs and nothing else.
 */
export interface Services {
  readonly config: Config;
  log(callId: string): Log;
  metrics: Metrics;
  /** The database, for calls that end with the deadline. */
  database(deadline: Date | null): Promise<Database>;
  /** The index of the current model's vectors; null where the database has none. */
  vectorIndex(): Promise<VectorIndex | null>;
  /**
   * What makes the database fit for the functions; `readMigrations` reads those of a folder under RAG_MIGRATIONS, and
   * `modelSource` takes the place of RAG_EMBEDDING_MODEL_SOURCE, unless it is ''.
   */
  owner(readMigrations: (folder: string) => Promise<Migration[]>, modelSource: string): Promise<DatabaseOwner>;
  embedder(): Promise<Embedder>;
  /** Of the model to come; null where no swap is under way. */
  nextEmbedder(): Promise<Embedder | null>;
  /** The model that answers, by its name; null where none does. */
  chatModel: { model: string; open(): Promise<ChatModel> } | null;
  /** Makes sure that the answering model can be asked; null where none of OCI is configured. */
  requireAnswerModel: (() => Promise<ModelState>) | null;
  verifier(): Promise<TokenVerifier>;
  /** Begins to make what every call needs, without waiting; what fails is made, and told, by the first call. */
  warmUp(): void;
  /** Sends the figures that were reported; where that fails it is logged, and they are lost. */
  flushMetrics(log: Log): Promise<void>;
  /** Starts a drain; where that fails it is logged, and the schedule drains later. */
  nudge(log: Log): Promise<void>;
}

interface DatabaseOwner {
  migrator: Migrator;
  /** Null where no model is in the database. */
  modelStore: ModelStore | null;
  /** Tells stored code that answers in the database what the functions are set to; left out where there is none. */
  writeSqlSettings?: () => Promise<void>;
}

/** The one place that chooses adapters, from the configuration. */
export function createServices(env: Record<string, string | undefined>): Services {
  const config = configOrExit(env);
  const log = (callId: string) => new LineLog(callId, stdout);
  const oracle = once(async () => {
    const { openOracle } = await import('./adapters/oracle/open.ts');
    return openOracle(oracleSettings(config, log('-')));
  });
  const openDatabase = once(async () => {
    if (isOracle(config)) return (await oracle()).database;
    const { PostgresDatabase } = await import('./adapters/postgres/database.ts');
    return PostgresDatabase.open({
      connectionString: config.RAG_DATABASE,
      poolMax: config.RAG_DATABASE_POOL_MAX,
      textIndex: config.RAG_TEXT_INDEX,
      onIdleError: (error) => log('-').warn('database_connection_lost', { reason: error.message }),
    });
  });
  const nudge = once(() => openNudge(config.RAG_NUDGE_URL));
  const services: Services = {
    config,
    log,
    metrics: new Figures(config.RAG_METRICS === 'log' ? logFigures(log('-')) : monitoring(config.RAG_METRICS)),
    database: async (deadline) => (await openDatabase()).within(deadline),
    vectorIndex: async () => (isOracle(config) ? (await oracle()).vectorIndex : null),
    async owner(readMigrations, modelSource) {
      if (isOracle(config)) {
        const { openOracleOwner } = await import('./adapters/oracle/open.ts');
        const opened = await openOracleOwner(oracleSettings(config, log('-'), modelSource), () =>
          readMigrations(join(config.RAG_MIGRATIONS, 'oracle-users')),
        );
        return {
          ...opened,
          writeSqlSettings: async () => opened.writeSqlSettings(sqlSettings(config, await services.embedder())),
        };
      }
      const { PostgresMigrator } = await import('./adapters/postgres/migrator.ts');
      return { migrator: new PostgresMigrator(config.RAG_DATABASE, config.RAG_TEXT_INDEX), modelStore: null };
    },
    embedder: once(() =>
      openEmbedder({
        url: config.RAG_EMBEDDING_URL,
        model: config.RAG_EMBEDDING_MODEL,
        dimension: config.RAG_EMBEDDING_DIMENSION,
        window: config.RAG_EMBEDDING_WINDOW,
      }),
    ),
    nextEmbedder: once(async () => {
      if (config.RAG_EMBEDDING_NEXT_MODEL === '') return null;
      return openEmbedder({
        url: config.RAG_EMBEDDING_NEXT_URL || config.RAG_EMBEDDING_URL,
        model: config.RAG_EMBEDDING_NEXT_MODEL,
        dimension: config.RAG_EMBEDDING_NEXT_DIMENSION,
        window: config.RAG_EMBEDDING_NEXT_WINDOW,
      });
    }),
    chatModel: chatModelOf(config),
    requireAnswerModel: config.RAG_ANSWER_MODEL.startsWith(IN_OCI) ? () => requireAnswerModel(config) : null,
    verifier: once(async () => {
      const { JoseTokenVerifier } = await import('./adapters/jose/token-verifier.ts');
      return new JoseTokenVerifier({
        issuer: config.RAG_AUTH_ISSUER,
        audience: config.RAG_AUTH_AUDIENCE,
        jwks: config.RAG_AUTH_JWKS,
        employeeClaim: config.RAG_AUTH_EMPLOYEE_CLAIM,
      });
    }),
    warmUp() {
      for (const make of [openDatabase, services.verifier, services.embedder]) make().catch(() => {});
    },
    flushMetrics: (callLog) =>
      services.metrics.flush().catch((error: unknown) => callLog.warn('metrics_lost', { reason: String(error) })),
    async nudge(callLog) {
      if (config.RAG_NUDGE_URL === '') return;
      try {
        await (await nudge()).drain();
      } catch (error) {
        callLog.warn('nudge_failed', { reason: String(error) });
      }
    },
  };
  return services;
}

async function openEmbedder(options: EmbedderOptions): Promise<Embedder> {
  if (options.url === 'database') {
    const { DatabaseEmbedder } = await import('./adapters/oracle/embedder.ts');
    return new DatabaseEmbedder(options);
  }
  if (options.url.startsWith(IN_OCI)) {
    const { GenerativeAiEmbedder } = await import('./adapters/oci/embedder.ts');
    const [, region = '', compartmentId = ''] = options.url.split(':');
    return new GenerativeAiEmbedder({ ...options, ...(await generativeAi(region, compartmentId)) });
  }
  if (options.url.startsWith('folder:')) {
    const { FolderEmbedder } = await import('./adapters/local/folder-embedder.ts');
    return FolderEmbedder.open(options);
  }
  const { HttpEmbedder } = await import('./adapters/local/http-embedder.ts');
  return new HttpEmbedder(options);
}

function chatModelOf(config: Config): Services['chatModel'] {
  const [, provider, model = ''] = /^(oci|openai):(.+)$/.exec(config.RAG_ANSWER_MODEL) ?? [];
  return provider === undefined ? null : { model, open: once(() => openChatModel(config, provider, model)) };
}

async function openChatModel(config: Config, provider: string, model: string): Promise<ChatModel> {
  if (provider === 'oci') {
    const { GenerativeAiChatModel } = await import('./adapters/oci/chat-model.ts');
    return new GenerativeAiChatModel({
      model,
      ...(await generativeAi(config.RAG_ANSWER_REGION, config.RAG_ANSWER_COMPARTMENT)),
    });
  }
  const { OpenAiChatModel } = await import('./adapters/openai/chat-model.ts');
  return new OpenAiChatModel({
    model,
    url: config.RAG_ANSWER_URL,
    apiKey: secret(config.RAG_ANSWER_API_KEY),
    compartmentId: config.RAG_ANSWER_COMPARTMENT,
  });
}

async function requireAnswerModel(config: Config): Promise<ModelState> {
  const { modelCatalog, requireModel } = await import('./adapters/oci/model-catalog.ts');
  const region = config.RAG_ANSWER_REGION;
  return requireModel(modelCatalog({ region }), {
    region,
    compartmentId: config.RAG_ANSWER_COMPARTMENT,
    model: config.RAG_ANSWER_MODEL.slice(IN_OCI.length),
    capability: 'CHAT',
    settings: { model: 'RAG_ANSWER_MODEL', region: 'RAG_ANSWER_REGION', compartment: 'RAG_ANSWER_COMPARTMENT' },
  });
}

/** Generative AI of a region, asked as the function. */
async function generativeAi(region: string, compartmentId: string) {
  const { functionPrincipal } = await import('./adapters/oci/client.ts');
  try {
    return { region, compartmentId, principal: functionPrincipal() };
  } catch (cause) {
    throw new SetupFailed(
      'A model of OCI Generative AI (oci:… in RAG_ANSWER_MODEL or RAG_EMBEDDING_URL) is asked as the function itself, by its resource principal, which is there in OCI Functions alone',
      { cause },
    );
  }
}

async function openNudge(url: string): Promise<Nudge> {
  if (url.startsWith(IN_OCI)) {
    const { FunctionNudge, invokerAt } = await import('./adapters/oci/function-nudge.ts');
    const { origin, pathname } = new URL(url.slice(IN_OCI.length));
    return new FunctionNudge(invokerAt(origin), pathname.slice(1));
  }
  const { HttpNudge } = await import('./adapters/local/http-nudge.ts');
  return new HttpNudge(url);
}

/** Sends figures to where `oci:<namespace>:<compartment>` says. */
function monitoring(setting: string): (figures: Record<string, number>) => Promise<void> {
  const [, namespace = '', compartmentId = ''] = setting.split(':');
  const adapter = once(async () => {
    const { monitoringOfFunction, postFigures } = await import('./adapters/oci/metrics.ts');
    return { client: monitoringOfFunction(), postFigures };
  });
  return async (figures) => {
    const { client, postFigures } = await adapter();
    await postFigures(client, { namespace, compartmentId }, figures);
  };
}

const isOracle = (config: Config) => config.RAG_DATABASE.startsWith('oracle:');

function oracleSettings(config: Config, log: Log, modelSource = ''): OracleSettings {
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

function sqlSettings(config: Config, embeddingModel: EmbeddingModel): SqlSettings {
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

const IN_OCI = 'oci:';
const IN_VAULT = 'vault:';

/** A setting's value, or that of the Vault secret which it names, read once. */
const secret = (value: string) =>
  once(async () => {
    if (!value.startsWith(IN_VAULT)) return value;
    const { readSecret, vaultOfFunction } = await import('./adapters/oci/vault.ts');
    return readSecret(vaultOfFunction(), value.slice(IN_VAULT.length));
  });

/** Ends the process with the faults alone: Node would print them amid a line of the bundle. */
function configOrExit(env: Record<string, string | undefined>): Config {
  try {
    return readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    stderr.write(`${error.message}\n`);
    return exit(1);
  }
}

/** Makes a part once; a failed making is not kept, so that the next call tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
