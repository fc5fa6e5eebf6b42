import { describe, expect, test } from 'vitest';
import { amounts, fixture, partAt, partsOf, samples, statements, textOf } from './files.ts';

describe('an AWR report in text', () => {
  const parts = partsOf(fixture('awr.txt'));

  test('has a part for each title of the summary and each section', () => {
    expect(parts.filter(({ metadata }) => metadata.kind === 'summary').map(({ heading }) => heading)).toEqual([
      'Report summary',
      'Load Profile',
      'Time Model Statistics',
      'SQL ordered by Elapsed Time',
      // The head of the next page.
      'SQL ordered by Elapsed Time',
      'SQL ordered by Gets',
    ]);
  });

  test('has a part for each statement of a list, which gives a figure no second time', () => {
    expect(statements(parts).map((part) => [part.heading, amounts(part)])).toEqual([
      ['SQL ordered by Elapsed Time > SQL ID a1b2c3d4f5g6h', { count: 1204, executions: 1204, elapsed: 2318.6 }],
      ['SQL ordered by Elapsed Time > SQL ID 7nvx9fahs59ys', { count: 0, executions: 0, elapsed: 54.3 }],
      ['SQL ordered by Elapsed Time > SQL ID 3kf0z7hq2v9dw', { count: 10, executions: 10, elapsed: 12.5 }],
      ['SQL ordered by Gets > SQL ID a1b2c3d4f5g6h', { query: 12345678 }],
    ]);
  });

  test('keeps a statement with its figures and the header of their columns', () => {
    const part = partAt(parts, 'Gets > SQL ID a1b2c3d4f5g6h');
    expect(part.anchor).toContain('elapsed 2318.60 s · executions 1204 · buffer gets 12345678');
    expect(part.metadata.sql).toBe('update gl_balance_rows set amount = amount + :1');
    expect(part.blocks[0]?.header).toMatch(/per Exec/);
  });

  test('repeats the header of a table', () => {
    expect(partAt(parts, 'Time Model Statistics').blocks.at(-1)?.header).toMatch(/^Statistic Name .*\n-+ -+ -+\n$/);
    expect(partAt(parts, 'Load Profile').blocks[0]?.header).toMatch(/^Load Profile .*\n~+ .*\n$/);
  });
});

describe('an AWR report of 10g in text', () => {
  test('has its figures in columns of its own', () => {
    const parts = partsOf(
      [
        'SQL ordered by Elapsed Time               DB/Inst: PROD/prod  Snaps: 1-2',
        '',
        '  Elapsed      CPU                  Elap per  % Total',
        '  Time (s)   Time (s)  Executions   Exec (s)  DB Time    SQL Id',
        '---------- ---------- ------------ ---------- ------- -------------',
        '       134         31            2       67.2    18.1 8zv8bcwj8kz5d',
        'begin close_month; end;\n',
      ].join('\n'),
    );
    expect(amounts(partAt(parts, 'SQL ID 8zv8bcwj8kz5d'))).toEqual({ count: 2, executions: 2, cpu: 31, elapsed: 134 });
  });
});

