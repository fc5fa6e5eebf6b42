import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresDatabase } from '../../functions/adapters/postgres/database.ts';
import { PostgresMigrator } from '../../functions/adapters/postgres/migrator.ts';
import { readMigrations } from '../../functions/bootstrap/migrations.ts';
import { type DrainReport, drain } from '../../functions/drain/drain.ts';
import { DEFAULT_CUTTING } from '../../functions/drain/plan.ts';
import { applyChange, type Change } from '../../functions/ingest/ingest.ts';
import type { Database } from '../../functions/ports/database.ts';
import type { Embedder } from '../../functions/ports/embedder.ts';
import { MIGRATIONS, startDatabase } from '../support/database-process.ts';

/** The embedded database, migrated and empty, in a process and a folder of its own. */
export class BenchDatabase {
  private constructor(
    readonly url: string,
    readonly database: PostgresDatabase,
    readonly close: () => Promise<void>,
  ) {}

  static async open(): Promise<BenchDatabase> {
    const folder = mkdtempSync(join(tmpdir(), 'oci-rag-bench-'));
    const { url, stop } = await startDatabase(join(folder, 'database'));
    await new PostgresMigrator(url, 'bm25').apply(await readMigrations(join(MIGRATIONS, 'postgres')));
    const database = PostgresDatabase.open({
      connectionString: url,
      poolMax: 4,
      textIndex: 'bm25',
      onIdleError: () => {},
    });
    return new BenchDatabase(url, database, async () => {
      await database.close();
      await stop();
      rmSync(folder, { recursive: true, force: true });
    });
  }

  async write(changes: Change[]): Promise<void> {
    for (const change of changes) await applyChange(this.database, change);
  }

  async execute(...statements: string[]): Promise<void> {
    await this.database.transaction('system', async (tx) => {
      for (const sql of statements) await tx.execute(sql);
    });
  }

  /** Drains until the queue is empty; fails where a source does, so that no figure rests on errors. */
  async drain(
    embedder: Embedder,
    database: Database = this.database,
    next: Embedder | null = null,
  ): Promise<DrainReport> {
    const silent = { info() {}, warn() {}, error() {} };
    const report = await drain(
      { callId: 'bench', database, embedder, next, metrics: { count() {} }, log: silent },
      { batchSize: 32, maxAttempts: 5, leaseSeconds: 60, deadline: null, cutting: DEFAULT_CUTTING },
    );
    if (report.failed + report.parked + report.late > 0) throw new Error(`the drain failed: ${JSON.stringify(report)}`);
    return report;
  }
}

/** As many as the model in the database has. */
const DIMENSIONS = 384;

/** An embedder that costs nothing: the same vector for every text. */
export const constantEmbedder: Embedder = {
  model: 'constant',
  dimension: DIMENSIONS,
  inDatabase: false,
  window: 1000,
  encode: async (texts) => texts.map(() => CONSTANT_VECTOR),
};
const CONSTANT_VECTOR = new Float32Array(DIMENSIONS).fill(1 / Math.sqrt(DIMENSIONS));
