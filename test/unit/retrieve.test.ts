import { expect, test } from 'vitest';
import { postgresDialect } from '../../functions/adapters/postgres/dialect.ts';
import { findCandidates, retrieve } from '../../functions/ask/retrieve.ts';
import type { Actor, Binds, Database } from '../../functions/ports/database.ts';
import { HashingEmbedder } from '../support/hashing-embedder.ts';
import { callerOf } from '../support/inspect.ts';

const row = (chunk_id: number, owner_employee_id: number | null, audience: string, is_reader = 0) => ({
  chunk_id,
  source_type: 'task',
  source_id: String(chunk_id),
  chunk_no: 0,
  section: null,
  title: 'A title',
  heading: null,
  metadata: null,
  distance: 0.1,
  is_near: 1,
  text_score: 1,
  amount: null,
  owner_employee_id,
  audience,
  is_reader,
  shown_no: 0,
  shown_content: 'A text',
  shown_repeated: null,
});

test('what a database returns although the caller may not see it is left out, and told to the log without its text', async () => {
  const rows = [
    row(1, 1, 'owner'),
    row(2, 2, 'owner'),
    row(3, null, 'owner'),
    row(4, 2, 'organization'),
    row(5, null, 'people', 1),
    row(6, null, 'people'),
    row(7, null, 'managers', 1),
  ];
  const database = { dialect: postgresDialect('bm25'), rows: async () => rows } as unknown as Database;
  const told: unknown[] = [];
  const log = { info() {}, warn() {}, error: (...all: unknown[]) => told.push(all) };

  const { hits } = await retrieve({ database, embedder: new HashingEmbedder(), caller: callerOf(1), log }, 'text', {
    topK: 8,
    vectorWeight: 0.5,
    languages: 'any',
    maxPerSource: 0,
    filters: {},
    sort: null,
    approximate: false,
  });

  expect(hits.map((hit) => hit.sourceId)).toEqual(['1', '4', '5']);
  expect(told).toEqual([['scope_breach_stopped', expect.any(Error), { employeeId: 1, rows: 4 }]]);
});

test.each([
  ['top 5 SQL', 8, 5],
  ['the ten slowest SQL', 8, 8],
  ['slowest SQL', 8, 3],
  ['slowest SQL', 2, 2],
])(
  'of an order that a question asks for, as many sections come as it says: %j of %i',
  async (question, topK, count) => {
    const asked: unknown[] = [];
    const rows = async (_actor: Actor, _sql: string, binds: Binds) => {
      asked.push(binds.most);
      return [];
    };
    const database = { dialect: postgresDialect('bm25'), rows } as unknown as Database;
    const log = { info() {}, warn() {}, error() {} };
    const searching = { database, embedder: new HashingEmbedder(), caller: callerOf(1), log };
    await findCandidates(searching, question, { topK, filters: {}, sort: null, approximate: false });
    expect(asked).toEqual([count]);
  },
);
