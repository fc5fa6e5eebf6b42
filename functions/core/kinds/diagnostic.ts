import * as z from 'zod';
import { type DiagnosticFormat, FORMAT_TITLES } from '../diagnostics/formats.ts';
import { diagnosticParts } from '../diagnostics/parts.ts';
import { type Fact, MAX_FACT_LENGTH } from '../facts.ts';
import { errorCode, line, optionalText } from '../fields.ts';
import { fitMetadata } from '../metadata.ts';
import type { FileAudience } from '../scope.ts';
import { normalizeText } from '../text.ts';
import { audience, labels, listOf, projectId, readerFacts } from './file.ts';
import type { SourceContent } from './kind.ts';

/** More error codes than this are refused. */
const MAX_CODES = 50;

/** A diagnostic's id, which its sender chooses: it is part of the address. */
export const diagnosticId = z.string().regex(/^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,128}$/, {
  error: 'must be 1 to 128 letters, digits and the signs . _ : - and neither . nor ..',
});

/** An optional single line of at most {@link MAX_FACT_LENGTH} characters; left out, null and blank all mean none. */
export const optionalLine = z
  .string()
  .nullish()
  .transform((value) => (value === null || value === undefined || value.trim() === '' ? undefined : value))
  .pipe(line(MAX_FACT_LENGTH).optional())
  .transform((value) => value ?? null);

/** The parameters of a diagnostic that is sent; its output is the body. */
export const diagnosticQuery = z.strictObject({
  environmentId: line(MAX_FACT_LENGTH).describe('The environment that it comes from: `PROD`'),
  erpModule: line(MAX_FACT_LENGTH).describe('The module: `GL`'),
  erpVersion: line(MAX_FACT_LENGTH).describe('The version of the ERP: `12.2.9`'),
  sourceScript: line(MAX_FACT_LENGTH).describe('What wrote the output: `tkprof`'),
  errorCodes: listOf(errorCode, MAX_CODES, 'error codes').describe(
    'Error codes besides those in the output, which are found by themselves: `ORA-01652,FRM-40735`',
  ),
  resolutionType: optionalLine.describe('What kind of fix it took: `patch`'),
  resolution: optionalText(4000).describe('The validated fix, where it is known already'),
  audience,
  projectId,
  labels,
});
export type DiagnosticQuery = z.output<typeof diagnosticQuery>;

/** A diagnostic as stored. */
export interface DiagnosticView {
  id: string;
  format: DiagnosticFormat;
  contentType: string;
  charset: string;
  bytes: number;
  /** SHA-256 of the raw bytes, as hex. */
  digest: string;
  /** Null: nothing was in it. */
  content: string | null;
  environmentId: string;
  erpModule: string;
  erpVersion: string;
  sourceScript: string;
  /** Those that its sender named. */
  errorCodes: string[];
  resolutionType: string | null;
  audience: FileAudience;
  /** The employees who are listed as its readers, where the audience is `people`. */
  readers: number[];
  projectId: number | null;
  labels: string[];
  /** ISO 8601. */
  writtenAt: string;
}

/** `TKPROF report d1 · GL 12.2.9 · PROD`. */
export const diagnosticTitle = (view: DiagnosticView): string =>
  `${FORMAT_TITLES[view.format]} ${view.id} · ${view.erpModule} ${view.erpVersion} · ${view.environmentId}`;

/** What a diagnostic as a whole is filtered by; the kind of fix in `resolutionType`, and these error codes. */
export function diagnosticFacts(view: DiagnosticView, resolutionType: string | null, errorCodes: string[]): Fact[] {
  return [
    { name: 'environmentId', value: view.environmentId },
    { name: 'erpModule', value: view.erpModule },
    { name: 'erpVersion', value: view.erpVersion },
    { name: 'sourceScript', value: view.sourceScript },
    ...(resolutionType === null ? [] : [{ name: 'resolutionType' as const, value: resolutionType }]),
    ...view.labels.map((value) => ({ name: 'labels' as const, value })),
    ...errorCodes.map((value) => ({ name: 'errorCode' as const, value })),
    ...readerFacts(view.readers),
  ];
}

/** A diagnostic: its structural parts, each filtered by the codes in it and put in order by its figures. */
export function diagnosticContent(view: DiagnosticView): SourceContent {
  const text = normalizeText(view.content ?? '');
  const source = { id: view.id, label: FORMAT_TITLES[view.format] };
  return {
    title: diagnosticTitle(view),
    text,
    parts: { cutting: 'diagnostic', parts: diagnosticParts(text, view.format, source) },
    scope: { ownerEmployeeId: null, audience: view.audience, projectId: view.projectId, sprintId: null },
    metadata: fitMetadata(
      {
        format: view.format,
        environmentId: view.environmentId,
        erpModule: view.erpModule,
        erpVersion: view.erpVersion,
        sourceScript: view.sourceScript,
        resolutionType: view.resolutionType,
        labels: view.labels,
        errorCodes: view.errorCodes,
      },
      'source',
    ),
    facts: diagnosticFacts(view, view.resolutionType, view.errorCodes),
    emptyReason: text.trim() === '' ? 'It holds no text. Send the output again as the tool wrote it.' : null,
  };
}
