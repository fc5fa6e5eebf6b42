import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { OracleDatabase } from '../../functions/adapters/oracle/database.ts';
import { statementsOf } from '../../functions/adapters/oracle/migrator.ts';
import { type SqlSettings, writeSqlSettings } from '../../functions/adapters/oracle/sql-settings.ts';
import type { Caller } from '../../functions/core/scope.ts';
import { drain } from '../../functions/drain/drain.ts';
import { DEFAULT_CUTTING } from '../../functions/drain/plan.ts';
import { applyChange } from '../../functions/ingest/ingest.ts';
import { HASHING, HashingDatabaseEmbedder, hashVector } from '../support/hashing-embedder.ts';
import { callerOf } from '../support/inspect.ts';
import { sqlIn } from '../support/oracle/code.ts';
import { connectFakeOracle, FakeOracle } from '../support/oracle/driver.ts';
import { compareWithGolden } from '../support/oracle/golden.ts';
import { Recorder } from '../support/oracle/recorder.ts';
import { oracleMigrations, PLACEHOLDERS, readSchema, type Schema } from '../support/oracle/schema.ts';
import { put } from '../support/records.ts';
import { startTemplate } from '../support/template.ts';

let schema: Schema;
beforeAll(async () => {
  schema = await readSchema();
});

describe('bootstrap writes what RAG goes by', () => {
  const write = async (settings: Partial<SqlSettings> = {}) => {
    const oracle = new FakeOracle(new Recorder());
    await writeSqlSettings(
      { driver: oracle.driver, connect: () => oracle.connect({ user: 'RAG_OWNER' }) },
      {
        embeddingModel: { model: 'all_MiniLM_L12_v2', dimension: 384, inDatabase: true },
        cutoff: 0.8,
        topK: 8,
        answer: null,
        keepsText: true,
        callsPerDay: 0,
        callsPerPerson: 20,
        ...settings,
      },
    );
    const sent = oracle.recorder.all().filter(({ sql }) => sql.includes('rag_setting'));
    compareWithGolden(oracle.recorder, sent);
    return oracle.catalog.sqlSettings ?? {};
  };

  test('the names as the tables and the catalog have them, and no model where none answers', async () => {
    const row = await write();
    expect(row).toMatchObject({
      embedding_model: 'all_MiniLM_L12_v2',
      model_object: 'ALL_MINILM_L12_V2',
      vector_column: 'embedding',
      answer_model: null,
      answer_params: null,
      keeps_text: 1,
      calls_per_person: 20,
    });
    expect(Object.keys(row).sort()).toEqual(
      [...(schema.tables.get('rag_setting') ?? [])].filter((name) => name !== 'setting_id').sort(),
    );
  });

  test('a model that is not in the database by its column alone', async () => {
    const row = await write({ embeddingModel: { model: 'cohere.embed-v4.0', dimension: 1536, inDatabase: false } });
    expect(row).toMatchObject({
      embedding_model: 'cohere.embed-v4.0',
      model_object: null,
      vector_column: 'embedding_1536',
    });
  });

  test.each([
    ['meta.llama-3.3-70b-instruct', { maxTokens: 800, temperature: 0 }],
    ['openai.gpt-oss-120b', { maxCompletionTokens: 2800, temperature: 0 }],
    ['openai.gpt-5', { maxCompletionTokens: 2800 }],
  ])('how %s is asked: by the database itself, at temperature 0 where it takes one', async (model, chatRequest) => {
    const { answer_params } = await write({ answer: { model, region: 'eu-frankfurt-1', maxTokens: 800 } });
    expect(JSON.parse(String(answer_params))).toEqual({
      provider: 'ocigenai',
      credential_name: 'OCI$RESOURCE_PRINCIPAL',
      url: 'https://inference.generativeai.eu-frankfurt-1.oci.oraclecloud.com/20231130/actions/chat',
      model,
      transfer_timeout: 30,
      chatRequest,
    });
  });

  test('a key for the fences that nobody can guess, another each time', async () => {
    const [one, two] = [await write(), await write()];
    expect(one.fence_key).toMatch(/^[0-9a-f]{64}$/);
    expect(two.fence_key).not.toBe(one.fence_key);
  });
});

