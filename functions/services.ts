import { join } from 'node:path';
import { exit, stderr, stdout } from 'node:process';
import { Figures, logFigures } from './adapters/local/figures.ts';
import { LineLog } from './adapters/local/line-log.ts';
import type { ModelState } from './adapters/oci/model-catalog.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import type { ChatModel } from './ports/chat-model.ts';
import type { Database, Migration, Migrator } from './ports/database.ts';
import type { Embedder } from './ports/embedder.ts';
import type { ModelStore } from './ports/model-store.ts';
import type { ObjectStore } from './ports/object-store.ts';
import type { Log, Metrics, TokenVerifier } from './ports/platform.ts';
import type { VectorIndex } from './ports/vector-index.ts';
import { isOracle, oracleSettings, sqlSettings } from './services/database.ts';
import { chatModelOf, openEmbedder, requireAnswerModel } from './services/models.ts';
import { once } from './services/once.ts';
import { monitoring, openNudge } from './services/platform.ts';
import { IN_OCI } from './services/setting.ts';
import { openObjectStore } from './services/storage.ts';

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
  /** Where the bytes of files are kept. */
  objectStore(): Promise<ObjectStore>;
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
    objectStore: once(() => openObjectStore(config)),
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
