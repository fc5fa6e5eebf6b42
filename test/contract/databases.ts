import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, inject } from 'vitest';
import { PostgresDatabase } from '../../functions/adapters/postgres/database.ts';
import { PostgresMigrator } from '../../functions/adapters/postgres/migrator.ts';
import { readMigrations } from '../../functions/bootstrap/migrations.ts';
import { type DrainOptions, type DrainReport, drain } from '../../functions/drain/drain.ts';
import { applyChange, type Change } from '../../functions/ingest/ingest.ts';
import type { Database } from '../../functions/ports/database.ts';
import { MIGRATIONS, startDatabase } from '../support/database-process.ts';
import { copyTemplate } from '../support/global-setup.ts';
import { HashingEmbedder } from '../support/hashing-embedder.ts';

/** A migrated database that a suite has to itself. */
interface OpenDatabase {
  connectionString: string;
  stop(): Promise<void>;
}

const DATABASES: Record<string, { skip: boolean; open(): Promise<OpenDatabase> }> = {
  embedded: {
    skip: false,
    async open() {
      const folder = mkdtempSync(join(tmpdir(), 'oci-rag-data-'));
      copyTemplate(inject('templateFolder'), folder);
      const { url, stop } = await startDatabase(folder);
      return {
        connectionString: url,
        async stop() {
          await stop();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  },
  'a PostgreSQL server': {
    // A database with pgvector that the tests may empty, under a user who may create roles.
    skip: process.env.TEST_POSTGRES_URL === undefined,
    async open() {
      const connectionString = process.env.TEST_POSTGRES_URL ?? '';
      await new PostgresMigrator(connectionString).apply(await readMigrations(join(MIGRATIONS, 'postgres')));
      return { connectionString, stop: async () => {} };
    },
  },
};

const TABLES = ['rag_dirty', 'rag_chunk', 'rag_source', 'task_comment', 'task', 'sprint', 'project', 'employee'];

/** What a contract test works with: one database, empty at the start of each test. */
export interface Bench {
  readonly connectionString: string;
  readonly database: Database;
  /** New for each test. */
  readonly embedder: HashingEmbedder;
  /** Counts by metric name, and log events, of this test's drains. */
  readonly metrics: Map<string, number>;
  readonly logged: { level: string; event: string; fields: Record<string, unknown> }[];
  write(...changes: Change[]): Promise<void>;
  drain(options?: Partial<DrainOptions>): Promise<DrainReport>;
}

/** Runs one body of tests on every database there is: the embedded one always, others where the environment names them. */
export function forEachDatabase(what: string, body: (bench: Bench) => void): void {
  for (const [name, { skip, open }] of Object.entries(DATABASES)) {
    describe.skipIf(skip)(`${what}, on ${name}`, () => {
      let opened: OpenDatabase;
      let database: PostgresDatabase;
      let embedder = new HashingEmbedder();
      const metrics = new Map<string, number>();
      const logged: Bench['logged'] = [];
      beforeAll(async () => {
        opened = await open();
        database = connect(opened.connectionString);
      });
      beforeEach(async () => {
        embedder = new HashingEmbedder();
        metrics.clear();
        logged.length = 0;
        await database.transaction('system', async (tx) => {
          for (const table of TABLES) await tx.execute(`DELETE FROM ${table}`);
        });
      });
      afterAll(async () => {
        await database?.close();
        await opened?.stop();
      });
      const note =
        (level: string) =>
        (event: string, fields: Record<string, unknown> = {}) =>
          logged.push({ level, event, fields });
      body({
        get connectionString() {
          return opened.connectionString;
        },
        get database() {
          return database;
        },
        get embedder() {
          return embedder;
        },
        metrics,
        logged,
        async write(...changes) {
          for (const change of changes) await applyChange(database, change);
        },
        drain: (options = {}) =>
          drain(
            {
              callId: 'test',
              database,
              embedder,
              metrics: { count: (metric, value) => metrics.set(metric, (metrics.get(metric) ?? 0) + value) },
              log: {
                info: note('info'),
                warn: note('warn'),
                error: (event, error, fields) => note('error')(event, { ...fields, error: String(error) }),
              },
            },
            { batchSize: 32, maxAttempts: 5, leaseSeconds: 60, deadline: null, ...options },
          ),
      });
    });
  }
}

/** A further pool on the same database: another process's view of it. */
export function connect(connectionString: string): PostgresDatabase {
  return new PostgresDatabase({ connectionString, poolMax: 4, onIdleError: () => {} });
}
