import * as z from 'zod';
import { codesInShort, errorCodesIn } from '../diagnostics/error-codes.ts';
import { text } from '../fields.ts';
import { fitMetadata } from '../metadata.ts';
import { truncate } from '../text.ts';
import { type DiagnosticView, diagnosticFacts, diagnosticTitle, optionalLine } from './diagnostic.ts';
import { RECORD_CONTENT, type SourceContent } from './kind.ts';

export const resolutionInput = z.strictObject({ resolution: text(20_000), resolutionType: optionalLine });
export type ResolutionInput = z.output<typeof resolutionInput>;

/** A validated fix as stored; its id is the diagnostic's. */
export interface ResolutionView {
  id: string;
  content: string;
  resolutionType: string | null;
  /** ISO 8601. */
  writtenAt: string;
  /** What was resolved, in the environment, module and version that it had when the fix was recorded. */
  diagnostic: DiagnosticView;
}

/** More codes of a diagnostic than this are left out. */
const MAX_CODES = 200;
/** The first line names so many codes; where there are more, a line of their own names them. */
const CODES_IN_TITLE = 5;
const MAX_CODES_LISTED = 50;
const MAX_EVIDENCE_LINES = 5;
const MAX_LINE = 300;

/** A validated fix with its evidence. It says what it was validated for, so that nobody takes it for another version's. */
export function resolutionContent(view: ResolutionView): SourceContent {
  const { diagnostic, resolutionType } = view;
  const { erpModule, erpVersion, environmentId } = diagnostic;
  const evidence = diagnostic.content ?? '';
  const codes = [...new Set([...diagnostic.errorCodes, ...errorCodesIn(evidence, MAX_CODES)])];
  const title = diagnosticTitle(diagnostic);
  const short = codesInShort(codes, CODES_IN_TITLE);
  const validated = `${erpModule} ${erpVersion}`;
  const lines = [
    `[RESOLUTION of DIAGNOSTIC ${view.id}] ${[short || '-', validated, environmentId].join(' | ')}`,
    ...(codes.length > CODES_IN_TITLE ? [`Codes: ${codesInShort(codes, MAX_CODES_LISTED)}`] : []),
    `Validated for: version ${erpVersion}, module ${erpModule}, environment ${environmentId}`,
    `Type: ${resolutionType ?? '-'}`,
    `Resolution: ${view.content}`,
    `Evidence: [DIAGNOSTIC ${view.id}] ${title}`,
    ...linesWithCodes(evidence).map((line) => `> ${line}`),
  ];
  return {
    ...RECORD_CONTENT,
    title: short === '' ? `Resolution of ${title}` : `Resolution of ${short} · ${validated} · ${environmentId}`,
    text: lines.join('\n'),
    scope: { ownerEmployeeId: null, audience: diagnostic.audience, projectId: diagnostic.projectId, sprintId: null },
    metadata: fitMetadata(
      { environmentId, erpModule, erpVersion, resolutionType, evidence: view.id, errorCodes: codes },
      'source',
    ),
    facts: diagnosticFacts(diagnostic, resolutionType, codes),
  };
}

/** The first lines that hold error codes, each once, shortened. */
function linesWithCodes(content: string): string[] {
  const found = new Set<string>();
  for (const line of content.split('\n')) {
    if (found.size === MAX_EVIDENCE_LINES) break;
    if (errorCodesIn(line, 1).length > 0) found.add(truncate(line.trim(), MAX_LINE));
  }
  return [...found];
}
