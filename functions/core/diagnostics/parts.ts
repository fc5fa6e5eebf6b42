import type { Part } from '../kinds/kind.ts';
import { alertLogParts } from './alert-log.ts';
import { awrHtmlParts } from './awr-html.ts';
import { awrTextParts } from './awr-text.ts';
import { concurrentRequestParts, postProcessorParts } from './concurrent.ts';
import { withStacksWhole } from './error-stacks.ts';
import type { DiagnosticFormat } from './formats.ts';
import { linesOf } from './lines.ts';
import { type DiagnosticSource, partOf } from './part.ts';
import { tablespaceParts } from './tablespace.ts';
import { tkprofParts } from './tkprof.ts';
import { traceParts } from './trace.ts';

const READERS: Record<DiagnosticFormat, (text: string, source: DiagnosticSource) => Part[]> = {
  tkprof: tkprofParts,
  sql_trace: traceParts,
  awr_text: awrTextParts,
  awr_html: awrHtmlParts,
  alert_log: alertLogParts,
  concurrent_request_log: concurrentRequestParts,
  output_post_processor_log: postProcessorParts,
  tablespace_report: tablespaceParts,
  plain: (text, source) => [partOf(source, null, withStacksWhole(linesOf(text), 'prose'), { kind: 'summary' })],
};

/**
 * The structural parts of a diagnostic in a format, for any text: one that does not keep to its format loses nothing. Joined, the
 * blocks are the text, except that a SQL trace is put in order by statement (each line once), and that HTML is reduced to its
 * text. Linear in the text's length.
 * @param text with LF line ends
 */
export const diagnosticParts = (text: string, format: DiagnosticFormat, source: DiagnosticSource): Part[] =>
  text.trim() === '' ? [] : READERS[format](text, source);
