import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RECORD_CONTENT } from '../../../functions/core/kinds/kind.ts';
import { passagesOf } from '../../../functions/core/passages.ts';
import { codes, fixture, partAt, partsOf, textOf } from './files.ts';

/** What is indexed of a log. */
const passagesFrom = (text: string, window: number) =>
  passagesOf(
    {
      ...RECORD_CONTENT,
      title: '',
      text: '',
      parts: { cutting: 'diagnostic', parts: partsOf(text) },
      scope: { ownerEmployeeId: null, audience: 'organization', projectId: null, sprintId: null },
      metadata: {},
    },
    { window, sectionSize: 1200, sectionOverlap: 150, passageTokens: 500, passageOverlap: 0.15 },
  );

const outline = (name: string) => partsOf(fixture(name)).map((part) => [part.heading, codes(part)]);

describe('an alert log', () => {
  test('has an entry with an error code by itself, in both styles of moments', () => {
    expect(outline('alert-11g.log')).toEqual([
      ['Thu Mar 05 10:15:22 2020', []],
      ['Jue Mar  5 10:16:01 2020 ORA-01652', ['ORA-01652']],
      ['Thu Mar 05 10:17:40 2020 ORA-00600, ORA-06512', ['ORA-00600', 'ORA-06512']],
      ['Thu Mar 05 10:20:00 2020', []],
    ]);
    expect(outline('alert-19c.log')).toEqual([
      ['2020-03-05T10:15:22.123456+00:00', []],
      ['2020-03-05T10:16:01.000001+00:00 ORA-12012, ORA-01555', ['ORA-12012', 'ORA-01555']],
      ['2020-03-05 10:17:00.250000 +00:00', []],
    ]);
  });

  test('keeps the lines that belong to an error with it', () => {
    const part = partAt(partsOf(fixture('alert-11g.log')), 'ORA-00600, ORA-06512');
    expect(part.blocks.map(({ kind }) => kind)).toEqual(['rows', 'whole', 'rows']);
    expect(textOf([part])).toMatch(/^Thu Mar 05 10:17:40 2020\nErrors in file[\s\S]*Incident details in/);
    expect(part.blocks[1]?.text).toMatch(/^Errors in file .*\nORA-00600: [\s\S]*\nORA-06512: at line 1\n$/);
  });

  test('keeps the stacks of a long entry in one passage each, and what announces them where there is room', () => {
    const stackOf = (lines: number, n: number, pdb: string) =>
      [
        `${pdb}ORA-01652: unable to extend temp segment by ${n} in tablespace TEMP\n`,
        ...Array.from({ length: lines }, (_, i) => `${pdb}ORA-06512: at "APPS.PKG_${n}", line ${i}\n`),
      ].join('');
    const dump = fc
      .array(fc.constantFrom('  process state of the dump\n', 'kcbz: no buffer\n', '\tat a.b.C(C.java:9)\n', '\n'), {
        maxLength: 30,
      })
      .map((lines) => lines.join(''));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(dump, fc.integer({ min: 0, max: 7 })), { minLength: 1, maxLength: 6 }),
        fc.constantFrom('', 'PDB1(3):'),
        fc.integer({ min: 550, max: 1200 }),
        (pieces, pdb, window) => {
          const announced = `${pdb}Errors in file /u01/x.trc:\n`;
          const stacks = pieces.map(([, lines], n) => stackOf(lines, n, pdb));
          const entry = pieces.map(([before], n) => `${before}${announced}${stacks[n]}`).join('');
          const text = `2020-03-05T10:15:02.123456+00:00\n${entry}  process state of the dump\n`;
          const passages = passagesFrom(text, window);
          for (const stack of stacks) {
            expect(
              passages.some(({ content }) => content.includes(stack)),
              `${text}\n${stack}`,
            ).toBe(true);
            const both = announced + stack;
            if (both.length <= 250) expect(passages.some(({ content }) => content.includes(both))).toBe(true);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test('packs entries without errors up to a passage, and splits none', () => {
    const entry = (i: number) =>
      `Thu Mar 05 10:15:${String(i % 60).padStart(2, '0')} 2020\nThread 1 advanced to log sequence ${i} (LGWR switch)\n`;
    const parts = partsOf(Array.from({ length: 200 }, (_, i) => entry(i)).join(''));
    expect(parts.length).toBeGreaterThan(5);
    expect(parts.length).toBeLessThan(60);
    for (const part of parts) {
      const text = textOf([part]);
      expect(text).toMatch(/^Thu /);
      expect(text.length).toBeLessThan(1800);
    }
    expect(parts[0]?.heading).toMatch(/^Thu Mar 05 10:15:00 2020 – Thu Mar 05 10:15:\d\d 2020$/);
  });
});

describe('a concurrent request log', () => {
  const parts = partsOf(fixture('request.log'));

  test('has its messages and each completion option by themselves', () => {
    expect(parts.map(({ heading }) => heading)).toEqual([
      'General Ledger: Version : 12.2 · ORA-01652, ORA-06512',
      'Log messages · request 5137544 · APP-SQLGL-08219',
      'Executing request completion options...',
      '1) PUBLISH · request 5137544',
      '2) PRINT',
      'Finished executing request completion options.',
    ]);
    expect(textOf([partAt(parts, 'APP-SQLGL-08219')])).toMatch(/Start of log[\s\S]*SHRD0108[\s\S]*End of log/);
  });

  test('keeps the line with the cause and the stack under it whole', () => {
    const whole = parts[0]?.blocks.filter(({ kind }) => kind === 'whole').map(({ text }) => text);
    expect(whole).toEqual([
      expect.stringMatching(/^Cause: FDPSTP failed due to ORA-01652[\s\S]*\nORA-06512: at line 1\n$/),
    ]);
  });

  test('that begins amid the messages does not take what follows for messages', () => {
    const text = fixture('request.log');
    const tail = partsOf(text.slice(text.indexOf('SHRD0108')));
    expect(tail.map(({ heading }) => heading)).toContain('1) PUBLISH · request 5137544');
  });
});

describe('a log of the output post-processor', () => {
  test('is cut by request, lines without a moment with the entry above', () => {
    const parts = partsOf(fixture('post-processor.log'));
    expect(parts.map((part) => [part.heading, part.metadata.requestIds])).toEqual([
      ['3/5/20 10:16:00 AM · request 5137544 · ORA-01555', ['5137544']],
      ['3/5/20 10:20:00 AM · request 5137600', ['5137600']],
    ]);
    expect(textOf(parts.slice(0, 1))).toContain('TemplateHelper.java:5945');
  });
});

describe('a tablespace report', () => {
  const parts = partsOf(fixture('tablespace.txt'));

  test('has a part for each banner; one with nothing under it leads to the next', () => {
    expect(parts.map(({ heading }) => heading)).toEqual([null, '4.0 Data files (DF) > 4.1 Data files']);
  });

  test('repeats the header of a table up to its end', () => {
    const [before, table] = parts[0]?.blocks ?? [];
    expect(before?.text).toMatch(/^Informe/);
    expect(table?.header).toMatch(/^TABLESPACE_NAME\t.*\n-+ -+ -+ -+\n$/);
    expect(table?.text).toMatch(/USERS.*\n\n$/);
  });
});
