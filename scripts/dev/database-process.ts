// The one owner of a data folder's database: PGlite with pgvector and BM25 ranking, served over a Unix socket.
import { rmSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

const MAX_CONNECTIONS = 100;

const [dataFolder, socketPath] = process.argv.slice(2);
if (dataFolder === undefined || socketPath === undefined) throw new Error('usage: database-process DATA SOCKET');

const database = await PGlite.create({ dataDir: dataFolder, extensions: { vector, pg_textsearch } });
// A socket that a killed predecessor has left would be in the way.
rmSync(socketPath, { force: true });
const server = new PGLiteSocketServer({ db: database, path: socketPath, maxConnections: MAX_CONNECTIONS });
await server.start();
process.send?.('ready');

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
