import { describe, expect, test } from 'vitest';
import { InvalidInput } from '../../../functions/core/errors.ts';
import { extractAnswer } from '../../../functions/core/extract.ts';
import { validate } from '../../../functions/core/input.ts';
import {
  type DiagnosticView,
  diagnosticContent,
  diagnosticId,
  diagnosticQuery,
} from '../../../functions/core/kinds/diagnostic.ts';
import { resolutionContent, resolutionInput } from '../../../functions/core/kinds/resolution.ts';
import { fixture } from './files.ts';

const QUERY = { environmentId: 'PROD', erpModule: 'GL', erpVersion: '12.2.9', sourceScript: 'alert' };

const VIEW: DiagnosticView = {
  ...QUERY,
  id: 'd1',
  format: 'alert_log',
  contentType: 'text/plain',
  charset: 'utf-8',
  bytes: 1,
  digest: '00',
  content: fixture('alert-11g.log'),
  errorCodes: ['FRM-40735'],
  resolutionType: null,
  audience: 'managers',
  readers: [],
  projectId: 4,
  labels: ['night'],
  writtenAt: '2026-01-01T00:00:00.000Z',
};

/** The fault of a field, in the words that the sender sees. */
function faultOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
  return '';
}

describe('what is sent with a diagnostic', () => {
  test('is read from parameters, codes in the form that they are kept in', () => {
    expect(
      validate(diagnosticQuery, { ...QUERY, errorCodes: 'ora-1652, ORA-01652,app-fnd-01564', labels: 'a,b' }),
    ).toEqual({
      ...QUERY,
      errorCodes: ['ORA-01652', 'APP-FND-01564'],
      labels: ['a', 'b'],
      resolutionType: null,
      resolution: null,
      projectId: null,
      audience: { audience: 'organization', readers: [] },
    });
  });

  test.each([
    ['errorCodes', { errorCodes: 'temp segment' }, 'must be a code such as ORA-01652'],
    ['environmentId', { environmentId: ' ' }, 'must not be blank'],
    ['erpVersion', { erpVersion: 'x'.repeat(201) }, 'is at most 200 characters, got 201'],
    ['resolution', { resolution: 'x'.repeat(4001) }, 'is at most 4000 characters, got 4001'],
    ['resolutionType', { resolutionType: 'x'.repeat(201) }, 'is at most 200 characters'],
  ])('names the fault of %s', (field, given, fault) => {
    const message = faultOf(() => validate(diagnosticQuery, { ...QUERY, ...given }));
    expect(message).toContain(field);
    expect(message).toContain(fault);
  });

  test.each(['d1', 'prod:2026-01-01_a.trc', 'x'.repeat(128), '...'])('%j is an id', (id) => {
    expect(validate(diagnosticId, id)).toBe(id);
  });

  test.each(['', '.', '..', 'a/b', 'a b', 'ñ', 'x'.repeat(129), 'd1\n'])('%j is no id', (id) => {
    expect(faultOf(() => validate(diagnosticId, id))).toContain('1 to 128 letters');
  });
});

describe('a diagnostic', () => {
  const content = diagnosticContent(VIEW);

  test('is filtered by what was sent with it, and its parts by the codes in them', () => {
    expect(content.title).toBe('Alert log d1 · GL 12.2.9 · PROD');
    expect(content.facts).toEqual([
      { name: 'environmentId', value: 'PROD' },
      { name: 'erpModule', value: 'GL' },
      { name: 'erpVersion', value: '12.2.9' },
      { name: 'sourceScript', value: 'alert' },
      { name: 'labels', value: 'night' },
      { name: 'errorCode', value: 'FRM-40735' },
    ]);
    expect(content.metadata).toMatchObject({ format: 'alert_log', erpModule: 'GL', errorCodes: ['FRM-40735'] });
    expect(content.scope).toEqual({ ownerEmployeeId: null, audience: 'managers', projectId: 4, sprintId: null });
    expect(content.parts?.parts[1]?.facts).toEqual([{ name: 'errorCode', value: 'ORA-01652' }]);
    expect(content.parts?.parts[1]?.anchor).toBe('[DIAGNOSTIC d1] Alert log > Jue Mar  5 10:16:01 2020 ORA-01652');
  });

  test('with nothing in it says what to do', () => {
    for (const nothing of [null, ' \r\n']) {
      const empty = diagnosticContent({ ...VIEW, content: nothing });
      expect(empty.parts?.parts).toEqual([]);
      expect(empty.emptyReason).toContain('Send the output again');
    }
  });

  test('reads alike with any line ends', () => {
    expect(diagnosticContent({ ...VIEW, content: fixture('alert-11g.log').replaceAll('\n', '\r\n') })).toEqual(content);
  });
});

