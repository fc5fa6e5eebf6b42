/** One line of the report: what was measured, the figure, what it should be, and how it was measured. */
export interface Finding {
  what: string;
  figure: string;
  /** Empty where there is no goal. */
  goal: string;
  met?: boolean;
  how: string;
}

/** The findings as a table, each with a line on how it was measured. */
export function formatReport(findings: Finding[]): string {
  const rows = [['', 'measured', 'goal', ''], ...findings.map(toRow)];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line, i) => (i === 0 ? line : `${line}\n    ${findings[i - 1]?.how}`)).join('\n');
}

const toRow = ({ what, figure, goal, met }: Finding) => [
  what,
  figure,
  goal,
  met === undefined ? '' : met ? 'met' : 'MISSED',
];

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? Number.NaN)) / 2 : upper;
}

/** Milliseconds that the work took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** "1.43×" */
export const times = (ratio: number) => `${ratio.toFixed(2)}×`;
/** "87 ms" */
export const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
