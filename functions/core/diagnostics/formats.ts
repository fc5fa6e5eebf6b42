/** The kinds of diagnostic output whose structure is known; `plain` is all else. */
export const DIAGNOSTIC_FORMATS = [
  'tkprof',
  'sql_trace',
  'awr_text',
  'awr_html',
  'alert_log',
  'concurrent_request_log',
  'output_post_processor_log',
  'tablespace_report',
  'plain',
] as const;
export type DiagnosticFormat = (typeof DIAGNOSTIC_FORMATS)[number];

/** What people call them: in titles and anchors. */
export const FORMAT_TITLES: Record<DiagnosticFormat, string> = {
  tkprof: 'TKPROF report',
  sql_trace: 'SQL trace',
  awr_text: 'AWR report',
  awr_html: 'AWR report',
  alert_log: 'Alert log',
  concurrent_request_log: 'Concurrent request log',
  output_post_processor_log: 'Output post-processor log',
  tablespace_report: 'Tablespace report',
  plain: 'Diagnostic output',
};
