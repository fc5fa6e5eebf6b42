import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codesIn } from '../../../functions/core/codes.ts';
import { errorCodesIn, normalizeErrorCode } from '../../../functions/core/diagnostics/error-codes.ts';

describe('error codes', () => {
  test.each([
    ['ORA-1652: unable to extend temp segment', ['ORA-01652']],
    ['failed due to ora-01652: unable', ['ORA-01652']],
    ['PDB4(6):ORA-00060: deadlock resolved', ['ORA-00060']],
    ['ORA-600 [kcbz], ORA-00600 again and (ORA-06512)', ['ORA-00600', 'ORA-06512']],
    ['PLS-306, TNS-12541: no listener, RMAN-3009', ['PLS-00306', 'TNS-12541', 'RMAN-03009']],
    ['APP-FND-01564: ORACLE error 1722; APP-00988', ['APP-FND-01564', 'APP-00988']],
    ['FRM-40735: ON-ERROR trigger raised', ['FRM-40735']],
    ['IMP-00017 and KUP-04040', ['IMP-00017', 'KUP-04040']],
  ])('of %j are %j', (text, expected) => {
    expect(errorCodesIn(text)).toEqual(expected);
  });

  test.each([
    'FLORA-1 and PANDORA-01652',
    'ORA-123456 is too long',
    'ORA-12-3',
    'ORA-01652_TEMP',
    '"ORA$AT_SA_SPC_SY_4262"',
    'xe_ora_240.trc',
    'FRM-12',
    'ORA 1652 in prose',
  ])('are not in %j', (text) => {
    expect(errorCodesIn(text)).toEqual([]);
  });

  test('are told up to a limit', () => {
    const text = Array.from({ length: 80 }, (_, i) => `ORA-${20_000 + i}`).join('\n');
    expect(errorCodesIn(text)).toHaveLength(50);
    expect(errorCodesIn(text, 3)).toEqual(['ORA-20000', 'ORA-20001', 'ORA-20002']);
  });

  test.each([
    ['ora 1652', 'ORA-01652'],
    ['ORA1652', 'ORA-01652'],
    [' ora-01652 ', 'ORA-01652'],
    ['app-fnd-01564', 'APP-FND-01564'],
    ['REP-1401', 'REP-1401'],
    ['ORA-', null],
    ['ORA-123456789', null],
    ['temp segment', null],
    ['', null],
  ])('%j named by somebody is %j', (named, kept) => {
    expect(normalizeErrorCode(named)).toBe(kept);
  });

  test('are the same in a question and in a text, however many zeros are written', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('ORA', 'PLS', 'TNS', 'RMAN'),
        fc.integer({ min: 0, max: 99_999 }),
        fc.integer({ min: 1, max: 5 }),
        (prefix, number, digits) => {
          const code = `${prefix}-${String(number).padStart(digits, '0')}`;
          const [found] = errorCodesIn(`failed with ${code}: see log`);
          expect(found).toBe(normalizeErrorCode(code));
          expect(codesIn(`Why ${code}?`).codes).toEqual([found]);
        },
      ),
    );
  });
});
