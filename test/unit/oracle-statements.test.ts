import { beforeAll, describe, expect, test } from 'vitest';
import { statementsOf } from '../../functions/adapters/oracle/migrator.ts';
import { splitStatements } from '../../functions/adapters/oracle/statements.ts';
import { readGolden } from '../support/oracle/golden.ts';
import { lint } from '../support/oracle/lint.ts';
import { parseStatement } from '../support/oracle/parse.ts';
import { oracleMigrations, oracleUsers, PLACEHOLDERS, readSchema, type Schema } from '../support/oracle/schema.ts';

let schema: Schema;
beforeAll(async () => {
  schema = await readSchema();
});

describe('the reviewed Oracle statements', () => {
  const golden = readGolden();

  test('are all there: of the queue, the records, the chunks, the models', () => {
    expect(golden.length).toBeGreaterThan(40);
    for (const part of ['SKIP LOCKED', 'VECTOR_DISTANCE', 'LOAD_ONNX_MODEL_CLOUD', 'rag_log', 'rag_bootstrap_lock']) {
      expect(
        golden.some(({ sql }) => sql.includes(part)),
        part,
      ).toBe(true);
    }
  });

  test.each(golden)('keep the rules: $sql', ({ sql }) => {
    expect(lint(sql, schema)).toEqual([]);
  });

  test.each(golden)('bind what they name, and name what they bind: $sql', ({ sql, binds }) => {
    expect(parseStatement(sql).names.sort()).toEqual(
      Object.keys(binds)
        .map((name) => name.toUpperCase())
        .sort(),
    );
  });
});

describe('the linter finds', () => {
  const search = (inner: string) => `SELECT h.chunk_id FROM (${inner}) h`;
  test.each([
    ['SELECT task_id FROM task;', 'SQL ends without a semicolon'],
    ['BEGIN RAG_OWNER.rag_security.leave; END', 'a block ends with a semicolon'],
    ['SELECT task_id FROM task LIMIT 5', 'LIMIT'],
    ['SELECT CAST(task_id AS VARCHAR(9)), title::text FROM task', '::'],
    ['TRUNCATE TABLE rag_chunk', 'TRUNCATE'],
    ['SELECT dirty_id FROM rag_dirty FETCH FIRST 5 ROWS ONLY FOR UPDATE', 'ORA-02014'],
    ['SELECT dirty_id FROM rag_dirty WHERE ROWNUM <= 5 FOR UPDATE SKIP LOCKED', 'ROWNUM'],
    ['SELECT chunk_id FROM rag_chunk FETCH FIRST EXACT 5 ROWS ONLY', 'before FIRST'],
    [
      search(
        'SELECT c.chunk_id FROM rag_chunk c ORDER BY VECTOR_DISTANCE(c.embedding, :q, COSINE) FETCH FIRST 5 ROWS ONLY',
      ),
      'EXACT or APPROX',
    ],
    [
      search(
        "SELECT c.chunk_id FROM rag_chunk c WHERE c.title = 'x' ORDER BY VECTOR_DISTANCE(c.embedding, :q, COSINE) FETCH APPROX FIRST 5 ROWS ONLY",
      ),
      'APPROX where',
    ],
    ['SELECT chunk_id FROM rag_chunk WITH TARGET ACCURACY 90', 'after ROWS ONLY'],
    ['SELECT VECTOR_EMBEDDING(O.M USING :q AS DATA) AS v, chunk_id FROM rag_chunk', 'for each row'],
    ['SELECT (SELECT VECTOR_EMBEDDING(O.M USING :q) FROM dual) AS v FROM dual', 'AS DATA'],
    ['SELECT chunk_id FROM rag_chunk ORDER BY VECTOR_DISTANCE(embedding, :q)', 'metric'],
    ['SELECT chunk_id FROM rag_chunk ORDER BY embedding <=> :q', 'distance operator'],
    [
      "SELECT c.chunk_id FROM rag_chunk c JOIN rag_chunk n ON n.section = c.section WHERE (c.audience = 'organization' OR c.owner_employee_id = :employee_id)",
      'n: chunks are read without the scope',
    ],
    ['SELECT SCORE(1) AS score FROM rag_chunk', 'SCORE without'],
    ["BEGIN EXECUTE IMMEDIATE 'TRUNCATE TABLE rag_chunk'; END;", 'TRUNCATE'],
    ['SELECT task_id FROM task /', 'slash'],
    ['SELECT DISTINCT title FROM task FOR UPDATE', 'ORA-02014'],
    ['UPDATE task AS t SET title = :title', 'AS before'],
    [
      'SELECT chunk_id FROM (SELECT chunk_id FROM rag_chunk ORDER BY VECTOR_DISTANCE(embedding, :q, COSINE)) WHERE ROWNUM < 5',
      'ROWNUM in a search',
    ],
    [
      search(
        'SELECT c.chunk_id FROM rag_chunk c JOIN task t ON t.title = c.title ORDER BY VECTOR_DISTANCE(c.embedding, :q, COSINE) FETCH APPROX FIRST 5 ROWS ONLY',
      ),
      'APPROX where',
    ],
    [
      "SELECT c.chunk_id FROM rag_chunk c WHERE (c.audience = 'organization' OR c.owner_employee_id = :employee_id) UNION ALL SELECT c.chunk_id FROM rag_chunk c",
      'c: chunks are read without',
    ],
    [
      "SELECT c.chunk_id FROM rag_chunk c WHERE (c.audience = 'organization' OR c.owner_employee_id = :employee_id) OR 1 = 1",
      'c: chunks are read without',
    ],
    ['SELECT * FROM task', 'column by column'],
    ['SELECT embedding FROM rag_chunk', 'a vector is fetched'],
    ['SELECT c.* FROM rag_chunk c', 'column by column'],
    ['SELECT c.embedding FROM rag_chunk c', 'a vector is fetched'],
    ['SELECT t.task_id FROM tasks t', 'tasks: no migration makes'],
    ['SELECT t.name FROM task t', 't.name: no such column'],
    ['SELECT name FROM task', 'name: no such column'],
    ['UPDATE rag_dirty SET claimed_at = NULL', 'claimed_at: no such column'],
    ['SELECT t.task_id FROM task AS t', 'AS before the alias of a table'],
    ['SELECT t.task_id FROM (SELECT task_id FROM task) AS t', 'AS before the alias of a subquery'],
    ['SELECT task_id FROM task WHERE due_date = TO_DATE(:date, :level)', ':date is a reserved word'],
    ['BEGIN RAG_OWNER.rag_security.become_admin; END;', 'no such procedure'],
    ['BEGIN RAG_OWNER.rag_other.leave; END;', 'no migration makes this package'],
    [
      search(
        'SELECT d.chunk_id FROM (SELECT c.chunk_id, VECTOR_DISTANCE(c.embedding, :q, COSINE) AS distance FROM rag_chunk c) d ORDER BY d.distance FETCH FIRST 5 ROWS ONLY',
      ),
      'EXACT or APPROX',
    ],
    ['SELECT /*+ VECTOR_INDEX_TRANSFORM(c) */ c.chunk_id FROM rag_chunk c', 'hint'],
  ])('%s', (sql, expected) => {
    expect(lint(sql, schema).join('\n')).toContain(expected);
  });
});

