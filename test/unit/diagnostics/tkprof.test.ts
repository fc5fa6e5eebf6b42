import { describe, expect, test } from 'vitest';
import type { Part } from '../../../functions/core/kinds/kind.ts';
import { amounts, codes, fixture, partAt, partsOf, samples, statements } from './files.ts';

const parts = partsOf(fixture('tkprof.txt'));
const textOfPart = (part: Part | undefined) => part?.blocks.map(({ text }) => text).join('');

describe('a TKPROF report', () => {
  test('has a part for each statement, and its figures are those of the total', () => {
    expect(statements(parts).map((part) => [part.heading, amounts(part)])).toEqual([
      [
        'SQL ID 3kf0z7hq2v9dw',
        { count: 69, executions: 1, cpu: 1.51, elapsed: 12.77, disk: 4321, query: 98765, current: 3, rows: 1000 },
      ],
      [
        'SQL ID 9pwd2m1xk4c7a',
        // Wide columns run together.
        {
          count: 1234568,
          executions: 1234567,
          cpu: 98765.43,
          elapsed: 123456.78,
          disk: 12345678901,
          query: 9876543210,
          current: 7,
          rows: 1234567,
        },
      ],
      [
        'UPDATE inventario SET cantidad = cantidad - :1 WHERE articu…',
        { count: 5, executions: 4, cpu: 0.02, elapsed: 0.3, disk: 6, query: 12, current: 20, rows: 4 },
      ],
      // Cut off before its total.
      ['SQL ID 5h0q8c2rt6n1y', {}],
    ]);
  });

  test('keeps what is told of a statement', () => {
    expect(partAt(parts, '3kf0z7hq2v9dw').metadata).toMatchObject({
      kind: 'statement',
      sqlId: '3kf0z7hq2v9dw',
      sql: expect.stringMatching(/^SELECT je\.name, .* GROUP BY je\.name$/),
      userId: 84,
      userName: 'APPS',
      depth: 2,
      misses: 1,
      executions: 1,
      elapsed: 12.77,
    });
    expect(partAt(parts, '9pwd2m1xk4c7a').metadata).toMatchObject({ planHash: '77123', userName: 'SYS', depth: 0 });
  });

  test('answers a question for the slowest statement with one line', () => {
    expect(partAt(parts, '3kf0z7hq2v9dw').anchor).toBe(
      '[DIAGNOSTIC d1] SQL 3kf0z7hq2v9dw · elapsed 12.77 s · cpu 1.51 s · executions 1 · calls 69 · disk 4321 · buffer gets 98765 · current 3 · rows 1000',
    );
  });

  test('holds text, calls, plan and waits of a statement in its part, tables with their headers', () => {
    const { blocks } = partAt(parts, '3kf0z7hq2v9dw');
    expect(
      blocks.filter(({ header }) => header !== undefined).map(({ header }) => header?.trim().split(/\s/)[0]),
    ).toEqual(['call', 'Rows', 'Elapsed']);
    const text = blocks.map((block) => block.text).join('');
    expect(text).toContain('almacen_asientos');
    expect(text).toContain('db file scattered read');
  });

  test('does not cut a statement at lines of stars in its text, however many, with and without an id', () => {
    const stars = `${'*'.repeat(80)}\n`;
    const table = fixture('tkprof.txt').match(/\ncall [\s\S]*?\ntotal .*\n/)?.[0] ?? '';
    const between = [
      'SELECT /*\n',
      `${stars}  a box, and SELECT in it\n${stars}`,
      `${stars}${stars}\n-- one\n${stars}begin\n`,
      '*/ COUNT(*) FROM almacen\nOVERALL TOTALS\n',
    ].join('');
    for (const [name, head] of [
      ['SQL ID 3kf0z7hq2v9dw', 'SQL ID: 3kf0z7hq2v9dw Plan Hash: 1\n\n'],
      ['SELECT /* a box, and SELECT in it -- one begin */ COUNT(*)…', '\n'],
    ]) {
      for (const sql of [between, between.replace('SELECT /*', 'BEGIN').replace('*/ COUNT(*)', 'run; END; -- ')]) {
        const block = `${head}${sql}${table}\nMisses in library cache during parse: 1\n`;
        const all = partsOf(
          `TKPROF: Release 19.0.0.0.0\n\n${stars}count    = number\n${stars}${block}${stars}${block}`,
        );
        expect(statements(all).map(textOfPart)).toEqual([`${block}${stars}`, block]);
        expect(all).toHaveLength(4);
        if (sql === between) expect(statements(all).map(({ heading }) => heading)).toEqual([name, name]);
        for (const part of statements(all)) expect(amounts(part)).toMatchObject({ elapsed: 12.77, executions: 1 });
      }
    }
  });

  test('joins to a statement nothing that is not its own', () => {
    const stars = `${'*'.repeat(80)}\n`;
    const rest = '  db file scattered read                        512        0.20         10.90\n';
    const failed =
      'The following statement encountered a error during parse:\n\nSELECT x\n\nError encountered: ORA-00942\n';
    const statement = fixture('tkprof.txt').match(/UPDATE inventario[\s\S]*?\nParsing .*\n/)?.[0] ?? '';
    const all = partsOf([rest, failed, statement, `Trace file: x.trc\n`].join(stars), 'tkprof');
    expect(all.map(({ metadata }) => metadata.kind)).toEqual(['summary', 'summary', 'statement', 'summary']);
    expect(textOfPart(all[2])).toBe(statement + stars);
  });

  test('has no figures where no statement is: totals, legend, header, trailer', () => {
    const others = parts.filter(({ metadata }) => metadata.kind === 'summary');
    expect(others.map(({ heading }) => heading)).toEqual([
      'Report header',
      'Legend',
      'The following statement encountered a error during parse:',
      'Overall totals',
      'Trace file',
      // A second report in the same file.
      'Report header',
      'Legend',
    ]);
    for (const part of others) expect(amounts(part)).toEqual({});
  });

  test('has error codes where they stand', () => {
    expect(parts.filter((part) => codes(part).length > 0).map((part) => [part.metadata.kind, codes(part)])).toEqual([
      ['summary', ['ORA-00942']],
      ['statement', ['ORA-00942', 'ORA-06512']],
    ]);
  });

  test.for(samples('tkprof'))('$name: the statements add up to the totals that it prints', ({ text }) => {
    const all = partsOf(text);
    const printed = [...text.slice(text.indexOf('OVERALL TOTALS')).matchAll(/^total +(.+)$/gm)].map(([, row = '']) =>
      row.trim().split(/ +/).map(Number),
    );
    for (const [isRecursive, total] of [false, true].map((is, at) => [is, printed[at]] as const)) {
      const each = statements(all).filter(({ metadata }) => Number(metadata.depth) > 0 === isRecursive);
      ['count', 'cpu', 'elapsed', 'disk', 'query', 'current', 'rows'].forEach((metric, at) => {
        const sum = each.reduce((rest, part) => rest + (amounts(part)[metric] ?? Number.NaN), 0);
        // Times are rounded in each line.
        const slack = metric === 'cpu' || metric === 'elapsed' ? 0.01 * each.length : 0;
        expect(Math.abs(sum - (total?.[at] ?? Number.NaN)), metric).toBeLessThanOrEqual(slack + 1e-9);
      });
    }
    // One table of calls each, besides the two of the totals.
    expect(statements(all)).toHaveLength((text.match(/^call +count/gm) ?? []).length - 2);
  });
});
