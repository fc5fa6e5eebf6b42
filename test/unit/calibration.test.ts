import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readCalibration, writeCalibration } from '../../scripts/dev/calibration-file.ts';
import { readQuestions, SAMPLE_QUESTIONS } from '../../scripts/eval/questions.ts';
import { calibrateCommand } from '../../scripts/rag/calibrate/calibrate.ts';
import { writeEnvFile } from '../../scripts/rag/calibrate/env-file.ts';
import { histogramOf } from '../../scripts/rag/calibrate/histogram.ts';
import { requireBothKinds } from '../../scripts/rag/calibrate/measure.ts';
import { plotDistances } from '../../scripts/rag/calibrate/plot.ts';
import { chooseThreshold, chooseWeight } from '../../scripts/rag/calibrate/rules.ts';
import { svgOf } from '../../scripts/rag/calibrate/svg.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oci-rag-calibration-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the limit', () => {
  test.each([
    ['lies in the middle of the gap', [0.3, 0.4], [0.8, 0.9], 0.6, 0, 0],
    ['lies in the wider of two gaps that are as good', [0.3, 0.5], [0.45, 0.9], 0.7, 0, 1],
    ['rather lets one through than refuses one', [0.3, 0.4, 0.6], [0.5, 0.8, 0.9], 0.7, 0, 1],
    ['refuses one that lies among many of the other side', [0.3, 0.4, 0.9], [0.6, 0.7, 0.8], 0.5, 1, 0],
    ['lies at a figure that both sides have', [0.5], [0.5, 0.8], 0.65, 0, 1],
  ])('%s', (_, onSubject, offSubject, limit, refused, letThrough) => {
    const chosen = chooseThreshold(onSubject, offSubject);

    expect(chosen.limit).toBeCloseTo(limit, 9);
    expect(chosen).toMatchObject({ refused, letThrough });
  });

  const distances = fc.array(
    fc.integer({ min: 0, max: 200 }).map((n) => n / 100),
    { minLength: 1, maxLength: 30 },
  );

  test('counts what lies beyond and within, and no other weighs better', () => {
    const worth = (limit: number, on: number[], off: number[]) =>
      (2 * on.filter((x) => x <= limit).length) / on.length + off.filter((x) => x > limit).length / off.length;
    fc.assert(
      fc.property(distances, distances, (on, off) => {
        const { limit, refused, letThrough, balancedAccuracy } = chooseThreshold(on, off);
        expect(refused).toBe(on.filter((x) => x > limit).length);
        expect(letThrough).toBe(off.filter((x) => x <= limit).length);
        expect(balancedAccuracy).toBeCloseTo((1 - refused / on.length + 1 - letThrough / off.length) / 2, 9);
        for (const other of [...on, ...off]) {
          expect(worth(other, on, off)).toBeLessThanOrEqual(worth(limit, on, off) + 1e-9);
        }
      }),
    );
  });

  test('puts everything on its side where the two do not overlap, whatever the order', () => {
    fc.assert(
      fc.property(distances, distances, (near, far) => {
        const off = far.map((x) => x + 2.5);
        const chosen = chooseThreshold([...near].reverse(), off);
        expect(chosen).toMatchObject({ refused: 0, letThrough: 0, balancedAccuracy: 1 });
        expect(chosen.limit).toBeCloseTo((Math.max(...near) + Math.min(...off)) / 2, 9);
      }),
    );
  });

  test('needs both kinds', () => {
    expect(() => chooseThreshold([], [1])).toThrow('both kinds');
    expect(() => chooseThreshold([1], [])).toThrow('both kinds');
  });
});

test.each([
  ['the best one', [0.3, 0.5, 0.4], 0.5],
  ['the middle of a plateau', [0.4, 0.5, 0.5, 0.499, 0.2], 0.5],
  ['the lower middle of an even plateau', [0.5, 0.5], 0],
])('the weight is %s', (_, figures, chosen) => {
  const step = figures.length === 5 ? 0.25 : 0.5;
  expect(chooseWeight(figures.map((figure, i) => ({ weight: i * step, figure })))).toBe(chosen);
});

describe('the distances are drawn', () => {
  const onSubject = [0.31, 0.45, 0.45, 0.52];
  const offSubject = [0.8, 0.83];

  test('in steps that hold each of them', () => {
    const { from, to, onSubject: on, offSubject: off, most } = histogramOf(onSubject, offSubject, 12);
    const sum = (counts: number[]) => counts.reduce((a, b) => a + b, 0);
    expect([from, to, sum(on), sum(off), most]).toEqual([0.3, 0.9, 4, 2, 2]);
  });

  test('in a terminal, the cutoff between the two', () => {
    const lines = plotDistances(onSubject, offSubject, 0.66).split('\n');
    const at = lines.at(-1)?.indexOf('▲') ?? -1;
    const lastBar = Math.max(
      ...lines.slice(0, 4).map((line) => Math.max(line.lastIndexOf('█'), line.lastIndexOf('▄'))),
    );
    const firstBar = Math.min(...lines.slice(4, 8).flatMap((line) => (line.includes('█') ? [line.indexOf('█')] : [])));
    expect(at).toBeGreaterThan(lastBar);
    expect(at).toBeLessThan(firstBar);
    expect(lines.join('\n')).toContain('cutoff 0.660');
  });

  test('as a picture that is well formed, whatever the model is called', () => {
    const cutoff = { limit: 0.66, refused: 0, letThrough: 0, balancedAccuracy: 1 };
    const svg = svgOf({ model: '<a&b>"', distances: { onSubject, offSubject }, cutoff });
    expect(svg).toContain('&lt;a&amp;b&gt;&quot;');
    expect(svg.match(/class="on"/g)).toHaveLength(3 + 1);
    expect(svg).toContain('prefers-color-scheme: dark');
    const open = [...svg.matchAll(/<(\/?)(\w+)[^>]*?(\/?)>/g)].reduce<string[]>((stack, [, end, name = '', empty]) => {
      if (end === '/') expect(stack.pop()).toBe(name);
      else if (empty !== '/') stack.push(name);
      return stack;
    }, []);
    expect(open).toEqual([]);
  });
});

