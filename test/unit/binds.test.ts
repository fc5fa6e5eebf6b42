import { expect, test } from 'vitest';
import { positionalValues, toPositional } from '../../functions/adapters/postgres/binds.ts';

test.each([
  ['one bind', 'WHERE a = :id', 'WHERE a = $1', ['id']],
  ['several', ':a, :b_2, :c', '$1, $2, $3', ['a', 'b_2', 'c']],
  ['a repeated name', ':a + :b + :a', '$1 + $2 + $1', ['a', 'b']],
  ['names that begin alike', ':id, :id_2, :id', '$1, $2, $1', ['id', 'id_2']],
  ['a string', "':a' || :b", "':a' || $1", ['b']],
  ['a string with a quote', "'it''s :a' || :b", "'it''s :a' || $1", ['b']],
  ['a string of two lines', "'x\n:a' || :b", "'x\n:a' || $1", ['b']],
  ['a quoted name', '":a" = :b', '":a" = $1', ['b']],
  ['a comment to the end of the line', "-- :a it's\n:b", "-- :a it's\n$1", ['b']],
  ['a comment in the text', "/* :a\n' */ :b", "/* :a\n' */ $1", ['b']],
  ['a cast', ':a::text, x::int', '$1::text, x::int', ['a']],
  ['a time in a format', `TO_CHAR(x, 'HH24:MI:SS"Z"') = :a`, `TO_CHAR(x, 'HH24:MI:SS"Z"') = $1`, ['a']],
  ['a JSON path', "JSON_VALUE(x, '$.a:b') = :c", "JSON_VALUE(x, '$.a:b') = $1", ['c']],
  ['no bind', 'SELECT 1', 'SELECT 1', []],
])('%s becomes positional', (_, sql, text, names) => {
  expect(toPositional(sql)).toEqual({ text, names });
});

test('values come in the order of the numbers, whatever the order of the names', () => {
  const prepared = toPositional(':b, :a, :b');

  expect(positionalValues(prepared, { a: 1, b: null })).toEqual([null, 1]);
});

test('a vector goes in the binary form of pgvector: its dimension, two empty bytes, its numbers', () => {
  const prepared = toPositional(':a');

  const [bytes] = positionalValues(prepared, { a: Float32Array.of(1, -2.5) }) as [Buffer];

  expect(bytes.toString('hex')).toBe('00020000' + '3f800000' + 'c0200000');
});

test.each([
  ['a name that is missing', { a: 1 }, /missing \[b\], unused \[\]/],
  ['a name that is not used', { a: 1, b: 2, c: 3 }, /missing \[\], unused \[c\]/],
  ['a name in other letters', { a: 1, B: 2 }, /missing \[b\], unused \[B\]/],
])('%s is refused, with the statement', (_, binds, message) => {
  const prepared = toPositional('SELECT :a, :b');

  expect(() => positionalValues(prepared, binds)).toThrow(message);
  expect(() => positionalValues(prepared, binds)).toThrow(/in: SELECT \$1, \$2/);
});

test('a refusal does not tell the values, which may be text of records', () => {
  const prepared = toPositional('SELECT :a');

  expect(() => positionalValues(prepared, { a: 'secret', b: 'secret' })).toThrow(/^((?!secret)[\s\S])*$/);
});