describe('a resolution', () => {
  const resolution = {
    id: 'd1',
    content: 'Add a tempfile.',
    resolutionType: 'storage',
    writtenAt: '',
    diagnostic: VIEW,
  };

  test('says what it was validated for and quotes its evidence', () => {
    expect(resolutionContent(resolution).text.split('\n')).toEqual([
      '[RESOLUTION of DIAGNOSTIC d1] FRM-40735, ORA-01652, ORA-00600, ORA-06512 | GL 12.2.9 | PROD',
      'Validated for: version 12.2.9, module GL, environment PROD',
      'Type: storage',
      'Resolution: Add a tempfile.',
      'Evidence: [DIAGNOSTIC d1] Alert log d1 · GL 12.2.9 · PROD',
      '> ORA-1652: unable to extend temp segment by 128 in tablespace                 TEMP',
      '> ORA-00600: internal error code, arguments: [kcbz_check_objd_typ_3], [0], [0], [1], [], [], [], []',
      '> ORA-06512: at "APPS.GL_POSTING", line 2791',
      '> ORA-06512: at line 1',
    ]);
  });

  test('names its codes in a line of their own where the first line has not all of them, and answers for each', () => {
    const codes = Array.from({ length: 60 }, (_, i) => `ORA-${20100 + i}`);
    const many = { ...VIEW, errorCodes: [], content: codes.map((code) => `${code}: a message\n`).join('') };
    const { text, title } = resolutionContent({ ...resolution, diagnostic: many });
    const [first, second] = text.split('\n');
    expect(first).toBe(`[RESOLUTION of DIAGNOSTIC d1] ${codes.slice(0, 5).join(', ')} | GL 12.2.9 | PROD`);
    expect(second).toBe(`Codes: ${codes.slice(0, 50).join(', ')}`);
    const source = { n: 1, title, text, isNamed: true };
    expect(extractAnswer('How do I fix ORA-20108?', [source])).toEqual([{ n: 1, text: 'Resolution: Add a tempfile.' }]);
  });

  test('is found by every code of its evidence, and seen by who sees that', () => {
    const content = resolutionContent(resolution);
    const values = content.facts.map((fact) => ('value' in fact ? `${fact.name} ${fact.value}` : ''));
    expect(values).toEqual(
      expect.arrayContaining([
        'errorCode ORA-01652',
        'errorCode FRM-40735',
        'resolutionType storage',
        'erpVersion 12.2.9',
      ]),
    );
    expect(content.scope).toEqual(diagnosticContent(VIEW).scope);
    expect(content.title).toBe('Resolution of FRM-40735, ORA-01652, ORA-00600, ORA-06512 · GL 12.2.9 · PROD');
  });

  test('of a diagnostic without codes is named after that', () => {
    const plain = { ...VIEW, errorCodes: [], content: 'nothing special' };
    const content = resolutionContent({ ...resolution, resolutionType: null, diagnostic: plain });
    expect(content.title).toBe('Resolution of Alert log d1 · GL 12.2.9 · PROD');
    expect(content.text).toContain('[RESOLUTION of DIAGNOSTIC d1] - | GL 12.2.9 | PROD\n');
    expect(content.text).toContain('\nType: -\n');
  });

  test('is sent as text, with or without its type', () => {
    expect(validate(resolutionInput, { resolution: 'x' })).toEqual({ resolution: 'x', resolutionType: null });
    expect(faultOf(() => validate(resolutionInput, { resolution: ' ' }))).toContain('must not be blank');
  });
});
