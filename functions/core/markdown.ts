/** A stretch of a text: code is what Markdown shows letter by letter. Together the stretches are the text. */
export interface Stretch {
  text: string;
  isCode: boolean;
}

const FENCE = /^[ \t]*(`{3,}|~{3,})([^\n]*)/;
const INDENTED = /^(?: {4}|\t)/;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s/;

/** The mark that a line opens a block of code with, three signs or more of ` or ~; null where it opens none. */
export function openingFence(line: string): string | null {
  const [, marks, info = ''] = FENCE.exec(line) ?? [];
  return marks === undefined || (marks.startsWith('`') && info.includes('`')) ? null : marks;
}

/** Whether a line closes the block of code that this mark has opened. */
export function closesFence(line: string, fence: string): boolean {
  const [, marks = '', info = ''] = FENCE.exec(line) ?? [];
  return marks.startsWith(fence) && info.trim() === '';
}

/**
 * The lines of a text, each with its line end, and whether it is code: between fences (also without an end), or indented
 * by four blanks behind an empty line and outside a list.
 */
export function splitLines(text: string): Stretch[] {
  let fence: string | null = null;
  let isInList = false;
  let isIndented = true;
  return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => {
    if (fence !== null) {
      if (closesFence(line, fence)) fence = null;
      return { text: line, isCode: true };
    }
    fence = openingFence(line);
    if (fence !== null) {
      isIndented = false;
      return { text: line, isCode: true };
    }
    // Code goes on over empty lines, and may begin after one.
    if (line.trim() === '') {
      isIndented = true;
      return { text: line, isCode: false };
    }
    isIndented &&= INDENTED.test(line) && !isInList;
    if (!INDENTED.test(line)) isInList = LIST_ITEM.test(line) || (isInList && /^\s/.test(line));
    return { text: line, isCode: isIndented };
  });
}

/**
 * A line cut at its inline code: what stands between backticks, their number the same at both ends; from one without a
 * partner to the end of the line, unless it stands between two letters and is an apostrophe.
 */
export function splitInlineCode(line: string): Stretch[] {
  const runs = [...line.matchAll(/`+/g)];
  const lastOfLength = new Map(runs.map((run) => [run[0].length, run.index]));
  const stretches: Stretch[] = [];
  let done = 0;
  for (let i = 0; i < runs.length; i++) {
    const open = runs[i];
    if (open === undefined) break;
    const isClosed = (lastOfLength.get(open[0].length) ?? 0) > open.index;
    if (!isClosed && isApostrophe(line, open.index, open[0].length)) continue;
    let end = line.length;
    if (isClosed) {
      do i++;
      while (runs[i]?.[0].length !== open[0].length);
      end = (runs[i]?.index ?? end) + open[0].length;
    }
    stretches.push(
      { text: line.slice(done, open.index), isCode: false },
      { text: line.slice(open.index, end), isCode: true },
    );
    done = end;
    if (!isClosed) break;
  }
  stretches.push({ text: line.slice(done), isCode: false });
  return stretches.filter(({ text }) => text !== '');
}

const isApostrophe = (line: string, at: number, length: number): boolean =>
  length === 1 && /\p{L}/u.test(line.charAt(at - 1)) && /\p{L}/u.test(line.charAt(at + 1));
