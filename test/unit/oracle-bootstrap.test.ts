import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OracleMigrator, statementsOf } from '../../functions/adapters/oracle/migrator.ts';
import { OracleModelStore } from '../../functions/adapters/oracle/model-store.ts';
import { prepareUsers } from '../../functions/adapters/oracle/users.ts';
import { Conflict, ModelUnavailable } from '../../functions/core/errors.ts';
import type { EmbeddingModel } from '../../functions/ports/embedder.ts';
import { hashVector } from '../support/hashing-embedder.ts';
import { FakeOracle } from '../support/oracle/driver.ts';
import { FakeOracleError } from '../support/oracle/errors.ts';
import { compareWithGolden } from '../support/oracle/golden.ts';
import { normalize, Recorder } from '../support/oracle/recorder.ts';
import { oracleMigrations, oracleUsers, PLACEHOLDERS } from '../support/oracle/schema.ts';

const NAMES = { owner: 'RAG_OWNER', runtime: 'RAG_RUNTIME' };
const MODEL: EmbeddingModel = { model: 'ALL_MINILM_L12_V2', dimension: 384, inDatabase: true };
const URL =
  'https://objectstorage.eu-frankfurt-1.oraclecloud.com/p/SECRET-TOKEN/n/ns/b/models/o/all_MiniLM_L12_v2.onnx';

const embedding = (embed = (text: string) => Float32Array.from(hashVector(text))) => ({
  vectorInfo: 'VECTOR(384,FLOAT32)',
  embed,
});

/** What the self-test's near sentence shares with its text; the far one shares nothing. */
const meaning = (text: string) => Float32Array.from(hashVector(/invoice|bill/.test(text) ? 'money' : 'penguin'));

let oracle: FakeOracle;
beforeEach(() => {
  oracle = new FakeOracle(new Recorder());
  oracle.catalog.loaded = embedding(meaning);
});

afterEach(async () => {
  const files = [...(await oracleUsers()), ...(await oracleMigrations())];
  const ofFiles = new Set(files.flatMap(({ sql }) => statementsOf(sql, PLACEHOLDERS)).map(normalize));
  // The migrations' own statements are reviewed where they stand; what a test makes up is not the product's.
  const own = oracle.recorder.all().filter(({ sql }) => !ofFiles.has(sql) && !/\bt[12]\b|IDENTIFIED BY/.test(sql));
  compareWithGolden(oracle.recorder, own);
});

const connect = () => oracle.connect({ user: 'RAG_OWNER', password: 'owner-secret' });
const migrator = () => new OracleMigrator({ driver: oracle.driver, ...NAMES, connect });
const modelStore = (source = URL) =>
  new OracleModelStore({ driver: oracle.driver, ...NAMES, connect, sourceOf: async () => source });

const sent = () => oracle.recorder.all().map(({ sql }) => sql);
const caught = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: Error) => error,
  );

