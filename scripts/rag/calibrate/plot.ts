import { histogramOf, ticksOf } from './histogram.ts';

const WIDTH = 60;
/** Rows of one distribution. */
const HEIGHT = 4;
const BLOCKS = ' ▁▂▃▄▅▆▇█';
const MARGIN = 18;

/** The two distributions one above the other, on one axis with the cutoff marked, for a terminal with fixed-width signs. */
export function plotDistances(onSubject: number[], offSubject: number[], cutoff: number): string {
  const histogram = histogramOf(onSubject, offSubject, WIDTH);
  const { from, to, most } = histogram;
  const columnOf = (distance: number) =>
    Math.min(WIDTH - 1, Math.max(0, Math.floor(((distance - from) / (to - from)) * WIDTH)));
  const at = columnOf(cutoff);
  const bars = (name: string, n: number, counts: number[]) =>
    Array.from({ length: HEIGHT }, (_, row) => {
      const cells = counts.map((count, column) => {
        const eighths = Math.ceil((count / most) * HEIGHT * 8) - (HEIGHT - 1 - row) * 8;
        const block = BLOCKS[Math.min(8, Math.max(0, eighths))] ?? ' ';
        return column === at && block === ' ' ? '┊' : block;
      });
      const label = row === HEIGHT - 2 ? name : row === HEIGHT - 1 ? `${n} questions` : '';
      return `${label.padEnd(MARGIN)}${cells.join('')}`;
    });
  const axis = Array.from({ length: WIDTH }, (_, column): string => (column === at ? '┴' : '─'));
  const numbers = new Array<string>(WIDTH + 3).fill(' ');
  for (const tick of ticksOf(histogram)) {
    const column = Math.min(WIDTH - 1, Math.round(((tick - from) / (to - from)) * WIDTH));
    if (column !== at) axis[column] = '┬';
    for (const [i, sign] of [...tick.toFixed(1)].entries()) numbers[Math.max(0, column - 1) + i] = sign;
  }
  const margin = ' '.repeat(MARGIN);
  const mark = `▲ cutoff ${cutoff.toFixed(3)}`;
  return [
    ...bars('on the subject', onSubject.length, histogram.onSubject),
    ...bars('off the subject', offSubject.length, histogram.offSubject),
    `${margin}${axis.join('')}`,
    `${'nearest distance'.padEnd(MARGIN)}${numbers.join('').trimEnd()}`,
    `${margin}${' '.repeat(at)}${mark}`,
  ]
    .map((line) => line.trimEnd())
    .join('\n');
}
