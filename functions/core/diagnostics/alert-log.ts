import type { Part } from '../kinds/kind.ts';
import { codesInShort, errorCodesIn } from './error-codes.ts';
import { PDB_PREFIX, withStacksWhole } from './error-stacks.ts';
import { cutBefore, firstText, linesOf } from './lines.ts';
import { pack } from './pack.ts';
import { type DiagnosticSource, partOf } from './part.ts';

/** `2020-03-05T10:15:22.123456+00:00` of 12.2 and later; adrci prints a space for the T. */
const ISO_MOMENT = '\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d[.,]\\d{1,9}(?: ?[+-]\\d\\d:\\d\\d|Z)?';
/** `Thu Mar 05 10:15:22 2020` of 11g and earlier, alone in its line, with names of any language. */
const LONG_MOMENT = '\\p{L}{2,5}\\.? \\p{L}{2,5}\\.? {1,2}\\d{1,2} \\d\\d:\\d\\d:\\d\\d(?: [A-Z]{3,5})? \\d{4}';
const MOMENT = new RegExp(`^${PDB_PREFIX}(?:(${ISO_MOMENT})|(${LONG_MOMENT})\\s*$)`, 'u');
const MAX_MOMENT = 200;

/** The moment that a line begins an entry of an alert log with, as written; null where it begins none. */
export const momentAt = (line: string): string | null => {
  const [, iso, long] = MOMENT.exec(line.length <= MAX_MOMENT ? line : line.slice(0, MAX_MOMENT)) ?? [];
  return iso ?? long ?? null;
};

/**
 * An alert log as parts: an entry (from one moment to the next) with an error code by itself, its stacks whole; other neighbours
 * together up to a passage's size. `--` stands between what grep cut out.
 */
export function alertLogParts(text: string, source: DiagnosticSource): Part[] {
  const lines = linesOf(text);
  const isGap = (line: string | undefined) => line?.trimEnd() === '--';
  const entries = cutBefore(lines, (line, at) => momentAt(line) !== null || isGap(lines[at - 1])).map((each) => {
    const codes = errorCodesIn(each.join(''));
    return { lines: each, codes, isAlone: codes.length > 0 };
  });
  return pack(entries).map((group) => {
    const moments = group.flatMap((entry) => momentAt(firstText(entry.lines)) ?? []);
    const [first] = moments;
    const last = moments.at(-1);
    const codes = codesInShort(group.flatMap((entry) => entry.codes));
    const span = first === last ? first : `${first} – ${last}`;
    const heading = [span ?? '', codes].filter((word) => word !== '').join(' ');
    const blocks = withStacksWhole(
      group.flatMap((entry) => entry.lines),
      'rows',
    );
    return partOf(source, heading || 'Entries without a time', blocks, {
      kind: 'entry',
      metadata: { from: first ?? null, to: last ?? null },
    });
  });
}