describe('questions that cannot be measured by are told before anything is started', () => {
  const one = (kind: string) => ({ question: 'q', kind });
  const many = (kind: string, n: number) => Array.from({ length: n }, () => one(kind));

  test.each([
    ['no JSON', '{', /cannot be read/],
    ['no list', '{}', /cannot be used: .*array/],
    ['an unknown kind', JSON.stringify([one('answerable'), one('odd')]), /question 2, kind: must be answerable, /],
    [
      'a blank question',
      JSON.stringify([{ question: ' ', kind: 'off_topic' }]),
      /question 1, question: must not be blank/,
    ],
    [
      'a source that is none',
      JSON.stringify([{ ...one('answerable'), sources: ['12'] }]),
      /question 1, sources.0: must be a kind/,
    ],
    [
      'too few on the subject',
      JSON.stringify([...many('answerable', 4), ...many('off_topic', 9)]),
      /at least 5 questions on the subject .* got 4/,
    ],
    ['all on one side', JSON.stringify(many('answerable', 9)), /at least 5 questions off the subject .* got 0/],
  ])('%s', (_, text, message) => {
    const path = join(folder, 'questions.json');
    writeFileSync(path, text);

    expect(() => requireBothKinds(readQuestions(path))).toThrow(message);
  });

  test.each([
    ['a corpus without its questions', ['--corpus', 'x.ndjson'], /--questions is missing/],
    ['questions that are not there', ['--questions', '/nowhere.json'], /\/nowhere.json cannot be read/],
    ['an argument too many', ['x'], /one argument too many/],
  ])('%s', async (_, args, message) => {
    await expect(calibrateCommand(args)).rejects.toThrow(message);
  });

  test("the sample's own can be", () => {
    expect(() => requireBothKinds(readQuestions(SAMPLE_QUESTIONS))).not.toThrow();
  });
});

describe('what was measured is written', () => {
  const settings = { RAG_RETRIEVAL_CUTOFF: '0.62', RAG_RETRIEVAL_VECTOR_WEIGHT: '0.4' };

  test('into a data folder, by model, and read for that model alone', async () => {
    await writeCalibration(folder, 'one', { RAG_RETRIEVAL_CUTOFF: '0.9' });
    await writeCalibration(folder, 'two', { RAG_RETRIEVAL_CUTOFF: '0.5' });
    await writeCalibration(folder, 'one', settings);

    expect(await readCalibration(folder, 'one')).toEqual({ settings, note: null });
    expect(await readCalibration(folder, 'two')).toEqual({ settings: { RAG_RETRIEVAL_CUTOFF: '0.5' }, note: null });
    const other = await readCalibration(folder, 'three');
    expect(other.settings).toEqual({});
    expect(other.note).toMatch(/calibration\.json is ignored: it was measured for one, two, not for three/);
  });

  test('a folder without it has nothing to say', async () => {
    expect(await readCalibration(folder, 'one')).toEqual({ settings: {}, note: null });
  });

  test.each([
    ['no JSON', 'x', /cannot be read as settings/],
    ['a list', '[]', /cannot be read as settings/],
    ['a number for a text', '{"one":{"RAG_RETRIEVAL_CUTOFF":0.5}}', /cannot be read as settings/],
    [
      'a value out of range',
      '{"one":{"RAG_RETRIEVAL_CUTOFF":"7"}}',
      /RAG_RETRIEVAL_CUTOFF must be a number from 0 to 2/,
    ],
    ['another setting', '{"one":{"RAG_DATABASE":"oracle:x"}}', /RAG_DATABASE is not a setting that is measured/],
  ])('%s in its place is refused', async (_, text, message) => {
    writeFileSync(join(folder, 'calibration.json'), text);

    await expect(readCalibration(folder, 'one')).rejects.toThrow(message);
  });

  test('into a file of settings, whose other lines stay', () => {
    const path = join(folder, 'env');
    writeFileSync(path, 'A=1\nexport RAG_RETRIEVAL_CUTOFF=0.8\n# RAG_RETRIEVAL_CUTOFF\nB=2');

    writeEnvFile(path, settings);
    writeEnvFile(path, settings);

    expect(readFileSync(path, 'utf8')).toBe(
      'A=1\n# RAG_RETRIEVAL_CUTOFF\nB=2\nRAG_RETRIEVAL_CUTOFF=0.62\nRAG_RETRIEVAL_VECTOR_WEIGHT=0.4\n',
    );
    writeEnvFile(join(folder, 'new'), settings);
    expect(existsSync(join(folder, 'new'))).toBe(true);
  });
});
