import type { Block } from '../blocks.ts';

/** The lines of a text with their line ends (LF); joined, they are the text. */
export const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/));

export const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';

/** The index of the first line that says something; the number of lines where there is none. */
export function firstTextAt(lines: string[]): number {
  const at = lines.findIndex((line) => !isBlank(line));
  return at === -1 ? lines.length : at;
}

/** The first line that says something; empty where there is none. */
export const firstText = (lines: string[]): string => lines[firstTextAt(lines)] ?? '';

/** Adds to a list in place: a spread of very many would exceed what a call can take. */
export function append<T>(list: T[], added: Iterable<T>): void {
  for (const each of added) list.push(each);
}

/** Lines as one block; none where there are no lines. */
export const blockOf = (lines: string[], kind: Block['kind'], header?: string): Block[] => {
  const text = lines.join('');
  if (text === '') return [];
  return header === undefined ? [{ text, kind }] : [{ text, kind, header }];
};

/** Lines cut before each one that begins something; blank lines at the start go with what follows. */
export function cutBefore(lines: string[], begins: (line: string, at: number) => boolean): string[][] {
  const pieces: string[][] = [];
  let saysNothing = true;
  lines.forEach((line, at) => {
    const last = pieces.at(-1);
    const isStart = begins(line, at) && !saysNothing;
    if (last === undefined || isStart) pieces.push([line]);
    else last.push(line);
    saysNothing = (isStart || saysNothing) && isBlank(line);
  });
  return pieces;
}