describe('the search of RAG, run as it stands in its package,', () => {
  const DEVELOPER = callerOf(2, 'developer');
  const MANAGER = callerOf(1, 'manager');
  const embedder = new HashingDatabaseEmbedder();
  let behind: Awaited<ReturnType<typeof startTemplate>>;
  let oracle: FakeOracle;
  let database: OracleDatabase;
  let search: string;

  beforeAll(async () => {
    behind = await startTemplate(inject('templateFolder'));
    oracle = new FakeOracle(new Recorder(), behind.url);
    oracle.embed = (text) => Float32Array.from(hashVector(text));
    database = connectFakeOracle(oracle);
    const statements = (await oracleMigrations()).flatMap(({ sql }) => statementsOf(sql, PLACEHOLDERS));
    const body = statements.find((statement) => statement.startsWith('CREATE OR REPLACE PACKAGE BODY rag_search'));
    search =
      sqlIn(body ?? '', { model: 'ALL_MINILM_L12_V2', column: 'embedding' }).find((sql) =>
        sql.includes('VECTOR_DISTANCE'),
      ) ?? '';

    for (const id of [1, 2, 3]) await applyChange(database, put.employee(id));
    const long = Array.from({ length: 40 }, (_, i) => `The invoice rule number${i} is kept.`).join('\n');
    await applyChange(database, put.project(1, { name: 'Ledger', description: long }));
    await applyChange(database, put.task(1, { title: 'Mine about invoices', assigneeId: 2 }));
    await applyChange(database, put.task(2, { title: 'Theirs about invoices', assigneeId: 3 }));
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    await drain(
      { callId: 'test', database, embedder, next: null, metrics: { count: () => {} }, log },
      { batchSize: 32, maxAttempts: 5, leaseSeconds: 60, deadline: null, cutting: DEFAULT_CUTTING },
    );
  });
  afterAll(async () => {
    await oracle.close();
    await behind.stop();
  });

  const find = (caller: Caller, question: string, topK = 8) =>
    database.rows<{
      chunk_id: number;
      source_type: string;
      source_id: string;
      distance: number;
      near_no: number | null;
      chunk_no: number;
    }>(caller, search, {
      question,
      model: HASHING.model,
      everything: caller.role === 'developer' ? 0 : 1,
      employee_id: caller.employeeId,
      top_k: topK,
    });
  const sources = (rows: { source_type: string; source_id: string }[]) => [
    ...new Set(rows.map(({ source_type, source_id }) => `${source_type}/${source_id}`)),
  ];

  test('finds for each what they may see, nearest first', async () => {
    const mine = await find(DEVELOPER, 'invoices');
    expect(sources(mine).sort()).toEqual(['project/1', 'task/1']);
    expect(sources(await find(MANAGER, 'invoices')).sort()).toEqual(['project/1', 'task/1', 'task/2']);
    expect(mine.map(({ distance }) => distance)).toEqual(mine.map(({ distance }) => distance).sort((a, b) => a - b));
  });

  test('finds nothing of others where its own predicate says that everything may be seen, since the database says no', async () => {
    const rows = await database.rows<{ source_type: string; source_id: string }>(DEVELOPER, search, {
      question: 'invoices',
      model: HASHING.model,
      everything: 1,
      employee_id: 1,
      top_k: 8,
    });
    expect(sources(rows)).not.toContain('task/2');
  });

  test('counts a section once, with the passages beside the nearest', async () => {
    const rows = (await find(DEVELOPER, 'number20')).filter(({ source_type }) => source_type === 'project');
    expect(new Set(rows.map(({ chunk_id }) => chunk_id)).size).toBe(1);
    expect(rows.map(({ near_no, chunk_no }) => Math.abs((near_no ?? 0) - chunk_no))).toEqual([1, 1]);
  });

  test('brings as many sources as are asked for', async () => {
    expect(sources(await find(MANAGER, 'invoices', 2))).toHaveLength(2);
  });
});
