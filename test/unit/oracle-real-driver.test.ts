import oracledb from 'oracledb';
import { expect, test } from 'vitest';
import { type Operation, Session } from '../../functions/adapters/oracle/session.ts';
import type { Bind, Binds } from '../../functions/ports/database.ts';
import { connectionWithoutServer } from '../support/oracle/driver-without-server.ts';
import { type GoldenStatement, readGolden } from '../support/oracle/golden.ts';

const INSERT = 'INSERT INTO project (project_id, name) VALUES (:id, :name)';

function open() {
  const { connection, isCutOff } = connectionWithoutServer();
  return { session: new Session(oracledb, connection, null), isCutOff };
}

test('every kind of operation passes the driver in a pipeline, and each has an outcome', async () => {
  const { session, isCutOff } = open();
  const outcomes = await session.run([
    { kind: 'block', sql: 'BEGIN o.p(:a); END;', binds: { a: 1 } },
    { kind: 'query', sql: 'SELECT 1 AS one FROM dual WHERE 1 = :a', binds: { a: 1 } },
    { kind: 'query', sql: 'SELECT 1 AS one FROM dual', binds: {}, limit: 4 },
    { kind: 'change', sql: INSERT, binds: { id: 1, name: null } },
    {
      kind: 'changes',
      sql: INSERT,
      many: [
        { id: 1, name: 'é' },
        { id: 2, name: null },
      ],
    },
    { kind: 'commit' },
  ]);
  expect(outcomes).toHaveLength(6);
  for (const outcome of outcomes) expect(outcome).toMatchObject({ rows: [], isInvalid: false });
  expect(isCutOff()).toBe(false);
});

test.each<Operation>([
  { kind: 'block', sql: 'BEGIN o.p; END;', binds: {} },
  { kind: 'change', sql: INSERT, binds: { id: 1, name: 'One' } },
  {
    kind: 'changes',
    sql: INSERT,
    many: [
      { id: 1, name: 'One' },
      { id: 2, name: 'Two' },
    ],
  },
  { kind: 'commit' },
])('an operation alone passes the driver: $kind', async (operation) => {
  expect(await open().session.run([operation])).toHaveLength(1);
});

test.each<[string, Operation]>([
  ['a value too many', { kind: 'change', sql: INSERT, binds: { id: 1, name: 'One', other: 1 } }],
  ['a value too few', { kind: 'change', sql: INSERT, binds: { id: 1 } }],
  ['a query for many sets', { kind: 'changes', sql: 'SELECT 1 FROM dual WHERE 1 = :a', many: [{ a: 1 }, { a: 2 }] }],
])('what the driver itself refuses in a pipeline, %s, cuts its connection off', async (_, operation) => {
  const { session, isCutOff } = open();
  await expect(session.run([{ kind: 'block', sql: 'BEGIN o.p; END;', binds: {} }, operation])).rejects.toThrow(/NJS-/);
  expect(isCutOff()).toBe(true);
});

/** A value of the type that the reviewed statement gives a bind, or none of that type. */
const someValue = (type: string): Bind =>
  type === 'NUMBER' ? 1 : type.startsWith('VECTOR') ? new Float32Array(384) : type.includes('VARCHAR') ? 'text' : null;

const bindsOf = ({ binds }: GoldenStatement): Binds =>
  Object.fromEntries(Object.entries(binds).map(([name, type]) => [name, someValue(type)]));

const isDml = ({ sql, binds }: GoldenStatement) =>
  /^(?:INSERT|UPDATE|DELETE)\b/.test(sql) && Object.keys(binds).length > 0;

test.each(readGolden().filter(isDml))(
  'the driver takes them for many sets, and nothing in their place: $sql',
  async (statement) => {
    const binds = bindsOf(statement);
    const none = Object.fromEntries(Object.keys(binds).map((name) => [name, null]));
    for (const many of [
      [binds, none],
      [none, none],
    ]) {
      expect(
        await open().session.run([{ kind: 'changes', sql: statement.sql, many }, { kind: 'commit' }]),
      ).toHaveLength(2);
    }
  },
);

test.each(readGolden())('the driver takes the reviewed binds of: $sql', async (statement) => {
  const isQuery = /^(?:SELECT|WITH)\b/.test(statement.sql);
  const operation: Operation = { kind: isQuery ? 'query' : 'change', sql: statement.sql, binds: bindsOf(statement) };
  expect(await open().session.run([{ kind: 'block', sql: 'BEGIN o.p; END;', binds: {} }, operation])).toHaveLength(2);
});
