import { describe, expect, test } from 'vitest';
import { VALIDATED_FOR } from '../../functions/core/answer.ts';
import type { Hit } from '../../functions/core/fusion.ts';
import { otherVersions, placeResolutions, validationOf } from '../../functions/core/resolutions.ts';
import { hit } from '../support/hits.ts';

const PROD_9 = { environmentId: 'PROD', erpVersion: '12.2.9', errorCodes: ['ORA-01652'] };

const fix = (sourceId: string, metadata: Hit['metadata'] = PROD_9, given: Partial<Hit> = {}) =>
  hit({ sourceType: 'resolution', sourceId, metadata, ...given });
const evidence = (sourceId: string, metadata: Hit['metadata'] = PROD_9, given: Partial<Hit> = {}) =>
  hit({ sourceType: 'diagnostic', sourceId, metadata, ...given });
const other = (sourceId: string) => hit({ sourceType: 'document', sourceId });

const placed = (hits: Hit[], question = 'Why does it fail?', topK = 20) =>
  placeResolutions(question, hits, topK).map(({ sourceType, sourceId }) => `${sourceType.charAt(0)}${sourceId}`);

describe('a resolution is put directly above the best evidence', () => {
  test.each<[string, Hit[], string[]]>([
    ['of the same', [other('1'), evidence('2'), evidence('3'), fix('4')], ['d1', 'r4', 'd2', 'd3']],
    ['unless it is above already', [fix('4'), other('1'), evidence('2')], ['r4', 'd1', 'd2']],
    ['and a better one stays before', [evidence('2'), fix('4'), fix('5')], ['r4', 'r5', 'd2']],
    ['not of another version', [evidence('2', { ...PROD_9, erpVersion: '12.1.3' }), fix('4')], ['d2', 'r4']],
    ['not of another environment', [evidence('2', { ...PROD_9, environmentId: 'TEST' }), fix('4')], ['d2', 'r4']],
    ['not of another error', [evidence('2', { ...PROD_9, errorCodes: ['ORA-00060'] }), fix('4')], ['d2', 'r4']],
    [
      'of an error that stands in its text',
      [evidence('2', { ...PROD_9, errorCodes: [] }, { content: 'See ora-1652.' }), fix('4')],
      ['r4', 'd2'],
    ],
    ['not of what is no evidence', [hit({ metadata: PROD_9 }), fix('4')], ['t1', 'r4']],
    ['not where nothing is known of it', [evidence('2', null), evidence('3', {}), fix('4', null)], ['d2', 'd3', 'r4']],
    [
      'but not above the first in the order that is asked for',
      [evidence('2', PROD_9, { naming: 'metric' }), other('1'), evidence('3'), fix('4')],
      ['d2', 'd1', 'r4', 'd3'],
    ],
  ])('%s', (_, hits, expected) => {
    expect(placed(hits)).toEqual(expected);
  });
});

test('a resolution that is beyond the best comes among them with its evidence', () => {
  expect(placed([other('1'), evidence('2'), other('3'), fix('4')], '', 2)).toEqual(['d1', 'r4']);
});

describe('where the question names a version', () => {
  const old = { ...PROD_9, erpVersion: '12.1.3' };
  const hits = [evidence('1'), fix('2'), fix('3', old), evidence('4'), evidence('5', old), other('6')];
  const asEver = ['r2', 'd1', 'r3', 'd4', 'd5', 'd6'];

  test.each([
    ['Why does 12.1.3 fail?', ['d1', 'r3', 'd4', 'd5', 'r2', 'd6']],
    ['Why does R12.1.3 fail?', ['d1', 'r3', 'd4', 'd5', 'r2', 'd6']],
    ['Why does 12.2.9 fail?', ['r2', 'd1', 'd4', 'r3', 'd5', 'd6']],
    ['Do 12.1.3 and 12.2.9 fail?', asEver],
    ['Why does 12.1 fail?', asEver],
    ['Why does 12.1.3.4 fail?', asEver],
    ['Why does 11.5.10 fail?', asEver],
  ])('fixes of others are put below all that is of it: %s', (question, expected) => {
    expect(placed(hits, question)).toEqual(expected);
  });

  test('which leaves them among the best, where they are', () => {
    const many = [fix('1'), ...Array.from({ length: 5 }, (_, i) => evidence(`2${i}`, old))];

    expect(placed(many, 'Why does 12.1.3 fail?', 3)).toEqual(['d20', 'd21', 'r1']);
  });
});

describe('the versions that a fix was not validated for', () => {
  test.each<[string, string[], string[]]>([
    ['Does it help on 12.1.3?', [], ['12.1.3']],
    ['Does it help on R12.1.3 or 11.5.10.2?', [], ['12.1.3', '11.5.10.2']],
    ['Does it help on 19c?', [], ['19c']],
    ['Does it help on 12.2.9?', [], []],
    ['Does it help on R12.2.9?', [], []],
    ['Does it help?', ['12.2.9', '12.1.3'], ['12.1.3']],
    ['Does it help on 12.1.3?', ['12.1.3'], ['12.1.3']],
    ['Did it take 0.03 s on 2026.12.04?', [], []],
    ['Does it help?', [], []],
  ])('%s %j', (question, filtered, expected) => {
    expect(
      otherVersions('12.2.9', question, [{ sourceType: 'diagnostic', metadata: { erpVersion: '19c' } }], filtered),
    ).toEqual(expected);
  });
});

test('what a fix was validated for is known of a resolution alone', () => {
  const metadata = { erpVersion: '12.2.9', erpModule: 'GL', environmentId: 'PROD' };

  expect(validationOf(fix('1', metadata))).toEqual(metadata);
  expect(validationOf(fix('1', { erpVersion: '12.2.9' }))).toEqual({
    erpVersion: '12.2.9',
    erpModule: null,
    environmentId: null,
  });
  expect(validationOf(evidence('1', metadata))).toBeNull();
  expect(validationOf(fix('1', { erpModule: 'GL' }))).toBeNull();
});

test.each(Object.entries(VALIDATED_FOR))(
  'each language (%s) tells the source, the version, the place and the others',
  (_, tell) => {
    const fixIn = { n: 2, version: '12.2.9', places: ['GL', 'PROD'], others: ['12.1.3', '11.5.10'] };

    expect(tell(fixIn)).toMatch(/\[2\].*12\.2\.9 \(GL, PROD\).*12\.1\.3, 11\.5\.10\.$/);
    expect(tell({ ...fixIn, places: [], others: [] })).toMatch(/\[2\].* 12\.2\.9[^(),]*\.$/);
  },
);
