import oracledb from 'oracledb';
import { expect, test } from 'vitest';
import { BindTypes } from '../../functions/adapters/oracle/binds.ts';

const types = new BindTypes(oracledb);
const typeOf = (name: string, value: string | number | null | Float32Array) =>
  types.typed({ [name]: value })[name]?.type;

test.each([
  ['32,767 bytes', 'x'.repeat(32_767), oracledb.DB_TYPE_VARCHAR],
  ['a byte more', 'x'.repeat(32_768), oracledb.DB_TYPE_CLOB],
  ['fewer characters of more bytes each', 'ß'.repeat(16_384), oracledb.DB_TYPE_CLOB],
  ['characters of four bytes', '🚀'.repeat(8191), oracledb.DB_TYPE_VARCHAR],
])('a text of %s goes as what holds it', (_, text, type) => {
  expect(typeOf('description', text)).toBe(type);
  expect(types.hasLob(types.typed({ description: text }))).toBe(type === oracledb.DB_TYPE_CLOB);
});

test.each([
  ['sprint_id', null, oracledb.DB_TYPE_NUMBER],
  ['goal', null, oracledb.DB_TYPE_VARCHAR],
  ['id', 1, oracledb.DB_TYPE_NUMBER],
  ['vector', new Float32Array(3), oracledb.DB_TYPE_VECTOR],
] as const)('%s as %o has its own type, also where there is nothing', (name, value, type) => {
  expect(typeOf(name, value)).toBe(type);
});

test('a batch declares each text long enough for the longest, in bytes', () => {
  const { title, section } = types.definitions([
    { title: 'x', section: null },
    { title: 'ß'.repeat(40), section: 1 },
    { title: null, section: null },
  ]);
  expect(title).toMatchObject({ type: oracledb.DB_TYPE_VARCHAR });
  expect(title?.maxSize).toBeGreaterThanOrEqual(80);
  expect(section).toEqual({ type: oracledb.DB_TYPE_NUMBER });
  expect(types.definitions([{ content: 'ß'.repeat(16_383) }]).content?.maxSize).toBe(32_767);
  expect(() => types.definitions([{ content: 'ß'.repeat(16_384) }])).toThrow('content: a text of 32768 bytes');
});
