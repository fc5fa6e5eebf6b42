import './navigator.ts';
import pg from 'pg';
import { Conflict, Unavailable } from '../../core/errors.ts';
import { sha256Hex } from '../../core/hash.ts';
import type { Migration, Migrator } from '../../ports/database.ts';

/** Any fixed number: the advisory lock under which migrations run. */
const LOCK_KEY = 7_242_017;

/** Runs migration files as the connection's own user, who owns the schema; each in a transaction of its own. */
export class PostgresMigrator implements Migrator {
  readonly #connectionString: string;

  constructor(connectionString: string) {
    this.#connectionString = connectionString;
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
      return applied;
    } finally {
      await client.end();
    }
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
