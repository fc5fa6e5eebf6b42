import { exit, stderr, stdout } from 'node:process';
import { LineLog } from './adapters/local/line-log.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import type { ChatModel } from './ports/chat-model.ts';
import type { Database, Migrator } from './ports/database.ts';
import type { Embedder } from './ports/embedder.ts';
import type { Log, Metrics, TokenVerifier } from './ports/platform.ts';

/**
 * The parts a function works with, each made when it is first asked for and kept while the process lives: a cold call
 * loads what it needs and nothing else.
 */
export interface Services {
  readonly config: Config;
  log(callId: string): Log;
  metrics(): Metrics;
  /** The database, for calls that end with the deadline. */
  database(deadline: Date | null): Promise<Database>;
  migrator(): Promise<Migrator>;
  embedder(): Promise<Embedder>;
  chatModel(): Promise<ChatModel>;
  verifier(): Promise<TokenVerifier>;
  /** Begins to make what every call needs, without waiting; what fails is made, and told, by the first call. */
  warmUp(): void;
  /** Starts a drain; where that fails it is logged, and the schedule drains later. */
  nudge(log: Log): Promise<void>;
}

/** The one place that chooses adapters, from the configuration. */
export function createServices(env: Record<string, string | undefined>): Services {
  const config = configOrExit(env);
  const log = (callId: string) => new LineLog(callId, stdout);
  const openDatabase = once(async () => {
    const { PostgresDatabase } = await import('./adapters/postgres/database.ts');
    return PostgresDatabase.open({
      connectionString: config.RAG_DATABASE,
      poolMax: config.RAG_DATABASE_POOL_MAX,
      onIdleError: (error) => log('-').warn('database_connection_lost', { reason: error.message }),
    });
  });
  const services: Services = {
    config,
    log,
    metrics: () => ({ count: (name, value) => log('-').info('metric', { name, value }) }),
    database: async (deadline) => (await openDatabase()).within(deadline),
    migrator: once(async () => {
      const { PostgresMigrator } = await import('./adapters/postgres/migrator.ts');
      return new PostgresMigrator(config.RAG_DATABASE);
    }),
    embedder: once(async () => {
      const { HttpEmbedder } = await import('./adapters/local/http-embedder.ts');
      return new HttpEmbedder({
        url: config.RAG_EMBEDDING_URL,
        model: config.RAG_EMBEDDING_MODEL,
        dimension: config.RAG_EMBEDDING_DIMENSION,
        window: config.RAG_EMBEDDING_WINDOW,
      });
    }),
    chatModel: once(async () => {
      const { ExtractiveAnswerer } = await import('./adapters/local/extractive-answerer.ts');
      return new ExtractiveAnswerer();
    }),
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
    async nudge(callLog) {
      if (config.RAG_NUDGE_URL === '') return;
      try {
        const { HttpNudge } = await import('./adapters/local/http-nudge.ts');
        await new HttpNudge(config.RAG_NUDGE_URL).drain();
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
