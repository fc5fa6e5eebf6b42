import fc from 'fast-check';
import { parse } from 'node-html-parser';
import { describe, expect, test } from 'vitest';
import { DIAGNOSTIC_FORMATS } from '../../../functions/core/diagnostics/formats.ts';
import { recognizeFormat } from '../../../functions/core/diagnostics/recognize.ts';
import { toSingleLine } from '../../../functions/core/text.ts';
import { fixture, fixtureNames, partsOf, samples, textOf } from './files.ts';

const CONTIGUOUS = DIAGNOSTIC_FORMATS.filter((format) => format !== 'sql_trace' && format !== 'awr_html');

/** A fixture with lines left out, doubled, put elsewhere or replaced, and perhaps cut off in the middle of a line. */
const mangled = fc
  .record({
    name: fc.constantFrom(...fixtureNames()),
    edits: fc.array(
      fc.record({
        at: fc.nat(),
        drop: fc.nat({ max: 12 }),
        put: fc.constantFrom(
          '',
          '\n',
          'ORA-00001: x\n',
          `${'*'.repeat(80)}\n`,
          '=====\n',
          '----- -----\n',
          '  at "A.B", line 1\n',
          'EXEC #9:c=1,e=2\n',
        ),
      }),
      { maxLength: 6 },
    ),
    end: fc.nat(),
  })
  .map(({ name, edits, end }) => {
    const lines = fixture(name).split(/(?<=\n)/);
    for (const { at, drop, put } of edits) lines.splice(at % (lines.length + 1), drop, put);
    const text = lines.join('');
    return end % 3 === 0 ? text.slice(0, end % (text.length + 1)) : text;
  });

const sortedLines = (text: string) => text.split('\n').sort();

const everything = ['tkprof', 'trace10046', 'awr', 'alertlog', 'concurrent', 'tablespace'].flatMap(samples);

describe('nothing of a diagnostic is lost', () => {
  test.each(CONTIGUOUS)('as %s, the parts of any text are the text', (format) => {
    fc.assert(
      fc.property(fc.oneof(mangled, fc.string({ unit: 'binary' })), (text) => {
        fc.pre(text.trim() !== '');
        expect(textOf(partsOf(text, format))).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  test('as a SQL trace, each line of any text is in one part', () => {
    fc.assert(
      fc.property(mangled, (text) => {
        fc.pre(text.trim() !== '');
        // Where the last line has no line end, another may follow it.
        const whole = text.endsWith('\n') ? text : `${text}\n`;
        expect(sortedLines(textOf(partsOf(whole, 'sql_trace')))).toEqual(sortedLines(whole));
      }),
      { numRuns: 200 },
    );
  });

  test('as AWR in HTML, the text of each cell is in a part, wherever the file is cut off', () => {
    const html = fixture('awr.html');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: html.length }), (end) => {
        const text = html.slice(0, end);
        const said = toSingleLine(textOf(partsOf(text, 'awr_html')));
        for (const [, cell = ''] of text.matchAll(/<t[dh][^>]*>([^<]+)<\/t[dh]>/g)) {
          expect(said).toContain(toSingleLine(parse(cell).text));
        }
      }),
    );
  });

  test.for(everything.filter(({ name }) => name.endsWith('.html')))('each cell of $name', ({ text }) => {
    const said = toSingleLine(textOf(partsOf(text)));
    const cells = parse(text).querySelectorAll('td, th');
    expect(cells.length).toBeGreaterThan(1000);
    expect(cells.map((cell) => toSingleLine(cell.text)).filter((cell) => !said.includes(cell))).toEqual([]);
  });

  test.for(everything.filter(({ name }) => !name.endsWith('.html')))('real file $name', ({ text }) => {
    const said = textOf(partsOf(text));
    if (recognizeFormat(text) === 'sql_trace') expect(sortedLines(said)).toEqual(sortedLines(text));
    else expect(said).toBe(text);
  });
});

describe('every part', () => {
  test('has an anchor of one line that names the diagnostic, and no empty block', () => {
    fc.assert(
      fc.property(mangled, fc.constantFrom(...DIAGNOSTIC_FORMATS), (text, format) => {
        for (const part of partsOf(text, format)) {
          expect(part.anchor).toMatch(/^\[DIAGNOSTIC d1\] \S[^\n]*$/);
          expect(part.anchor.length).toBeLessThanOrEqual(320);
          expect(part.heading?.length ?? 0).toBeLessThanOrEqual(120);
          expect(part.blocks.length).toBeGreaterThan(0);
          for (const block of part.blocks) expect(block.text).not.toBe('');
        }
      }),
      { numRuns: 200 },
    );
  });

  test.each(DIAGNOSTIC_FORMATS.filter((format) => format !== 'awr_html'))(
    'keeps a stack of errors whole wherever it stands, as %s',
    (format) => {
      const stack =
        'ORA-12012: error on auto execute of job\nORA-00060: deadlock detected\n  at "SYS.X", line 9\nORA-06512: at "SYS.X"\n';
      for (const name of fixtureNames()) {
        const lines = fixture(name).split(/(?<=\n)/);
        lines.forEach((_, at) => {
          const text = lines.toSpliced(at, 0, stack).join('');
          const whole = partsOf(text, format).flatMap(({ blocks }) => blocks.filter(({ kind }) => kind === 'whole'));
          expect(
            whole.some((block) => block.text.includes(stack)),
            `${name}, line ${at + 1}`,
          ).toBe(true);
        });
      }
    },
  );

  test('of a blank text: none', () => {
    for (const format of DIAGNOSTIC_FORMATS) expect(partsOf(' \n\n', format)).toEqual([]);
  });
});
