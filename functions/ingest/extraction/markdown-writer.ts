import { type Cell, columnSpan, rowSpan, tableBlocks } from './markdown-table.ts';

/** Lists and quotes, or tables, that stand deeper in each other than this are written at this depth. */
const MAX_CONTAINERS = 10;
const MAX_TABLES = 5;

/** What blocks stand in: a quote, or a list with the number of its next item (null: bullets). */
interface Container {
  next: number | 'bullet' | 'quote';
  /** What the next block of an item begins with, once. */
  marker: string | null;
  width: number;
}

/** What is being written: the page, or a cell of a table. */
interface Frame {
  blocks: { text: string; isItem: boolean; isInList: boolean }[];
  /** Of the block at hand: its lines that are ended, and the pieces of the one that is not. */
  lines: string[];
  pieces: string[];
  /** 1 to 6 in a heading. */
  heading: number | null;
  code: { language: string; pieces: string[] } | null;
  inlineCode: string[] | null;
  containers: Container[];
  /** How many that are too deep are open. */
  tooDeep: number;
  isLayout: boolean;
}

interface Table {
  /** What it stands in. */
  outer: Frame;
  rows: Cell[][];
  row: Cell[] | null;
  cell: { columns: number; rows: number } | null;
}

const newFrame = (): Frame => ({
  blocks: [],
  lines: [],
  pieces: [],
  heading: null,
  code: null,
  inlineCode: null,
  containers: [],
  tooDeep: 0,
  isLayout: false,
});

/** Writes Markdown from what opens and closes, in whatever order it does so. */
export class MarkdownWriter {
  /** The first heading of the first level; null while there is none. */
  firstHeading: string | null = null;
  private frame = newFrame();
  private readonly tables: Table[] = [];
  private tablesTooDeep = 0;

  text(text: string): void {
    (this.frame.code?.pieces ?? this.frame.inlineCode ?? this.frame.pieces).push(text);
  }

  lineBreak(): void {
    if (this.frame.code !== null) this.frame.code.pieces.push('\n');
    else this.endLine();
  }

  /** Ends the paragraph, heading or line of code at hand; without any text there is none. */
  endBlock(): void {
    const { frame } = this;
    if (frame.code !== null) {
      if (frame.code.pieces.at(-1)?.endsWith('\n') === false) frame.code.pieces.push('\n');
      return;
    }
    this.endLine();
    const { lines, heading } = frame;
    frame.lines = [];
    if (lines.length === 0) return;
    frame.heading = null;
    if (heading === null) {
      this.emit(lines.map(escapeStart).join('\n'));
      return;
    }
    const title = lines.join(' ');
    if (heading === 1) this.firstHeading ??= title;
    frame.isLayout = true;
    this.emit(`${'#'.repeat(heading)} ${title}`);
  }

  openHeading(level: number): void {
    this.endBlock();
    if (this.frame.code === null) this.frame.heading = level;
  }

  openCode(language: string): void {
    this.endBlock();
    this.frame.code ??= { language, pieces: [] };
  }

