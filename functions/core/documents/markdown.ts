import { closesFence, openingFence } from '../markdown.ts';
import { addProse, type Draft } from './draft.ts';
import { type Heading, headingAt } from './headings.ts';

/** Settings at the beginning of a file stand between lines of `---`, which underline nothing; no more lines than this. */
const MAX_FRONT_MATTER = 200;

/** A run of a text's lines; a heading also tells what it says. */
type Run = { start: number; end: number } & (
  | { kind: 'settings' | 'code' | 'table' | 'text' }
  | { kind: 'heading'; heading: Heading }
);

/**
 * Markdown as parts: one for each heading, with the headings above it. Fenced code is whole, a table is rows, its header
 * the header row with the row of dashes below it. Together the parts are the text, to the letter.
 */
export function markdownDrafts(text: string): Draft[] {
  const lines = linesOf(text);
  const path: Heading[] = [];
  let draft: Draft = { headings: [], blocks: [], isBare: true };
  const drafts = [draft];
  for (const run of runsOf(lines)) {
    const said = lines.slice(run.start, run.end).join('');
    if (run.kind === 'heading') {
      while ((path.at(-1)?.level ?? 0) >= run.heading.level) path.pop();
      path.push(run.heading);
      draft = { headings: path.map((above) => above.text), blocks: [], isBare: true };
      drafts.push(draft);
    }
    if (run.kind === 'code') draft.blocks.push({ kind: 'whole', text: said });
    else if (run.kind === 'table') {
      const header = lines.slice(run.start, run.start + 2).join('');
      draft.blocks.push({ kind: 'rows', text: said, header });
    } else addProse(draft.blocks, said);
    draft.isBare &&= run.kind === 'heading' || said.trim() === '';
  }
  return drafts.filter(({ blocks }) => blocks.length > 0);
}

/** The first heading of the first level of a Markdown text with LF line ends, as its parts show it; null where it has none. */
export function markdownTitle(text: string): string | null {
  for (const run of runsOf(linesOf(text))) {
    if (run.kind === 'heading' && run.heading.level === 1) return run.heading.text;
  }
  return null;
}

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** The lines in runs, in order. */
function* runsOf(lines: string[]): Generator<Run> {
  let start = frontMatterEnd(lines);
  if (start > 0) yield { kind: 'settings', start: 0, end: start };
  // Whether no text stands right above the line.
  let isFresh = true;
  while (start < lines.length) {
    const run = runAt(lines, start, isFresh);
    yield run;
    isFresh = run.kind !== 'text' || lines[start]?.trim() === '';
    start = run.end;
  }
}

function runAt(lines: string[], start: number, isFresh: boolean): Run {
  const fenceEnd = fenceEndAt(lines, start);
  if (fenceEnd !== null) return { kind: 'code', start, end: withBlankLine(lines, fenceEnd) };
  const heading = headingAt(lines, start, isFresh);
  if (heading !== null) return { kind: 'heading', heading, start, end: start + heading.lines };
  const tableEnd = tableEndAt(lines, start);
  if (tableEnd !== null) return { kind: 'table', start, end: withBlankLine(lines, tableEnd) };
  return { kind: 'text', start, end: start + 1 };
}

/** An empty line behind a block belongs to it, so that nothing begins with one. */
const withBlankLine = (lines: string[], end: number) => (lines[end]?.trim() === '' ? end + 1 : end);

function frontMatterEnd(lines: string[]): number {
  if (lines[0]?.trimEnd() !== '---') return 0;
  const end = lines.slice(1, MAX_FRONT_MATTER).findIndex((line) => ['---', '...'].includes(line.trimEnd()));
  return end === -1 ? 0 : end + 2;
}

/** Behind the closing fence of the code that begins at a line, or behind the last line; null where none begins. */
function fenceEndAt(lines: string[], index: number): number | null {
  const fence = openingFence(lines[index] ?? '');
  if (fence === null) return null;
  for (let i = index + 1; i < lines.length; i++) if (closesFence(lines[i] ?? '', fence)) return i + 1;
  return lines.length;
}

/** Behind the table that begins at a line, its header row: rows with pipes, up to an empty line or another block; or null. */
function tableEndAt(lines: string[], index: number): number | null {
  const header = lines[index] ?? '';
  const dashes = lines[index + 1] ?? '';
  if (!header.includes('|') || !/^[\s|:-]*$/.test(dashes)) return null;
  const cells = cellsOf(dashes);
  if (!cells.every((cell) => /^:?-+:?$/.test(cell.trim())) || cells.length !== cellsOf(header).length) return null;
  let end = index + 2;
  while (lines[end]?.includes('|') && headingAt(lines, end, false) === null && openingFence(lines[end] ?? '') === null)
    end++;
  return end;
}

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/);
