import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished } from 'vitest';
import { PostgresDatabase } from '../../functions/adapters/postgres/database.ts';
import type { TextIndex } from '../../functions/adapters/postgres/dialect.ts';
import { PostgresMigrator } from '../../functions/adapters/postgres/migrator.ts';
import { readMigrations } from '../../functions/bootstrap/migrations.ts';
import { type DrainOptions, type DrainReport, drain } from '../../functions/drain/drain.ts';
import { DEFAULT_CUTTING } from '../../functions/drain/plan.ts';
import { applyChange, type Change } from '../../functions/ingest/ingest.ts';
import type { Database, Migrator } from '../../functions/ports/database.ts';
import type { Embedder } from '../../functions/ports/embedder.ts';
import { MIGRATIONS } from '../support/database-process.ts';
import { HashingDatabaseEmbedder, HashingEmbedder } from '../support/hashing-embedder.ts';
import { connectFakeOracle, FakeOracle } from '../support/oracle/driver.ts';
import { compareWithGolden } from '../support/oracle/golden.ts';
import { Recorder } from '../support/oracle/recorder.ts';
import { HOW_TO_NAME_ONE, openScratchSchema, oracleServer } from '../support/oracle-server.ts';
import { startTemplate } from '../support/template.ts';

/** A migrated database that a suite has to itself. */
interface OpenDatabase {
  /** Of the PostgreSQL that its tables are in; missing where they are in Oracle itself. */
  connectionString?: string;
  /** Missing where it is PostgreSQL's. */
  migrator?: Migrator;
  /** A pool of connections to it. */
  connect(): Database;
  stop(): Promise<void>;
}

interface TestedDatabase {
  skip: boolean;
  /** Whether transactions of different clients really run at once; the embedded database runs them one by one. */
  concurrent: boolean;
  /** Whether the database itself embeds. */
  inDatabase?: true;
  /** Whether the tables are in Oracle itself, and in no PostgreSQL. */
  inOracle?: true;
  /** For a test or a hook, where they take longer than elsewhere. */
  timeoutMs?: number;
  /** `embed` is what its model, where it has one, makes of a text. */
  open(embed: (text: string) => Float32Array): Promise<OpenDatabase>;
}

const ORACLE = oracleServer(process.env);

const DATABASES: Record<string, TestedDatabase> = {
  'the embedded database': {
    skip: false,
    concurrent: false,
    async open() {
      const { url, stop } = await startTemplate(inject('templateFolder'));
      return { connectionString: url, connect: () => connectPostgres(url, 'bm25'), stop };
    },
  },
  'Oracle (a stand-in)': {
    skip: false,
    concurrent: false,
    inDatabase: true,
    async open(embed) {
      const { url, stop } = await startTemplate(inject('templateFolder'));
      const oracle = new FakeOracle(new Recorder(), url);
      oracle.embed = embed;
      return {
        connectionString: url,
        connect: () => connectFakeOracle(oracle),
        async stop() {
          await oracle.close();
          await stop();
          expect(oracle.leftBehind).toEqual([]);
          compareWithGolden(oracle.recorder);
        },
      };
    },
  },
  'a PostgreSQL server': {
    // A server with pgvector, under a user who may create databases and roles.
    skip: process.env.TEST_POSTGRES_URL === undefined,
    concurrent: true,
    open: () => openOnServer(process.env.TEST_POSTGRES_URL ?? ''),
  },
  [ORACLE === null ? `Oracle Database (${HOW_TO_NAME_ONE})` : 'Oracle Database']: {
    // Under an administrator who may create users; vectors are bound, so that no model is needed.
    skip: ORACLE === null,
    concurrent: true,
    inOracle: true,
    timeoutMs: 180_000,
    async open() {
      if (ORACLE === null) throw new Error(HOW_TO_NAME_ONE);
      const { migrator, connect, drop } = await openScratchSchema(ORACLE);
      return { migrator, connect, stop: drop };
    },
  },
};

/** Any fixed number: the lock under which suites make their databases, since roles belong to the whole server. */
const SERVER_LOCK = 7_242_018;

