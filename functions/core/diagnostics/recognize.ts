import { momentAt } from './alert-log.ts';
import { BOX } from './concurrent.ts';
import { isStackLine } from './error-stacks.ts';
import type { DiagnosticFormat } from './formats.ts';
import { linesOf } from './lines.ts';
import { headerStart, isRule } from './tables.ts';
import { bannerAt } from './tablespace.ts';

/** So many characters from the beginning tell an HTML report and a log of entries. */
const HEAD = 65_536;

const POST_PROCESSOR =
  /^\[[^\][\n]{6,40}\] (?:\[[^\][\n]{1,40}\] )?\[(?:OPPServiceThread\d+|GSMServiceController:\d+|\d+:RT\d+)\]/m;
const JAVA_ENTRY = /^\[[^\][\n]{6,40}\] \[/m;

const isPostProcessorLog = (text: string): boolean =>
  POST_PROCESSOR.test(text) || (JAVA_ENTRY.test(text) && text.includes('oracle.apps.fnd.cp.opp'));

const REQUEST_END =
  /^(?:Executing request completion options|Finished executing request completion options|Concurrent request completed|No completion options were requested|\+-{5,40} *\d{1,3}\) [A-Z])/m;
/** What the boxes of a request's log hold, the version of its program in any language. */
const REQUEST_BOXES =
  /\bFND_FILE\b|\*\*Starts\*\*|\bmodule: |^[^\n:]{2,100}: (?:Versi\p{L}n *: |Concurrent Processing version)/mu;

/** By the steps of a request's end, or by what stands in its boxes. */
const isRequestLog = (text: string): boolean => REQUEST_END.test(text) || (BOX.test(text) && REQUEST_BOXES.test(text));

const TABLESPACE_COLUMN = /(?:^|\s)(?:tablespace(?:_name)?|ts_?name|espacio de tablas)(?=\s|$)/i;

/** By a table with a tablespace among the names of its columns, or by banners around a report that speaks of tablespaces. */
function isTablespaceReport(text: string): boolean {
  if (!/tablespace|ts_?name|espacio de tablas/i.test(text)) return false;
  const lines = linesOf(text);
  return lines.some((line, at) => {
    if (bannerAt(lines, at) !== null) return true;
    const header = isRule(line) ? (headerStart(lines, at, 0) ?? at) : at;
    return lines.slice(header, at).some((above) => TABLESPACE_COLUMN.test(above) && !isStackLine(above));
  });
}

/** By its moments: two lines that are one each, or one and what such logs are full of. */
function isAlertLog(text: string): boolean {
  const moments = linesOf(text.slice(0, HEAD)).filter((line) => line.length <= 200 && isMomentAlone(line)).length;
  return (
    moments >= 2 ||
    (moments === 1 && /\b(?:ORA-\d{3,5}|LGWR|advanced to log sequence|ALTER (?:SYSTEM|DATABASE))\b/i.test(text))
  );
}

const isMomentAlone = (line: string) => {
  const moment = momentAt(line);
  return moment !== null && line.trimEnd().endsWith(moment);
};

/** What each format is known by, the most particular first. Patterns are anchored to lines and so linear. */
const SIGNS: [format: DiagnosticFormat, isFormat: (text: string) => boolean][] = [
  [
    'awr_html',
    (text) => {
      const head = text.slice(0, HEAD);
      return (
        /<(?:html|table|tr|td|h[1-6])\b/i.test(head) && /WORKLOAD REPOSITORY|class=["']?awr|<title>AWR/i.test(head)
      );
    },
  ],
  // A header alone, or, where the beginning is missing, what ends a block with what every statement has.
  [
    'tkprof',
    (text) =>
      /^TKPROF: Release /m.test(text.slice(0, HEAD)) ||
      (/^\*{80}[ \t\r]*$/m.test(text) && /^call +count +cpu +elapsed +disk +query +current +rows\b/m.test(text)),
  ],
  [
    'sql_trace',
    (text) =>
      /^PARSING IN CURSOR #\d/m.test(text) || /^(?:PARSE|EXEC|FETCH) #\d+:c=\d+,e=\d+,|^WAIT #\d+: nam='/m.test(text),
  ],
  ['awr_text', (text) => /^\f?WORKLOAD REPOSITORY|^\f?\S[^\n]{0,79}DB\/Inst: *\S+ +(?:Snaps?:|\()/m.test(text)],
  ['output_post_processor_log', isPostProcessorLog],
  ['concurrent_request_log', isRequestLog],
  ['tablespace_report', isTablespaceReport],
  ['alert_log', isAlertLog],
];

/** The format of a diagnostic's text, by what it holds and never by its name; `plain` where none is known. */
export const recognizeFormat = (text: string): DiagnosticFormat =>
  SIGNS.find(([, isFormat]) => isFormat(text))?.[0] ?? 'plain';
