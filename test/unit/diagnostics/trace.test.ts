import { describe, expect, test } from 'vitest';
import { amounts, codes, fixture, partAt, partsOf, samples, statements, textOf } from './files.ts';

describe('a SQL trace', () => {
  const old = partsOf(fixture('sql-trace-10g.trc'));
  const recent = partsOf(fixture('sql-trace-19c.trc'));

  test('has a part for each statement with the sums of its calls, in seconds', () => {
    expect(statements(old).map((part) => [part.heading, amounts(part)])).toEqual([
      [
        'select order_no from orders_open where customer = :b1',
        { count: 2, executions: 2, cpu: 0.007, elapsed: 0.0111, disk: 3, query: 9, current: 1, rows: 10 },
      ],
      // Parsed with two cursor numbers.
      [
        'select name from segment_names$ where n=:1',
        { count: 2, executions: 2, cpu: 0, elapsed: 0.0002, disk: 0, query: 5, current: 0, rows: 1 },
      ],
      [
        'select a from table_not_there',
        { count: 0, executions: 0, cpu: 0, elapsed: 0, disk: 0, query: 0, current: 0, rows: 0 },
      ],
      [
        'select 5 from dual',
        { count: 1, executions: 1, cpu: 0, elapsed: 0.000009, disk: 0, query: 0, current: 0, rows: 0 },
      ],
    ]);
    expect(partAt(recent, '4xn8755d4fd5z').metadata).toMatchObject({
      userId: 83,
      depth: 0,
      misses: 1,
      planHash: '3580537945',
    });
  });

  test('gives an event to the statement that its cursor stands for, not to the one above it', () => {
    const order = textOf([partAt(old, 'customer = :b1')]);
    expect(order).toContain("WAIT #2: nam='db file sequential read'");
    expect(order).toContain('value="NORTH"');
    expect(order).not.toContain('#5');
    expect(textOf([partAt(old, 'select 5 from dual')])).not.toContain('segment_names');
  });

  test('gives waits of a cursor number that stands for none to the statement parsed with it next', () => {
    expect(textOf([partAt(recent, '4xn8755d4fd5z')])).not.toContain('library cache lock');
    expect(textOf([partAt(recent, '8swypbbr0m372')])).toContain('library cache lock');
    // Nothing stood for it yet.
    expect(textOf([partAt(recent, '4xn8755d4fd5z')])).toContain('pin S wait on X');
  });

  test('begins a part with the text of the statement', () => {
    expect(partAt(recent, '4xn8755d4fd5z').blocks[0]?.text).toMatch(/PARSING IN CURSOR[\s\S]*END OF STMT\n$/);
  });

  test('has no figures for events whose statement is not in the trace', () => {
    const outside = partAt(recent, 'Header and events outside statements');
    expect(textOf([outside])).toContain('EXEC #1400');
    expect(amounts(outside)).toEqual({});
  });

  test('has the error numbers of its events as codes', () => {
    expect(codes(partAt(old, 'customer = :b1'))).toEqual(['ORA-01652']);
    expect(codes(partAt(old, 'table_not_there'))).toEqual(['ORA-00942']);
  });

  test.for(samples('trace10046'))('$name: each SQL id is a part, and every call of it is counted', ({ text }) => {
    const parts = statements(partsOf(text));
    const ids = new Set([...text.matchAll(/ sqlid='(\w+)'/g)].map(([, id]) => id));
    expect(parts.map(({ metadata }) => metadata.sqlId).sort()).toEqual([...ids].sort());
    for (const part of parts) {
      const calls = [...textOf([part]).matchAll(/^(?:PARSE|EXEC|FETCH) #\d+:c=\d+,e=(\d+)/gm)];
      const elapsed = calls.reduce((sum, [, e]) => sum + Number(e), 0) / 1e6;
      expect(amounts(part).elapsed).toBeCloseTo(elapsed, 6);
    }
  });
});