describe('migrations on Oracle', () => {
  test('are applied once, in order; run again, nothing is', async () => {
    const files = await oracleMigrations();
    expect(await migrator().apply(files)).toEqual(files.map(({ name }) => name));
    expect(await migrator().apply(files)).toEqual([]);
    for (const table of ['TASK', 'RAG_CHUNK', 'RAG_DIRTY', 'RAG_SOURCE']) {
      expect(oracle.catalog.objects.has(table), table).toBe(true);
    }
  });

  test('run twice at once, are applied by one of the two', async () => {
    const files = await oracleMigrations();
    const applied = await Promise.all([migrator().apply(files), migrator().apply(files)]);
    expect(applied.flat().sort()).toEqual(files.map(({ name }) => name).sort());
  });

  test('stop at an applied file that has changed, and name it', async () => {
    const files = await oracleMigrations();
    await migrator().apply(files);
    const changed = files.map((file, i) => (i === 1 ? { ...file, sql: `${file.sql}\n-- changed` } : file));
    const error = await caught(migrator().apply(changed));
    expect(error).toBeInstanceOf(Conflict);
    expect(error?.message).toContain('V2__row_security.sql');
  });

  test.each([
    ['CREATE TABLE IF NOT EXISTS rag_bootstrap_lock', 'ORA-00955'],
    ['INSERT INTO rag_bootstrap_lock', 'ORA-00001'],
  ])('go on where another process has just done the same: %s', async (sql, code) => {
    oracle.catalog.failAt(new RegExp(sql), () => new FakeOracleError(code, 'it is there'));
    expect(await migrator().apply(await oracleMigrations())).not.toEqual([]);
  });

  test('that wait in vain for another bootstrap say so', async () => {
    oracle.catalog.failAt(/FOR UPDATE WAIT/, () => new FakeOracleError('ORA-30006', 'resource busy'));
    expect((await caught(migrator().apply([])))?.message).toContain('Another bootstrap');
  });

  const two = (second: string) => [{ version: 1, name: 'V1__two.sql', sql: `CREATE TABLE t1 (n NUMBER);\n${second}` }];

  test('go on where one failed, when it is mended, and repeat nothing', async () => {
    oracle.catalog.failAt(/t2/, () => new FakeOracleError('ORA-00907', 'missing right parenthesis'));
    const error = await caught(migrator().apply(two('CREATE TABLE t2 (n NUMBER;')));
    expect(error?.message).toMatch(/V1__two\.sql, statement 2: CREATE TABLE t2 \(n NUMBER: ORA-00907/);

    expect(await migrator().apply(two('CREATE TABLE t2 (n NUMBER);'))).toEqual(['V1__two.sql']);
    expect(sent().filter((sql) => sql.startsWith('CREATE TABLE t1'))).toHaveLength(1);
  });

  test('refuse a mended file whose carried-out part has changed', async () => {
    oracle.catalog.failAt(/t2/, () => new FakeOracleError('ORA-00907', 'missing right parenthesis'));
    await caught(migrator().apply(two('CREATE TABLE t2 (n NUMBER;')));
    const [file] = two('CREATE TABLE t2 (n NUMBER);');
    const changed = [{ ...file, version: 1, name: 'V1__two.sql', sql: String(file?.sql).replace('t1', 't1_other') }];
    expect(await caught(migrator().apply(changed))).toBeInstanceOf(Conflict);
  });

  test('that were killed between a statement and its record go on', async () => {
    oracle.catalog.failAt(/SET statements_done/, () => new FakeOracleError('NJS-500', 'closed', true));
    await caught(migrator().apply(two('CREATE TABLE t2 (n NUMBER);')));
    expect(oracle.catalog.objects).toContain('T1');
    expect(await migrator().apply(two('CREATE TABLE t2 (n NUMBER);'))).toEqual(['V1__two.sql']);
  });

  test.each([
    ['ORA-00439', 'row-level security'],
    ['ORA-29833', 'Oracle Text'],
    ['ORA-01031', 'RAG_DATABASE_ADMIN_USER'],
  ])('say what %s means here', async (code, expected) => {
    oracle.catalog.failAt(/t2/, () => new FakeOracleError(code, 'something'));
    expect((await caught(migrator().apply(two('CREATE TABLE t2 (n NUMBER);'))))?.message).toContain(expected);
  });

  test('stop at stored code that is kept but does not compile, and go on when it does', async () => {
    oracle.catalog.invalid = /PACKAGE BODY rag_policy/;
    const files = await oracleMigrations();
    const error = await caught(migrator().apply(files));
    expect(error?.message).toMatch(/V2__row_security\.sql.*PACKAGE BODY RAG_X, line 3: PLS-00231/);

    oracle.catalog.invalid = null;
    expect(await migrator().apply(files)).toEqual(files.slice(1).map(({ name }) => name));
  });

  test('declare texts as long as the database takes them', async () => {
    oracle.catalog.textBytes = 4000;
    await migrator().apply(await oracleMigrations());
    expect(sent().find((sql) => sql.startsWith('CREATE TABLE rag_chunk'))).toContain('content VARCHAR2(4000)');
  });
});

describe('the model in the database', () => {
  test('is loaded from its URL, granted and tried; when it is there, nothing is done', async () => {
    expect(await modelStore().prepare(MODEL)).toBe('loaded');
    expect(await modelStore().prepare(MODEL)).toBe('present');
    expect(sent().filter((sql) => sql.includes('LOAD_ONNX_MODEL'))).toHaveLength(1);
    expect(sent()).toContain('GRANT SELECT ON MINING MODEL ALL_MINILM_L12_V2 TO RAG_RUNTIME');
  });

  test('is there once after two bootstraps at once', async () => {
    const results = await Promise.all([modelStore().prepare(MODEL), modelStore().prepare(MODEL)]);
    expect(results.sort()).toEqual(['loaded', 'present']);
  });

  test('is loaded by way of memory where the database has no such procedure', async () => {
    oracle.catalog.failAt(
      /LOAD_ONNX_MODEL_CLOUD/,
      () => new FakeOracleError('ORA-06550', 'PLS-00302: component must be declared'),
    );
    expect(await modelStore().prepare(MODEL)).toBe('loaded');
    expect(sent().some((sql) => sql.includes('DBMS_CLOUD.GET_OBJECT'))).toBe(true);
  });

  test('is loaded from a file on the server', async () => {
    expect(await modelStore('MODELS:all_MiniLM_L12_v2.onnx').prepare(MODEL)).toBe('loaded');
    expect(sent().some((sql) => sql.includes('directory => :directory_name'))).toBe(true);
  });

  test.each(['models:x.onnx', 'MODELS:../x.onnx', "MODELS:x'.onnx", 'ftp://host/x'])(
    'is not loaded from %j, which is no source',
    async (source) => {
      expect(await caught(modelStore(source).prepare(MODEL))).toBeInstanceOf(ModelUnavailable);
    },
  );

  test('without a source says what to set', async () => {
    expect((await caught(modelStore('').prepare(MODEL)))?.message).toContain('RAG_EMBEDDING_MODEL_SOURCE');
  });

  test.each([
    ['ORA-20401', 'expired'],
    ['ORA-20403', 'does not allow reading'],
    ['ORA-20404', 'nothing is at'],
  ])(
    'with a URL that is answered with %s names the cause and what renews it, and never the URL',
    async (code, cause) => {
      oracle.catalog.failAt(/LOAD_ONNX_MODEL_CLOUD/, () => new FakeOracleError(code, `Request failed - ${URL}`));
      const error = await caught(modelStore().prepare(MODEL));
      expect(error).toBeInstanceOf(ModelUnavailable);
      expect(error?.message).toContain(cause);
      expect(error?.message).toContain('oci os preauth-request create');
      expect(`${error?.message}${error?.stack}${String(error?.cause)}`).not.toContain('SECRET-TOKEN');
    },
  );

  test.each([
    ['ORA-54408', 'augmented'],
    ['ORA-54467', 'memory'],
    ['ORA-99999', 'ORA-99999'],
  ])('that cannot be loaded (%s) says why', async (code, cause) => {
    oracle.catalog.failAt(/LOAD_ONNX_MODEL_CLOUD/, () => new FakeOracleError(code, 'something'));
    expect((await caught(modelStore().prepare(MODEL)))?.message).toContain(cause);
  });

  test('that a cut-off load has left half is dropped and loaded anew', async () => {
    oracle.catalog.models.set('ALL_MINILM_L12_V2', { vectorInfo: null, embed: meaning });
    expect(await modelStore().prepare(MODEL)).toBe('loaded');
    expect(sent().some((sql) => sql.includes('DROP_ONNX_MODEL'))).toBe(true);
    expect(oracle.catalog.models.get('ALL_MINILM_L12_V2')?.vectorInfo).toBe('VECTOR(384,FLOAT32)');
  });

  test('of which a failed load has left something is dropped', async () => {
    oracle.catalog.failAt(/LOAD_ONNX_MODEL_CLOUD/, () => {
      oracle.catalog.models.set('ALL_MINILM_L12_V2', { vectorInfo: null, embed: meaning });
      return new FakeOracleError('ORA-54467', 'out of memory');
    });
    await caught(modelStore().prepare(MODEL));
    expect(oracle.catalog.models.size).toBe(0);
  });

  test.each(['VECTOR(512,FLOAT32)', 'VECTOR(384,INT8)'])(
    'that makes %s is refused, and left alone',
    async (vectorInfo) => {
      oracle.catalog.models.set('ALL_MINILM_L12_V2', { vectorInfo, embed: meaning });
      const error = await caught(modelStore().prepare(MODEL));
      expect(error?.message).toContain(vectorInfo);
      expect(error?.message).toContain('RAG_EMBEDDING_DIMENSION');
      expect(oracle.catalog.models.size).toBe(1);
    },
  );

  test('that finds the far sentence nearer fails its self-test', async () => {
    oracle.catalog.loaded = embedding((text) =>
      Float32Array.from(hashVector(/invoice|Penguin/.test(text) ? 'a' : 'b')),
    );
    expect((await caught(modelStore().prepare(MODEL)))?.message).toContain('self-test');
  });

  test('of another dimension gets a column of its own, once', async () => {
    const e5 = { model: 'E5_BASE', dimension: 768, inDatabase: true };
    oracle.catalog.loaded = {
      vectorInfo: 'VECTOR(768,FLOAT32)',
      embed: (text) => Float32Array.from([...meaning(text), ...meaning(text)]),
    };
    await Promise.all([modelStore().prepare(e5), modelStore().prepare(e5)]);
    expect(sent().filter((sql) => sql.startsWith('ALTER TABLE rag_chunk'))).toEqual([
      'ALTER TABLE rag_chunk ADD (embedding_768 VECTOR(768, FLOAT32))',
    ]);
  });

  test('outside of the database needs a column alone', async () => {
    await modelStore('').prepare({ model: 'cohere.embed-v4.0', dimension: 1536, inDatabase: false });
    expect(oracle.catalog.columns).toEqual(new Set(['EMBEDDING_1536']));
  });
});

describe('the two users', () => {
  const prepare = async (passwords: { owner: string | null; runtime: string | null }) =>
    prepareUsers(
      {
        driver: oracle.driver,
        ...NAMES,
        passwords,
        connectAdmin: () => oracle.connect({ user: 'ADMIN' }),
        connectAs: (user) =>
          oracle.connect({ user, password: (user === 'RAG_OWNER' ? passwords.owner : passwords.runtime) ?? '' }),
      },
      await oracleUsers(),
    );

  test('are made with their passwords, which are set again only where they no longer fit', async () => {
    oracle.catalog.passwords.set('RAG_OWNER', '(none)').set('RAG_RUNTIME', '(none)');
    const passwords = { owner: 'Owner-1', runtime: 'Runtime-1' };
    await prepare(passwords);
    expect(Object.fromEntries(oracle.catalog.passwords)).toEqual({ RAG_OWNER: 'Owner-1', RAG_RUNTIME: 'Runtime-1' });
    const before = sent().filter((sql) => sql.includes('IDENTIFIED BY')).length;
    await prepare(passwords);
    expect(sent().filter((sql) => sql.includes('IDENTIFIED BY'))).toHaveLength(before);
    await prepare({ ...passwords, runtime: 'Runtime-2' });
    expect(oracle.catalog.passwords.get('RAG_RUNTIME')).toBe('Runtime-2');
  });

  test.each(['a"b', 'a\nb', ''])('get no password %j, which would end the statement it stands in', async (password) => {
    oracle.catalog.passwords.set('RAG_RUNTIME', '(none)');
    const error = await caught(prepare({ owner: null, runtime: password }));
    expect(error?.message).toContain('RAG_RUNTIME');
  });

  test('whose password the database refuses: the error does not hold it', async () => {
    oracle.catalog.passwords.set('RAG_RUNTIME', '(none)');
    oracle.catalog.failAt(/IDENTIFIED BY/, () => new FakeOracleError('ORA-28003', 'weak: Sesame-9'));
    const error = await caught(prepare({ owner: null, runtime: 'Sesame-9' }));
    expect(error?.message).toContain('ORA-28003');
    expect(`${error?.message}${error?.stack}${String(error?.cause)}`).not.toContain('Sesame-9');
  });
});
