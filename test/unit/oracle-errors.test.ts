import { expect, test } from 'vitest';
import { unreachable } from '../../functions/adapters/oracle/errors.ts';
import { findNotInForce } from '../../functions/core/errors.ts';

const failed = (code: string, errorNum?: number) => Object.assign(new Error('no connection'), { code, errorNum });

test.each([
  ['NJS-511', undefined],
  ['NJS-518', undefined],
  ['NJS-500', 12_506],
])('a listener that refuses (%s, %s) may do so because an access list is not in force yet', (code, number) => {
  expect(findNotInForce(unreachable(failed(code, number)))?.message).toMatch(/listener/);
});

test.each([
  ['ORA-01017', 1017],
  ['NJS-503', undefined],
  ['NJS-530', undefined],
])('%s will not mend by itself; a wrong password tried often would lock the account', (code, number) => {
  expect(findNotInForce(unreachable(failed(code, number)))).toBeNull();
});

test('what is not in force is found behind other errors', () => {
  const early = unreachable(failed('NJS-511'));
  expect(findNotInForce(unreachable(early))).toBe(early.cause);
});