  closeCode(): void {
    const { code } = this.frame;
    if (code === null) return;
    this.frame.code = null;
    const text = code.pieces
      .join('')
      .replaceAll('\xa0', ' ')
      .replace(/^\r?\n/, '')
      .trimEnd();
    if (text === '') return;
    let fence = '```';
    for (const [run] of text.matchAll(/`{3,}/g)) if (run.length >= fence.length) fence = `${run}\``;
    this.frame.isLayout = true;
    this.emit(`${fence}${code.language}\n${text}\n${fence}`);
  }

  openInlineCode(language: string): void {
    const { frame } = this;
    if (frame.code === null) frame.inlineCode ??= [];
    else if (frame.code.language === '') frame.code.language = language;
  }

  closeInlineCode(): void {
    const { frame } = this;
    const text = collapse(frame.inlineCode ?? []);
    frame.inlineCode = null;
    if (text !== '') frame.pieces.push(text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);
  }

  /** `start`: the number of the first item; null for bullets. */
  openList(start: number | null): void {
    this.openContainer({ next: start ?? 'bullet', marker: null, width: 0 });
  }

  closeList(): void {
    this.closeContainer((container) => container.next !== 'quote');
  }

  openItem(): void {
    this.endBlock();
    const { containers, tooDeep } = this.frame;
    if (tooDeep > 0) return;
    while (containers.at(-1)?.next === 'quote' && isInList(this.frame)) containers.pop();
    const list = containers.at(-1);
    if (list === undefined || list.next === 'quote') return;
    list.marker = list.next === 'bullet' ? '- ' : `${list.next}. `;
    list.width = list.marker.length;
    if (list.next !== 'bullet') list.next++;
  }

  closeItem(): void {
    this.endBlock();
  }

  openQuote(): void {
    this.openContainer({ next: 'quote', marker: null, width: 0 });
  }

  closeQuote(): void {
    this.closeContainer((container) => container.next === 'quote');
  }

  openTable(): void {
    this.endBlock();
    if (this.tables.length === MAX_TABLES) this.tablesTooDeep++;
    else this.tables.push({ outer: this.frame, rows: [], row: null, cell: null });
  }

  closeTable(): void {
    if (this.tablesTooDeep > 0) {
      this.endBlock();
      this.tablesTooDeep--;
      return;
    }
    this.closeRow();
    const table = this.tables.pop();
    if (table === undefined) return;
    const blocks = tableBlocks(table.rows);
    if (blocks.length > 0) this.frame.isLayout = true;
    for (const block of blocks) this.emit(block);
  }

  openRow(): void {
    this.closeRow();
    const table = this.tables.at(-1);
    if (table === undefined || this.tablesTooDeep > 0) return;
    table.row = [];
    table.rows.push(table.row);
  }

  closeRow(): void {
    this.closeCell();
    const table = this.tables.at(-1);
    if (table !== undefined && this.tablesTooDeep === 0) table.row = null;
  }

  openCell(colspan: string | null, rowspan: string | null): void {
    this.closeCell();
    const table = this.tables.at(-1);
    if (table === undefined || this.tablesTooDeep > 0) return;
    if (table.row === null) this.openRow();
    table.cell = { columns: columnSpan(colspan), rows: rowSpan(rowspan) };
    this.frame = newFrame();
  }

  closeCell(): void {
    const table = this.tables.at(-1);
    if (table === undefined || this.tablesTooDeep > 0 || table.cell === null) {
      this.endBlock();
      return;
    }
    const text = this.endFrame();
    table.row?.push({ ...table.cell, text, isLayout: this.frame.isLayout });
    table.cell = null;
    this.frame = table.outer;
  }

  /** Closes what is open. Returns all that was written. */
  end(): string {
    this.tablesTooDeep = 0;
    while (this.tables.length > 0) this.closeTable();
    return this.endFrame();
  }

  private endFrame(): string {
    this.closeCode();
    this.endBlock();
    return this.frame.blocks
      .map(({ text, isItem }, i) => {
        if (i === 0) return text;
        return isItem && this.frame.blocks[i - 1]?.isInList ? `\n${text}` : `\n\n${text}`;
      })
      .join('');
  }

  private endLine(): void {
    this.closeInlineCode();
    const line = collapse(this.frame.pieces);
    this.frame.pieces = [];
    if (line !== '') this.frame.lines.push(line);
  }

  private openContainer(container: Container): void {
    this.endBlock();
    if (this.frame.containers.length === MAX_CONTAINERS) this.frame.tooDeep++;
    else this.frame.containers.push(container);
  }

  private closeContainer(isOne: (container: Container) => boolean): void {
    this.endBlock();
    const { frame } = this;
    if (frame.tooDeep > 0) {
      frame.tooDeep--;
      return;
    }
    const at = frame.containers.findLastIndex(isOne);
    if (at === -1) return;
    frame.containers.length = at;
    // A list that follows is another one.
    const last = frame.blocks.at(-1);
    if (last !== undefined && !isInList(frame)) last.isInList = false;
  }

  /** Adds a block, its lines behind the marks and blanks of what it stands in. */
  private emit(text: string): void {
    const { containers, blocks } = this.frame;
    let first = '';
    let others = '';
    for (const container of containers) {
      const blanks = container.next === 'quote' ? '> ' : ' '.repeat(container.width);
      first += container.marker ?? blanks;
      others += blanks;
    }
    const isItem = containers.some(({ marker }) => marker !== null);
    for (const container of containers) container.marker = null;
    const [line = '', ...lines] = text.split('\n');
    const block = [first + line, ...lines.map((next) => (next === '' ? others.trimEnd() : others + next))].join('\n');
    blocks.push({ text: block, isItem, isInList: isInList(this.frame) });
  }
}

const isInList = ({ containers }: Frame): boolean => containers.some(({ next }) => next !== 'quote');

/** White space counts as one blank, as browsers show it; so do blanks that do not break. */
const collapse = (pieces: string[]): string =>
  pieces
    .join('')
    .replace(/[ \t\n\r\f\xa0]+/g, ' ')
    .trim();

/** A line of text that Markdown would take for a heading, a fence or a table. */
const escapeStart = (line: string): string =>
  /^(?:#{1,6}(?: |$)|```|~~~|\||=+$|--+$)/.test(line) ? `\\${line}` : line;