/** A database of its own on a server, for suites that run side by side. */
async function openOnServer(serverUrl: string): Promise<OpenDatabase> {
  const name = `rag_test_${process.pid}_${Date.now()}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const onServer = async (work: (client: pg.Client) => Promise<unknown>) => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    await work(client).finally(() => client.end());
  };
  await onServer(async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [SERVER_LOCK]);
    await client.query(`CREATE DATABASE ${name}`);
    await new PostgresMigrator(url.href).apply(await readMigrations(join(MIGRATIONS, 'postgres')));
  });
  return {
    connectionString: url.href,
    connect: () => connectPostgres(url.href, 'fulltext'),
    stop: () => onServer((client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

const TABLES = [
  'rag_usage',
  'rag_log',
  'rag_dirty',
  'rag_chunk',
  'rag_fact',
  'rag_source',
  'rag_chore',
  'object_note',
  'source_reader',
  'resolution',
  'diagnostic',
  'document',
  'task_comment',
  'task',
  'sprint',
  'project',
  'employee',
];

/** What a contract test works with: one database, empty at the start of each test. */
export interface Bench {
  readonly concurrent: boolean;
  /** Whether the tables are in a PostgreSQL, which a test may look into by the connection string: also those of the stand-in. */
  readonly inPostgres: boolean;
  readonly connectionString: string;
  readonly migrator: Migrator;
  readonly database: Database;
  /** New for each test. */
  readonly embedder: HashingEmbedder;
  /** Counts by metric name, and log events, of this test's drains. */
  readonly metrics: Map<string, number>;
  readonly logged: { level: string; event: string; fields: Record<string, unknown> }[];
  /** A further pool on the same database: another process's view of it. For a test, which closes it. */
  anotherPool(): Database;
  write(...changes: Change[]): Promise<void>;
  /**
   * A drain with this bench's database and embedder, or with those of another process where they are given; with a next
   * embedder, one during a swap.
   */
  drain(
    options?: Partial<DrainOptions>,
    other?: { database?: Database; embedder?: Embedder; next?: Embedder | null },
  ): Promise<DrainReport>;
}

/** Runs one body of tests on every database there is: the embedded one always, others where the environment names them. */
export function forEachDatabase(what: string, body: (bench: Bench) => void): void {
  for (const [name, { skip, concurrent, inDatabase = false, inOracle = false, timeoutMs, open }] of Object.entries(
    DATABASES,
  )) {
    describe.skipIf(skip)(`${what}, on ${name}`, timeoutMs === undefined ? {} : { timeout: timeoutMs }, () => {
      const newEmbedder = () => (inDatabase ? new HashingDatabaseEmbedder() : new HashingEmbedder());
      let opened: OpenDatabase;
      let database: Database;
      let embedder = newEmbedder();
      const metrics = new Map<string, number>();
      const logged: Bench['logged'] = [];
      beforeAll(async () => {
        opened = await open((text) => embedder.vectorOf(text) as Float32Array);
        database = opened.connect();
      }, timeoutMs);
      beforeEach(async () => {
        embedder = newEmbedder();
        metrics.clear();
        logged.length = 0;
        await database.transaction('system', async (tx) => {
          for (const table of TABLES) await tx.execute(`DELETE FROM ${table}`);
        });
      });
      afterAll(async () => {
        await database?.close();
        await opened?.stop();
      }, timeoutMs);
      const connectionString = () => {
        if (opened.connectionString === undefined) throw new Error('its tables are in no PostgreSQL; see inPostgres');
        return opened.connectionString;
      };
      const note =
        (level: string) =>
        (event: string, fields: Record<string, unknown> = {}) =>
          logged.push({ level, event, fields });
      body({
        concurrent,
        inPostgres: !inOracle,
        get connectionString() {
          return connectionString();
        },
        get migrator() {
          return opened.migrator ?? new PostgresMigrator(connectionString(), concurrent ? 'fulltext' : 'bm25');
        },
        get database() {
          return database;
        },
        get embedder() {
          return embedder;
        },
        metrics,
        logged,
        anotherPool() {
          const pool = opened.connect();
          onTestFinished(() => pool.close());
          return pool;
        },
        async write(...changes) {
          for (const change of changes) await applyChange(database, change);
        },
        drain: (options = {}, other = {}) =>
          drain(
            {
              callId: 'test',
              database,
              embedder,
              next: null,
              ...other,
              metrics: { count: (metric, value) => metrics.set(metric, (metrics.get(metric) ?? 0) + value) },
              log: {
                info: note('info'),
                warn: note('warn'),
                error: (event, error, fields) => note('error')(event, { ...fields, error: String(error) }),
              },
            },
            { batchSize: 32, maxAttempts: 5, leaseSeconds: 60, deadline: null, cutting: DEFAULT_CUTTING, ...options },
          ),
      });
    });
  }
}

function connectPostgres(connectionString: string, textIndex: TextIndex): Database {
  return PostgresDatabase.open({ connectionString, poolMax: 4, textIndex, onIdleError: () => {} });
}
