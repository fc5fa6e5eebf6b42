import { describe, expect, test } from 'vitest';
import type { DiagnosticFormat } from '../../../functions/core/diagnostics/formats.ts';
import { recognizeFormat } from '../../../functions/core/diagnostics/recognize.ts';
import { fixture, samples } from './files.ts';

const FORMATS: [file: string, format: DiagnosticFormat][] = [
  ['tkprof.txt', 'tkprof'],
  ['sql-trace-10g.trc', 'sql_trace'],
  ['sql-trace-19c.trc', 'sql_trace'],
  ['awr.txt', 'awr_text'],
  ['awr.html', 'awr_html'],
  ['alert-11g.log', 'alert_log'],
  ['alert-19c.log', 'alert_log'],
  ['request.log', 'concurrent_request_log'],
  ['post-processor.log', 'output_post_processor_log'],
  ['tablespace.txt', 'tablespace_report'],
  // A trace file, but not of SQL.
  ['errorstack.trc', 'plain'],
];

/** From the middle of a line on, as when a file was cut in pieces. */
const secondHalf = (text: string) => text.slice(Math.floor(text.length / 2));

describe('formats by content', () => {
  test.each(FORMATS)('%s is %s, with any line ends', (file, format) => {
    expect(recognizeFormat(fixture(file))).toBe(format);
    expect(recognizeFormat(fixture(file).replaceAll('\n', '\r\n'))).toBe(format);
  });

  test.each(FORMATS.filter(([file]) => file !== 'errorstack.trc'))('half of %s is still %s', (file, format) => {
    const text = fixture(file);
    expect(recognizeFormat(text.slice(0, text.length / 2))).toBe(format);
    expect(recognizeFormat(secondHalf(text))).toBe(format);
  });

  test.each<[string, string, DiagnosticFormat]>([
    ['one moment over an error', 'Thu Mar 05 10:15:22 2020\nORA-1652: unable to extend temp segment\n', 'alert_log'],
    [
      'a tablespace in the second column',
      'OWNER  TABLESPACE_NAME\tMB\n------ --------------- ---\nAPPS   TEMP 1\n',
      'tablespace_report',
    ],
    [
      'boxes in Spanish',
      `+${'-'.repeat(75)}+\nContabilidad: Versión : 12.2\n+${'-'.repeat(75)}+\n`,
      'concurrent_request_log',
    ],
    [
      'the start of a post-processor',
      '[3/5/20 9:00:00 AM] [main] Class: oracle.apps.fnd.cp.opp.OPPServiceThread\n',
      'output_post_processor_log',
    ],
    ['waits alone', "WAIT #3: nam='db file sequential read' ela= 900 p1=1 tim=1\n", 'sql_trace'],
    ['a section alone', 'Service Statistics      DB/Inst: ORCL/orcl  Snaps: 37-38\n', 'awr_text'],
  ])('%s is enough', (_, text, format) => {
    expect(recognizeFormat(text)).toBe(format);
  });

  test.each([
    ['nothing', ''],
    ['prose that names the tools', 'We ran TKPROF: Release 19 on it, and an AWR report for the tablespace USERS.'],
    ['a table of another kind', 'NAME       SIZE\n---------- ----\nusers         1\n'],
    ['an alert log has lines of 70 stars', `${'*'.repeat(70)}\nnothing else\n`],
    ['a web page', '<html><body><h1>Tablespaces</h1><table><tr><td>1</td></tr></table></body></html>'],
    ['a log with a moment in each line', '2020-03-05 10:15:22.123 starting\n2020-03-05 10:15:23.123 started\n'],
  ])('%s is plain', (_, text) => {
    expect(recognizeFormat(text)).toBe('plain');
  });

  const REAL: [folder: string, format: DiagnosticFormat][] = [
    ['tkprof', 'tkprof'],
    ['trace10046', 'sql_trace'],
    ['alertlog', 'alert_log'],
    ['tablespace', 'tablespace_report'],
  ];
  test.for(REAL.flatMap(([folder, format]) => samples(folder).map((sample) => ({ ...sample, format }))))(
    'real file $name',
    ({ text, format }) => {
      expect(recognizeFormat(text)).toBe(format);
    },
  );
});
