import pg from 'pg';
import { expect, test } from 'vitest';
import { PostgresMigrator } from '../../functions/adapters/postgres/migrator.ts';
import { readMigrations } from '../../functions/bootstrap/migrations.ts';
import { Conflict, ModelMismatch, SetupFailed } from '../../functions/core/errors.ts';
import { sha256Hex } from '../../functions/core/hash.ts';
import { type SourceRef, sourceKey } from '../../functions/core/kinds/kind.ts';
import { loadContents } from '../../functions/store/kinds.ts';
import { MIGRATIONS } from '../support/database-process.ts';
import { HashingEmbedder, hashVector, vector } from '../support/hashing-embedder.ts';
import { callerOf, readChunks, readQueueRows, waitingSources } from '../support/inspect.ts';
import { findSources } from '../support/questions.ts';
import { put } from '../support/records.ts';
import { boot } from './boot.ts';
import { type Bench, forEachDatabase } from './databases.ts';

/** Statements of the schema's owner, outside any role. */
async function asOwner<T>(bench: Bench, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: bench.connectionString });
  await client.connect();
  try {
    const results = await client.query(sql);
    return results.rows;
  } finally {
    await client.end();
  }
}

const makeEmpty = (bench: Bench) =>
  asOwner(bench, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC');

const appliedNames = async (bench: Bench) =>
  (await asOwner<{ name: string }>(bench, 'SELECT name FROM rag_migration ORDER BY version')).map((row) => row.name);

/** Removes the chunks of a source behind the product's back. */
const loseChunks = (bench: Bench, id: string) =>
  bench.database.transaction('system', (tx) => tx.execute('DELETE FROM rag_chunk WHERE source_id = :id', { id }));

/** Has a waiting source indexed as the first version did: without language, terms, or a second model. */
async function storeAsFirstVersion(bench: Bench, ref: SourceRef): Promise<void> {
  const contents = await bench.database.transaction('system', (tx) => loadContents(tx, [ref]));
  const content = contents.get(sourceKey(ref))?.();
  if (content === undefined) throw new Error('there is no such source');
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const embedding = `[${hashVector(content.text).join(',')}]`;
  await asOwner(
    bench,
    `INSERT INTO rag_source (source_type, source_id, generation, state, chunk_count)
       VALUES ('${ref.type}', '${ref.id}', 1, 'ready', 1);
     INSERT INTO rag_chunk (source_type, source_id, chunk_no, audience, title, content, content_hash, embedding,
         embedding_model)
       VALUES ('${ref.type}', '${ref.id}', 0, 'organization', ${quoted(content.title)}, ${quoted(content.text)},
         '${sha256Hex(content.text)}', '${embedding}', '${bench.embedder.model}');
     DELETE FROM rag_dirty`,
  );
}

forEachDatabase('bootstrap', (bench) => {
  // With migrations of PostgreSQL, and a look at what they leave: Oracle's have unit tests on the stand-in.
  const testInPostgres = test.runIf(bench.inPostgres);

  testInPostgres('migrates an empty database once; run again, it does nothing', async () => {
    await makeEmpty(bench);
    const first = await boot(bench);
    const second = await boot(bench);
    await bench.write(put.project(1));
    const drained = await bench.drain();

    expect(first.migrated[0]).toBe('V1__records_queue_chunks.sql');
    expect(await appliedNames(bench)).toEqual(first.migrated);
    expect(second).toEqual({ migrated: [], loaded: [], enqueued: 0, outdated: 0 });
    expect(drained).toMatchObject({ embedded: 1 });
  });

  test('an answering model is looked for last, and told; one that cannot be asked leaves a database that is ready', async () => {
    await bench.write(put.project(1));
    await bench.drain();
    await loseChunks(bench, '1');
    const state = { state: 'ACTIVE', retiresAt: null };
    const refused = boot(bench, {
      requireAnswerModel: async () => {
        throw new SetupFailed('no such model');
      },
    });

    await expect(refused).rejects.toThrow('no such model');
    expect(await waitingSources(bench.database)).toHaveLength(1);
    expect(await boot(bench, { requireAnswerModel: async () => state })).toMatchObject({ answerModel: state });
  });

  testInPostgres('run twice at once on an empty database, leaves one set', async () => {
    await makeEmpty(bench);
    const reports = await Promise.all([boot(bench), boot(bench, { database: bench.anotherPool() })]);

    const migrated = reports.flatMap((report) => report.migrated).sort();
    expect(migrated).toEqual((await appliedNames(bench)).sort());
    expect(new Set(migrated).size).toBe(migrated.length);
  });

  // The embedded database alone is sure to have the extension; there, a type of its name keeps it from being created.
  test.runIf(bench.inPostgres && !bench.concurrent)(
    'without pg_textsearch the migrations go on; bm25 is refused, naming the setting, until it can be had',
    async () => {
      await asOwner(bench, 'DROP EXTENSION pg_textsearch CASCADE');
      await makeEmpty(bench);
      await asOwner(bench, "CREATE EXTENSION IF NOT EXISTS vector; CREATE TYPE bm25query AS ENUM ('x')");
      const migrator = new PostgresMigrator(bench.connectionString, 'bm25');
      const migrations = await readMigrations(`${MIGRATIONS}/postgres`);

      const { migrated } = await boot(bench, { migrator: new PostgresMigrator(bench.connectionString) });
      const refused = await boot(bench, { migrator }).catch((error: unknown) => error);
      await asOwner(bench, 'DROP TYPE bm25query');
      await boot(bench, { migrator });
      const [index] = await asOwner<{ name: string }>(bench, "SELECT to_regclass('rag_chunk_bm25')::text AS name");

      expect(migrated).toEqual(migrations.map(({ name }) => name));
      expect(refused).toBeInstanceOf(SetupFailed);
      expect((refused as Error).message).toMatch(/^RAG_TEXT_INDEX is bm25.*pg_textsearch.*set it to fulltext$/);
      expect(index).toEqual({ name: 'rag_chunk_bm25' });
    },
  );

  testInPostgres('stops at an applied migration that has changed, and names its file', async () => {
    const [first, ...rest] = await readMigrations(`${MIGRATIONS}/postgres`);
    if (first === undefined) throw new Error('there is no migration');
    const changed = [{ ...first, sql: `${first.sql}\n-- changed` }, ...rest];
    const next = {
      version: changed.length + 1,
      name: `V${changed.length + 1}__next.sql`,
      sql: 'CREATE TABLE next (n INT)',
    };

    const refused = await boot(bench, { migrations: [...changed, next] }).catch((error: unknown) => error);

    expect(refused).toBeInstanceOf(Conflict);
    expect((refused as Error).message).toContain(first.name);
    await expect(asOwner(bench, 'SELECT * FROM next')).rejects.toThrow(/does not exist/);
  });

  testInPostgres('brings a database of the first version to this one, with what is in it', async () => {
    await makeEmpty(bench);
    const migrations = await readMigrations(`${MIGRATIONS}/postgres`);
    await bench.migrator.apply(migrations.slice(0, 1));
    await bench.write(put.project(1));
    await storeAsFirstVersion(bench, { type: 'project', id: '1' });
    const before = await readChunks(bench.database);

    const report = await boot(bench, { nextModel: 'better' });
    await bench.drain({}, { next: new HashingEmbedder('better') });
    const after = await readChunks(bench.database);

    expect(report.migrated).toEqual(migrations.slice(1).map(({ name }) => name));
    expect(bench.embedder.encoded).toEqual([]);
    expect(after.filter((chunk) => chunk.embedding_model === bench.embedder.model)).toEqual(before);
    expect(after.filter((chunk) => chunk.embedding_model === 'better')).toHaveLength(before.length);
    expect(await findSources(bench, { caller: callerOf(1, 'manager'), vectorWeight: 0 }, 'project')).toHaveLength(1);
  });

  testInPostgres('leaves nothing of a migration that fails halfway, and applies it when it is mended', async () => {
    const applied = await readMigrations(`${MIGRATIONS}/postgres`);
    const version = applied.length + 1;
    const next = { version, name: `V${version}__next.sql`, sql: 'CREATE TABLE next (n INT); SELECT no_such_column' };

    await expect(boot(bench, { migrations: [...applied, next] })).rejects.toThrow();
    const mended = await boot(bench, { migrations: [...applied, { ...next, sql: 'CREATE TABLE next (n INT)' }] });
    await asOwner(bench, `DROP TABLE next; DELETE FROM rag_migration WHERE version = ${version}`);

    expect(mended.migrated).toEqual([next.name]);
  });

  test('enqueues exactly what has no chunk of the model, is not waiting, and is not empty', async () => {
    await bench.write(put.project(1), put.sprint(2), put.task(3), put.project(4), put.project(5));
    await bench.drain();
    for (const id of ['2', '3', '4', '5']) await loseChunks(bench, id);
    await bench.write(put.project(4, { name: 'Waits already' }));
    await bench.database.transaction('system', (tx) =>
      tx.execute("UPDATE rag_source SET state = 'empty', chunk_count = 0 WHERE source_id = '5'"),
    );

    const unwanted = await boot(bench, { backfill: false });
    const waitingBefore = await waitingSources(bench.database);
    const report = await boot(bench);
    const again = await boot(bench);
    const rows = await readQueueRows(bench.database);
    await bench.drain();

    expect(unwanted.enqueued).toBe(0);
    expect(waitingBefore).toEqual(['project/4']);
    expect(report.enqueued).toBe(2);
    expect(again.enqueued).toBe(0);
    expect(rows.map((row) => row.source).sort()).toEqual(['project/4', 'sprint/2', 'task/3']);
    expect((await readChunks(bench.database)).map((chunk) => chunk.source)).toEqual([
      'project/1',
      'project/4',
      'sprint/2',
      'task/3',
    ]);
  });

  test('has texts from before they had a language indexed again, without embedding them', async () => {
    await bench.write(put.project(1, { name: 'Los certificados', description: 'La renovación de los certificados.' }));
    await bench.write(put.project(2, { name: 'The certificates', description: 'The renewal of the certificates.' }));
    await bench.drain();
    const sql = 'SELECT source_id, language, terms, embedding_model FROM rag_chunk ORDER BY source_id';
    const before = await bench.database.rows('system', sql);
    await bench.database.execute('system', "UPDATE rag_chunk SET language = NULL, terms = NULL WHERE source_id = '1'");
    const embedded = bench.embedder.encoded.length;

    const report = await boot(bench, { backfill: false });
    const drained = await bench.drain();

    expect(report.enqueued).toBe(1);
    expect(drained).toMatchObject({ embedded: 0, unchanged: 1 });
    expect(bench.embedder.encoded).toHaveLength(embedded);
    expect(await bench.database.rows('system', sql)).toEqual(before);
    expect((await boot(bench)).enqueued).toBe(0);
  });

  test('stops before chunks of another model, naming both models and the command', async () => {
    await bench.write(put.project(1));
    await bench.drain();

    const refused = await boot(bench, { embeddingModel: 'better' }).catch((error: unknown) => error);

    expect(refused).toBeInstanceOf(ModelMismatch);
    expect((refused as Error).message).toMatch(/embedded by hashing, but better is configured.*--reembed/s);
    expect(await readQueueRows(bench.database)).toEqual([]);
  });

  test('with re-embedding asked for, replaces every chunk by one of the new model, and never mixes the two', async () => {
    const long = Array.from({ length: 30 }, (_, i) => `Rule ${i} is kept by the team.`).join('\n');
    await bench.write(put.project(1, { description: long }), put.task(1), put.sprint(1));
    await bench.drain();
    const before = await readChunks(bench.database);
    const better = new HashingEmbedder('better');
    better.vectorOf = () => vector(1, 0, 0);
    const mixed: string[] = [];
    better.before = async () => {
      const modelOf = new Map<string, string>();
      for (const { source, embedding_model } of await readChunks(bench.database)) {
        if ((modelOf.get(source) ?? embedding_model) !== embedding_model) mixed.push(source);
        modelOf.set(source, embedding_model);
      }
    };

    const report = await boot(bench, { embeddingModel: 'better', reembed: true });
    await bench.drain({ batchSize: 1 }, { embedder: better });
    const after = await readChunks(bench.database);

    expect(report.enqueued).toBe(3);
    expect(mixed).toEqual([]);
    expect(new Set(after.map((chunk) => chunk.embedding_model))).toEqual(new Set(['better']));
    expect(after.map(({ source, content }) => ({ source, content }))).toEqual(
      before.map(({ source, content }) => ({ source, content })),
    );
    expect(await boot(bench, { embeddingModel: 'better' })).toEqual({
      migrated: [],
      loaded: [],
      enqueued: 0,
      outdated: 0,
    });
  });
});
