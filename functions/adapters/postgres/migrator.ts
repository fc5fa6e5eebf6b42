import './navigator.ts';
import pg from 'pg';
import { Conflict, SetupFailed, Unavailable } from '../../core/errors.ts';
import { sha256Hex } from '../../core/hash.ts';
import type { Migration, Migrator } from '../../ports/database.ts';
import type { TextIndex } from './dialect.ts';

/** Any fixed number: the advisory lock under which migrations run. */
const LOCK_KEY = 7_242_017;

/** Runs migration files as the connection's own user, who owns the schema; each in a transaction of its own. */
export class PostgresMigrator implements Migrator {
  readonly #connectionString: string;
  readonly #textIndex: TextIndex;

  /** `textIndex` is the one that questions will use: it is made sure of. */
  constructor(connectionString: string, textIndex: TextIndex = 'fulltext') {
    this.#connectionString = connectionString;
    this.#textIndex = textIndex;
  }

  async apply(migrations: Migration[]): Promise<string[]> {
    const client = new pg.Client({ connectionString: this.#connectionString });
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (cause) {
      throw new Unavailable('The database cannot be reached', { cause, retryAfterSeconds: 2 });
    }
    try {
      const applied: string[] = [];
      for (const migration of [...migrations].sort((a, b) => a.version - b.version)) {
        if (await applyOne(client, migration)) applied.push(migration.name);
      }
      if (this.#textIndex === 'bm25') await requireBm25(client);
      return applied;
    } finally {
      await client.end();
    }
  }
}

/** Makes the index for BM25, which needs an extension that not every database has. */
async function requireBm25(client: pg.Client): Promise<void> {
  // Where the migrations were not all given, there may be nothing to index yet.
  const { rowCount } = await client.query(
    `SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('rag_chunk') AND attname = 'terms'
     AND to_regclass('rag_chunk_bm25') IS NULL`,
  );
  if (rowCount === 0) return;
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_textsearch');
    await client.query(`CREATE INDEX IF NOT EXISTS rag_chunk_bm25 ON rag_chunk USING bm25 (terms)
      WITH (text_config = 'simple', k1 = 1.2, b = 0.75)`);
    // It scores a row in a third of a millisecond. Taken for as cheap as an addition, all rows would be scored and sorted.
    await client.query('ALTER FUNCTION bm25_text_bm25query_score(text, bm25query) COST 1000');
  } catch (cause) {
    throw new SetupFailed(
      'RAG_TEXT_INDEX is bm25, but this database has no pg_textsearch, or its user may not create it; set it to fulltext',
      { cause },
    );
  }
}

async function applyOne(client: pg.Client, { version, name, sql }: Migration): Promise<boolean> {
  const checksum = sha256Hex(sql);
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
    await client.query(`CREATE TABLE IF NOT EXISTS rag_migration (
      version INTEGER PRIMARY KEY, name VARCHAR(200) NOT NULL, checksum VARCHAR(64) NOT NULL,
      applied_at TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL)`);
    const { rows } = await client.query('SELECT checksum FROM rag_migration WHERE version = $1', [version]);
    if (rows.length > 0) {
      if (rows[0].checksum !== checksum) {
        throw new Conflict(
          `The migration ${name} was applied with another content; restore the file and add a new one`,
        );
      }
      await client.query('COMMIT');
      return false;
    }
    await client.query(sql);
    await client.query('INSERT INTO rag_migration (version, name, checksum) VALUES ($1, $2, $3)', [
      version,
      name,
      checksum,
    ]);
    await client.query('COMMIT');
    return true;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
