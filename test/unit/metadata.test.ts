import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diagnosticParts } from '../../functions/core/diagnostics/parts.ts';
import { type DiagnosticView, diagnosticContent } from '../../functions/core/kinds/diagnostic.ts';
import { documentContent } from '../../functions/core/kinds/document.ts';
import type { Metadata } from '../../functions/core/kinds/kind.ts';
import { resolutionContent } from '../../functions/core/kinds/resolution.ts';
import { fitMetadata } from '../../functions/core/metadata.ts';
import { validationOf } from '../../functions/core/resolutions.ts';

const bytesOf = (...parts: Metadata[]) => Buffer.byteLength(JSON.stringify(Object.assign({}, ...parts)));

/** A value as long as is taken, of letters of one byte, of three, or of control characters, which JSON writes in six. */
const value = fc
  .tuple(fc.integer({ min: 1, max: 200 }), fc.constantFrom('x', '語', '\u0001', '"', '😀'))
  .map(([length, letter]) => letter.repeat(length).slice(0, length).toWellFormed());
const values = fc.array(value, { maxLength: 50 });
const codes = fc.array(
  fc.integer({ min: 1, max: 99_999 }).map((n) => `ORA-${String(n).padStart(5, '0')}`),
  { maxLength: 300 },
);

const view = fc
  .record({ environmentId: value, erpModule: value, erpVersion: value, sourceScript: value, resolutionType: value })
  .chain((given) =>
    fc.record({ labels: values, errorCodes: values, found: codes }).map(
      ({ labels, errorCodes, found }): DiagnosticView => ({
        ...given,
        id: 'x'.repeat(128),
        format: 'output_post_processor_log',
        contentType: 'text/plain',
        charset: 'utf-8',
        bytes: 1,
        digest: '00',
        content: `${found.join('\n')}\nrequest 1000 `.repeat(2),
        errorCodes,
        audience: 'organization',
        readers: [],
        projectId: null,
        labels,
        writtenAt: '',
      }),
    ),
  );

describe('the metadata of a passage take less than 4,000 bytes', () => {
  test('of any diagnostic, document and resolution', () => {
    fc.assert(
      fc.property(view, (diagnostic) => {
        const content = diagnosticContent(diagnostic);
        for (const part of content.parts?.parts ?? []) {
          expect(bytesOf(content.metadata, part.metadata)).toBeLessThan(4000);
        }
        const { id, labels, resolutionType } = diagnostic;
        const resolution = resolutionContent({ id, content: 'x', resolutionType, writtenAt: '', diagnostic });
        expect(bytesOf(resolution.metadata)).toBeLessThan(4000);
        expect(validationOf({ sourceType: 'resolution', metadata: resolution.metadata })).not.toBeNull();
        const document = documentContent({ ...diagnostic, title: '', textFormat: 'plain', emptyReason: null, labels });
        expect(bytesOf(document.metadata)).toBeLessThan(4000);
      }),
    );
  });

  test('whatever is in them, without changing what fits', () => {
    const any = fc.dictionary(
      fc.string({ maxLength: 20 }).filter((name) => name !== '__proto__'),
      fc.oneof(
        value,
        fc.string({ unit: 'binary', size: 'max', maxLength: 2000 }),
        fc.double(),
        values,
        fc.constant(null),
      ),
      { maxKeys: 40, size: 'max' },
    );
    fc.assert(
      fc.property(any, any, (source, part) => {
        const fitted = [fitMetadata(source, 'source'), fitMetadata(part, 'part')];
        expect(bytesOf(...fitted)).toBeLessThan(4000);
        for (const [name, kept] of Object.entries(fitted[0] ?? {})) {
          const given = source[name];
          if (typeof given === 'string' && Buffer.byteLength(JSON.stringify(given)) <= 250) expect(kept).toBe(given);
          if (Array.isArray(given)) expect(given).toEqual(expect.arrayContaining(kept as string[]));
        }
      }),
      // To shrink so many values takes minutes.
      { endOnFailure: true },
    );
  });
});

test('a statement of a trace with thousands of cursors names some of them, and says how many there are', () => {
  const parse = (cursor: number) =>
    `PARSING IN CURSOR #${cursor} len=17 dep=0 uid=84 oct=3 lid=84 tim=1 hv=1 ad='a' sqlid='4xn8755d4fd5z'\n` +
    `select 5 from dual\nEND OF STMT\nPARSE #${cursor}:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=1\n`;
  const text = Array.from({ length: 2500 }, (_, i) => parse(140_000_000_000_000 + i)).join('');
  const [part] = diagnosticParts(text, 'sql_trace', { id: 'd1', label: 'SQL trace' });

  expect(part?.metadata).toMatchObject({ sqlId: '4xn8755d4fd5z', cursorCount: 2500, elapsed: 0.0025 });
  expect(part?.metadata.cursors).toHaveLength(20);
});

test('a resolution names at most 20 codes, and is filtered by all of them', () => {
  const errorCodes = Array.from({ length: 50 }, (_, i) => `ORA-${String(i + 1).padStart(5, '0')}`);
  const [given] = fc.sample(view, 1);
  if (given === undefined) throw new Error('no sample');
  const diagnostic = { ...given, errorCodes, content: null };
  const content = resolutionContent({ id: 'd1', content: 'x', resolutionType: null, writtenAt: '', diagnostic });

  expect(content.metadata.errorCodes).toEqual(errorCodes.slice(0, 20));
  expect(content.facts.filter(({ name }) => name === 'errorCode')).toHaveLength(50);
});