test('the linter lets a plain FETCH FIRST pass beside a search, where no distance is in it', () => {
  const near =
    'SELECT c.chunk_id FROM rag_chunk c ORDER BY VECTOR_DISTANCE(c.embedding, :q, COSINE) FETCH EXACT FIRST 5 ROWS ONLY';
  const other = 'SELECT c.chunk_id FROM rag_chunk c ORDER BY c.chunk_id FETCH FIRST 5 ROWS ONLY';

  expect(lint(`SELECT a.chunk_id FROM (${near}) a UNION ALL SELECT b.chunk_id FROM (${other}) b`, schema)).toEqual([]);
});

/** Tables that no migration makes. */
const MADE_BY_ADAPTER = ['rag_migration', 'rag_bootstrap_lock'];

describe('the Oracle migrations', () => {
  test('are split into statements, each of one kind, none with an end mark left in it', async () => {
    for (const { name, sql } of [...(await oracleUsers()), ...(await oracleMigrations())]) {
      const statements = statementsOf(sql, PLACEHOLDERS);
      expect(statements.length, name).toBeGreaterThan(1);
      for (const statement of statements) {
        const isUnit = /^(?:BEGIN|DECLARE|CREATE OR REPLACE PACKAGE)\b/.test(statement);
        expect(statement, name).toMatch(isUnit ? /END(?: \w+)?;$/ : /^(?:CREATE|ALTER|GRANT|COMMENT)\b[\s\S]*[^;]$/);
        expect(statement, name).not.toMatch(/^\s*\/\s*$/m);
        expect(statement, name).not.toMatch(/\$\{/);
      }
    }
  });

  test('let nobody bypass the row policies', async () => {
    const text = [...(await oracleUsers()), ...(await oracleMigrations())].map(({ sql }) => sql).join('\n');
    expect(text).not.toMatch(
      /EXEMPT ACCESS POLICY|GRANT\s+(?:DBA|ALL)\b|TO PUBLIC|ANY TABLE|WITH (?:GRANT|ADMIN) OPTION/i,
    );
    const runtimeRights = [...text.matchAll(/^GRANT ([^;]*?) TO \$\{RUNTIME\};/gm)].map(([, rights]) => rights);
    expect(runtimeRights.length).toBeGreaterThan(8);
    for (const rights of runtimeRights) {
      expect(rights).toMatch(
        /^(?:CREATE SESSION|EXECUTE ON rag_(?:security|index)|DELETE ON rag_log|SELECT(?:, INSERT)?(?:, UPDATE, DELETE)? ON \w+)$/,
      );
    }
  });

  test('have a policy for reading and for writing on every table that the runtime user may touch', async () => {
    const security = (await oracleMigrations()).map(({ sql }) => sql).join('\n');
    const granted = [...security.matchAll(/^GRANT SELECT[^;]* ON (\w+) TO \$\{RUNTIME\}/gm)].map(
      ([, table = '']) => table,
    );
    for (const table of granted.filter((table) => table !== 'rag_vector_index')) {
      expect(security, table).toContain(`SELECT '${table.toUpperCase()}'`);
    }
    for (const table of schema.tables.keys()) {
      const isOwn = [...MADE_BY_ADAPTER, 'rag_setting', 'rag_sql_identity'].includes(table);
      expect(granted.includes(table), table).toBe(!isOwn);
    }
  });

  test('describe every table and every column', async () => {
    const text = (await oracleMigrations()).map(({ sql }) => sql).join('\n');
    for (const [table, columns] of schema.tables) {
      if (MADE_BY_ADAPTER.includes(table)) continue;
      expect(text).toContain(`COMMENT ON TABLE ${table} IS`);
      for (const column of columns) expect(text).toContain(`COMMENT ON COLUMN ${table}.${column} IS`);
    }
  });
});

describe('the splitter', () => {
  test.each([
    ['two statements', 'SELECT 1 FROM dual;\nSELECT 2 FROM dual;', ['SELECT 1 FROM dual', 'SELECT 2 FROM dual']],
    ['a semicolon in a text', "COMMENT ON TABLE t IS 'a; b';", ["COMMENT ON TABLE t IS 'a; b'"]],
    ['a quote in a text', "COMMENT ON TABLE t IS 'it''s; so';", ["COMMENT ON TABLE t IS 'it''s; so'"]],
    ['a quoted name', 'CREATE TABLE "a;b" (c NUMBER);', ['CREATE TABLE "a;b" (c NUMBER)']],
    ['another quote', "SELECT q'[it's; so]' FROM dual;", ["SELECT q'[it's; so]' FROM dual"]],
    ['other marks of it', "SELECT Q'!a';b!' FROM dual;", ["SELECT Q'!a';b!' FROM dual"]],
    ['comments before and between', '-- one;\n/* two; */ SELECT 1 FROM dual; -- three', ['SELECT 1 FROM dual']],
    ['a comment within', 'SELECT 1 -- not; yet\nFROM dual;', ['SELECT 1 -- not; yet\nFROM dual']],
    ['a block', 'BEGIN\n  NULL;\nEND;\n/\nSELECT 1 FROM dual;', ['BEGIN\n  NULL;\nEND;', 'SELECT 1 FROM dual']],
    ['a division', 'BEGIN\n  x := 4\n / 2;\nEND;\n/\n', ['BEGIN\n  x := 4\n / 2;\nEND;']],
    ['a slash in a text', "BEGIN\n  x := '\n/\n';\nEND;\n/", ["BEGIN\n  x := '\n/\n';\nEND;"]],
    [
      'a package',
      'CREATE OR REPLACE PACKAGE p AS\n  PROCEDURE q;\nEND;\n/',
      ['CREATE OR REPLACE PACKAGE p AS\n  PROCEDURE q;\nEND;'],
    ],
    [
      'carriage returns',
      'BEGIN\r\n  NULL;\r\nEND;\r\n/\r\nSELECT 1 FROM dual;\r\n',
      ['BEGIN\r\n  NULL;\r\nEND;', 'SELECT 1 FROM dual'],
    ],
    [
      'a comment within what a unit begins with',
      'CREATE /* x; */ OR REPLACE FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END;\n/\nSELECT 2 FROM dual;',
      ['CREATE /* x; */ OR REPLACE FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END;', 'SELECT 2 FROM dual'],
    ],
    [
      'a slash after SQL',
      'CREATE TABLE t (a NUMBER);\n/\nSELECT 1 FROM dual;',
      ['CREATE TABLE t (a NUMBER)', 'SELECT 1 FROM dual'],
    ],
    [
      'a slash that ends SQL',
      'CREATE TABLE t (a NUMBER)\n/\nSELECT 1 FROM dual\n/\n',
      ['CREATE TABLE t (a NUMBER)', 'SELECT 1 FROM dual'],
    ],
    ['nothing', '\n-- nothing\n', []],
  ])('takes %s', (_, text, expected) => {
    expect(splitStatements(text)).toEqual(expected);
  });

  test.each([
    ['SELECT 1 FROM dual', 'semicolon'],
    ['BEGIN NULL; END;', 'slash'],
    ["SELECT 'a FROM dual;", 'not closed'],
    ["SELECT q'[a FROM dual;", 'not closed'],
    ['SELECT 1 /* FROM dual;', 'not closed'],
  ])('refuses %s', (text, expected) => {
    expect(() => splitStatements(text)).toThrow(expected);
  });
});
