// The one owner of a data folder's database: PGlite with pgvector and BM25 ranking, served over a Unix socket.
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import pg from 'pg';

const MAX_CONNECTIONS = 100;
const ANALYZE_EVERY_MS = 60_000;

const [dataFolder, socketPath] = process.argv.slice(2);
if (dataFolder === undefined || socketPath === undefined) throw new Error('usage: database-process DATA SOCKET');

const database = await PGlite.create({ dataDir: dataFolder, extensions: { vector, pg_textsearch } });
// A socket that a killed predecessor has left would be in the way.
rmSync(socketPath, { force: true });
const server = new PGLiteSocketServer({ db: database, path: socketPath, maxConnections: MAX_CONNECTIONS });
await server.start();
process.send?.('ready');
setInterval(analyze, ANALYZE_EVERY_MS).unref();

/**
 * What a server's autovacuum does: without statistics, a search for words in a thousand passages takes 250 ms instead of 40.
 * As one client among others, so that it is in nobody's transaction.
 */
async function analyze(): Promise<void> {
  const client = new pg.Client({ host: dirname(socketPath ?? ''), user: 'postgres', database: 'postgres' });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query("SELECT to_regclass('rag_chunk') IS NOT NULL AS is_there");
    if (rows[0].is_there) await client.query('ANALYZE rag_chunk');
  } catch {
    // The next one may.
  } finally {
    await client.end().catch(() => {});
  }
}

let closing = false;
async function close(): Promise<void> {
  if (closing) return;
  closing = true;
  await server.stop();
  await database.close();
  process.exit(0);
}

process.on('SIGTERM', close);
// Takes the place of the preloaded listener, which would end the process before the database is closed.
process.removeAllListeners('disconnect');
process.on('disconnect', close);
