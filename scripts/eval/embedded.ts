import { openSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpEmbedder } from '../../functions/adapters/local/http-embedder.ts';
import { PostgresDatabase } from '../../functions/adapters/postgres/database.ts';
import type { TextIndex } from '../../functions/adapters/postgres/dialect.ts';
import { PostgresMigrator } from '../../functions/adapters/postgres/migrator.ts';
import { readMigrations } from '../../functions/bootstrap/migrations.ts';
import type { Database } from '../../functions/ports/database.ts';
import type { Embedder } from '../../functions/ports/embedder.ts';
import { KeptProcess } from '../dev/child.ts';
import { LOCAL_MODEL } from '../dev/local-model.ts';
import { CachingEmbedder, VECTOR_CACHE } from './vector-cache.ts';

const MIGRATIONS = join(import.meta.dirname, '..', '..', 'migrations', 'postgres');
const STOP_GRACE_MS = 5000;
const POOL = 2;
/** Fewer texts are embedded before anybody asks how far it is. */
const TOLD_FROM = 200;
/** What a shell says of a program that Ctrl-C has ended. */
const INTERRUPTED = 130;

/** An embedded database of one's own, migrated and empty, in a temporary folder. */
export interface EmbeddedDatabase {
  /** The same records, with words ranked in one way or the other. */
  open(textIndex: TextIndex): Database;
}

/** Lends what is measured with, and takes it away when the work has ended, has failed, or is interrupted. */
export class Workshop {
  readonly #undo: (() => Promise<void>)[] = [];
  #folder: string | undefined;

  /** Runs the work; a signal ends the processes that it has started, and then this one. */
  static async run<T>(work: (workshop: Workshop) => Promise<T>): Promise<T> {
    const workshop = new Workshop();
    let isInterrupted = false;
    const interrupted = async () => {
      isInterrupted = true;
      await workshop.#close();
      process.exit(INTERRUPTED);
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    for (const signal of signals) process.once(signal, interrupted);
    try {
      return await work(workshop);
    } catch (error) {
      // What fails since its processes are being ended is no news; this one ends when they have.
      if (isInterrupted) await new Promise(() => {});
      throw error;
    } finally {
      await workshop.#close();
      for (const signal of signals) process.removeListener(signal, interrupted);
    }
  }

  async database(): Promise<EmbeddedDatabase> {
    const folder = await mkdtemp(join(await this.#runFolder(), 'database-'));
    await this.#start('database-process.ts', [join(folder, 'data'), join(folder, '.s.PGSQL.5432')], folder);
    const connectionString = `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`;
    await new PostgresMigrator(connectionString, 'bm25').apply(await readMigrations(MIGRATIONS));
    return {
      open: (textIndex) => {
        const database = PostgresDatabase.open({ connectionString, poolMax: POOL, textIndex, onIdleError: () => {} });
        this.#undo.push(() => database.close());
        return database;
      },
    };
  }

  /** The model of `npm start`; what it has made of a text is kept for the next time. */
  async encoder(tell: (progress: string) => void = () => {}): Promise<Embedder> {
    const folder = await mkdtemp(join(await this.#runFolder(), 'encoder-'));
    const socket = join(folder, 'encoder');
    await this.#start('encoder-process.ts', [socket], folder);
    const { name: model, dimension, window } = LOCAL_MODEL;
    const embedder = new HttpEmbedder({ url: `unix:${socket}`, model, dimension, window });
    return new CachingEmbedder(embedder, VECTOR_CACHE, (made, of) => {
      if (of >= TOLD_FROM) tell(`embedding ${made} of ${of} texts; they are kept in ${VECTOR_CACHE}`);
    });
  }

  async #start(script: string, args: string[], folder: string): Promise<void> {
    const log = join(folder, 'log');
    const kept = new KeptProcess(script, args, openSync(log, 'a', 0o600));
    this.#undo.push(() => kept.stop(STOP_GRACE_MS));
    await kept.ready.catch((error: Error) => {
      throw new Error(`${error.message}: ${readFileSync(log, 'utf8').trim()}`);
    });
  }

  async #runFolder(): Promise<string> {
    if (this.#folder !== undefined) return this.#folder;
    const folder = await mkdtemp(join(tmpdir(), 'oci-rag-eval-'));
    this.#folder = folder;
    this.#undo.push(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o700);
    return folder;
  }

  /** Undoes the last step first. */
  async #close(): Promise<void> {
    for (const step of this.#undo.splice(0).reverse()) await step().catch(() => {});
  }
}
