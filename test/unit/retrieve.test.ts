import { expect, test } from 'vitest';
import { postgresDialect } from '../../functions/adapters/postgres/dialect.ts';
import { retrieve } from '../../functions/ask/retrieve.ts';
import type { Database } from '../../functions/ports/database.ts';
import { HashingEmbedder } from '../support/hashing-embedder.ts';
import { callerOf } from '../support/inspect.ts';

const row = (chunk_id: number, owner_employee_id: number | null, audience: string) => ({
  chunk_id,
  source_type: 'task',
  source_id: String(chunk_id),
  chunk_no: 0,
  section: null,
  title: 'A title',
  content: 'A text',
  distance: 0.1,
  is_near: 1,
  text_score: 1,
  owner_employee_id,
  audience,
  near_no: null,
  near_content: null,
});

test('what a database returns although the caller may not see it is left out, and told to the log without its text', async () => {
  const rows = [row(1, 1, 'owner'), row(2, 2, 'owner'), row(3, null, 'owner'), row(4, 2, 'organization')];
  const database = { dialect: postgresDialect('bm25'), rows: async () => rows } as unknown as Database;
  const told: unknown[] = [];
  const log = { info() {}, warn() {}, error: (...all: unknown[]) => told.push(all) };

  const { hits } = await retrieve({ database, embedder: new HashingEmbedder(), caller: callerOf(1), log }, 'text', {
    topK: 8,
    vectorWeight: 0.5,
    languages: 'any',
    maxPerSource: 0,
    filter: {},
    approximate: false,
  });

  expect(hits.map((hit) => hit.sourceId)).toEqual(['1', '4']);
  expect(told).toEqual([['scope_breach_stopped', expect.any(Error), { employeeId: 1, rows: 2 }]]);
});