describe('an AWR report in HTML', () => {
  const parts = partsOf(fixture('awr.html'));

  test('joins a statement with all of its rows and its full text', () => {
    const part = partAt(parts, 'SQL ID 2y6hvyn11bjzm');
    expect(amounts(part)).toEqual({ count: 28898, executions: 28898, elapsed: 1693.18, query: 109234440 });
    expect(textOf([part])).toContain('SQL ordered by Gets: Buffer Gets 109,234,440 | Executions 28,898 |');
    expect(textOf([part])).toContain('from HOUSE_ROOMS room_ where room_.AREA < :1 )');
    expect(amounts(partAt(parts, 'SQL ID anavcfkvvkwb1'))).toEqual({ count: 5, executions: 5, elapsed: 0.38 });
  });

  test('has the tables under their headings, rows with their columns', () => {
    const { blocks } = partAt(parts, 'SQL ordered by Elapsed Time');
    expect(blocks.at(-1)).toEqual({
      kind: 'rows',
      header: 'Elapsed Time (s) | Executions | %Total | SQL Id | SQL Module | SQL Text\n',
      text:
        'Elapsed Time (s) | Executions | %Total | SQL Id | SQL Module | SQL Text\n' +
        '1,693.18 | 28,898 | 29.86 | 2y6hvyn11bjzm | JDBC Thin Client\n' +
        '.38 | 5 | 0.1 | anavcfkvvkwb1 | \n',
    });
    // Cut off in the last row.
    expect(textOf([partAt(parts, 'init.ora Parameters')])).toContain('sga_target | 4294967296');
  });

  test('tells what has no data once, and leaves out tables of contents', () => {
    expect(textOf([partAt(parts, 'Sections without data')])).toBe('Streams Capture\n');
    expect(textOf(parts)).not.toMatch(/Back to Top|SQL Statistics/);
  });

  test('reads the tables of a cluster, with groups over the names of columns', () => {
    const parts = partsOf(
      '<body class="awr"><h3>SQL ordered by Elapsed Time (Global)</h3><table>' +
        '<tr><th></th><th colspan="3">Total</th><th>Per Execution</th></tr>' +
        '<tr><th>SQL Id</th><th>Elapsed (s)</th><th>Execs</th><th>Gets</th><th>Elapsed (s)</th><th>SQL Text</th></tr>' +
        '<tr><td>8zv8bcwj8kz5d</td><td>1,134</td><td>12</td><td>5,000</td><td>94.5</td><td>BEGIN a; END;</td></tr></table>',
    );
    expect(amounts(partAt(parts, 'SQL ID 8zv8bcwj8kz5d'))).toEqual({
      count: 12,
      executions: 12,
      elapsed: 1134,
      query: 5000,
    });
  });

  test.each([
    ['a comparison', 'where x <y and z<= 5 and a </ b'],
    ['a substitution', 'where id = &region_id and name = &copyright'],
    ['references', 'where x < 1 &amp;&#38; y&#0;'],
  ])('has the text of a statement as it was written: %s', (_, sql) => {
    const html = `<body class="awr"><h3>Complete List of SQL Text</h3><table><tr><th>SQL Id</th><th>SQL Text</th></tr><tr><td>8zv8bcwj8kz5d</td><td>${sql}</td></tr></table>`;
    const read = sql.replace('&amp;&#38;', '&&').replace('&#0;', '');
    expect(textOf(statements(partsOf(html, 'awr_html')))).toContain(`Full text: ${read}\n`);
  });

  test('reads what follows a script without an end, or a head without one', () => {
    const table = '<h3>Waits</h3><table><tr><th>Event</th></tr><tr><td>log file sync</td></tr></table>';
    for (const start of ['<html><script>', '<html><head><title>AWR</title>', '<html><head><style>']) {
      expect(textOf(partsOf(start + table, 'awr_html'))).toContain('log file sync\n');
    }
  });

  test('does not mix two reports of one file', () => {
    const twice = statements(partsOf(fixture('awr.html') + fixture('awr.html').replaceAll('1,693.18', '7.00')));
    const same = twice.filter(({ heading }) => heading === 'SQL ID 2y6hvyn11bjzm');
    expect(same.map((part) => amounts(part).elapsed)).toEqual([1693.18, 7]);
  });

  test.for(samples('awr').filter(({ name }) => name.endsWith('.html')))('$name', ({ text }) => {
    const parts = partsOf(text);
    const list = text.slice(text.indexOf('>Complete List of SQL Text</h3>'));
    const ids = [...list.matchAll(/<a class="awr" name="([0-9a-z]{13})"><\/a>/g)].map(([, id]) => id);
    expect(
      statements(parts)
        .map(({ metadata }) => metadata.sqlId)
        .sort(),
    ).toEqual(ids.sort());
    const slowest = statements(parts).sort((a, b) => (amounts(b).elapsed ?? 0) - (amounts(a).elapsed ?? 0));
    expect(slowest[0]?.metadata.sqlId).toBe(/by elapsed time"[\s\S]*?href="#(\w{13})"/.exec(text)?.[1]);
  });
});
