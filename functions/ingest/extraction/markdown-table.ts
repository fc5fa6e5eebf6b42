/** A cell as it was read: its Markdown, and how many columns and rows it covers. */
export interface Cell {
  text: string;
  /** It holds what a row of a table cannot show: headings, code, tables. */
  isLayout: boolean;
  columns: number;
  rows: number;
}

/** Covering more is taken for a mistake. */
const MAX_COLUMNS = 20;
const MAX_ROWS = 1000;

/** The span that an attribute colspan or rowspan says, 1 where it says nothing that makes sense. */
export const columnSpan = (value: string | null): number => span(value, MAX_COLUMNS);
export const rowSpan = (value: string | null): number => span(value, MAX_ROWS);

function span(value: string | null, max: number): number {
  const count = Number(value);
  return Number.isInteger(count) && count >= 1 && count <= max ? count : 1;
}

/**
 * The blocks of a table: one with pipes between its cells, whose first row is the header; or, where it only places
 * things on the page (no row has two cells, or cells hold headings, code, tables), its cells one after the other.
 */
export function tableBlocks(rows: Cell[][]): string[] {
  const filled = rows.filter((row) => row.some(({ text }) => text !== ''));
  const isLayout = filled.every((row) => row.length < 2) || filled.some((row) => row.some((cell) => cell.isLayout));
  if (isLayout) return filled.flatMap((row) => row.flatMap(({ text }) => (text === '' ? [] : text)));
  const grid = toGrid(rows).filter((row) => row.some((text) => text !== ''));
  const [header = [], ...body] = grid.map((row) => `| ${row.join(' | ')} |`);
  const [first = []] = grid;
  return [[header, `|${' --- |'.repeat(first.length)}`, ...body].join('\n')];
}

/** The cells' texts by column: a cell's is in the first of what it covers, the others are empty. */
function toGrid(rows: Cell[][]): string[][] {
  /** By column, how many further rows the cell above covers. */
  const covered: number[] = [];
  return rows.map((row) => {
    const texts: string[] = [];
    const skipCovered = () => {
      for (let left = covered[texts.length] ?? 0; left > 0; left = covered[texts.length] ?? 0) {
        covered[texts.length] = left - 1;
        texts.push('');
      }
    };
    for (const cell of row) {
      skipCovered();
      const text = cell.text.replace(/\s+/g, ' ').replaceAll('|', '\\|');
      for (let i = 0; i < cell.columns; i++) {
        covered[texts.length] = cell.rows - 1;
        texts.push(i === 0 ? text : '');
      }
    }
    skipCovered();
    return texts;
  });
}
