import type { Part } from '../kinds/kind.ts';
import { isBlank, linesOf } from './lines.ts';
import { type DiagnosticSource, partOf } from './part.ts';
import { tableBlocks } from './tables.ts';

const BANNER_RULE = /^={5,}\s*$/;
const BANNER_TITLE = /^# *([^\s#][^\n]{0,150}?) *#\s*$/;

/** The title of a banner whose upper rule stands at `at`; null where there is none. */
export const bannerAt = (lines: string[], at: number): string | null =>
  BANNER_RULE.test(lines[at] ?? '') && BANNER_RULE.test(lines[at + 2] ?? '')
    ? (BANNER_TITLE.exec(lines[at + 1] ?? '')?.[1] ?? null)
    : null;

/** A report of an inspection as parts: one under each banner; a banner with nothing under it goes with the next. */
export function tablespaceParts(text: string, source: DiagnosticSource): Part[] {
  const lines = linesOf(text);
  const pieces: { titles: string[]; lines: string[] }[] = [];
  let body = 0;
  lines.forEach((line, at) => {
    const title = bannerAt(lines, at);
    const last = pieces.at(-1);
    if (title !== null) {
      if (last !== undefined && last.titles.length > 0 && lines.slice(body, at).every(isBlank)) {
        last.titles.push(title);
        last.lines.push(line);
      } else pieces.push({ titles: [title], lines: [line] });
      body = at + 3;
    } else if (last === undefined) pieces.push({ titles: [], lines: [line] });
    else last.lines.push(line);
  });
  return pieces.map((piece) =>
    partOf(source, piece.titles.length === 0 ? null : piece.titles.join(' > '), tableBlocks(piece.lines), {
      kind: 'summary',
    }),
  );
}
