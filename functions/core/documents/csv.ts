import type { Block } from '../blocks.ts';
import { addProse, type Draft } from './draft.ts';

/** A quoted field begins at the beginning of a line or behind one of these. */
const DELIMITERS = ',;\t|';

/**
 * A table as one part, its first record the header of every passage. A record of one line is a row; one of several, by
 * line ends within quotes (RFC 4180), is kept whole.
 */
export function csvDrafts(text: string): Draft[] {
  const blocks: Block[] = [];
  let header = '';
  for (const record of recordsOf(text)) {
    if (header === '' && record.trim() === '') {
      addProse(blocks, record);
      continue;
    }
    if (header === '') header = record;
    const kind = record.slice(0, -1).includes('\n') ? 'whole' : 'rows';
    const last = blocks.at(-1);
    if (kind === 'rows' && last?.kind === 'rows') last.text += record;
    else blocks.push({ kind, text: record, header });
  }
  return [{ headings: [], blocks, isBare: false }];
}

/** The records of a table, each with its line end. A quote that is never closed goes to the end of the text. */
function recordsOf(text: string): string[] {
  const records: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === '"') {
      if (!isQuoted) isQuoted = i === start || DELIMITERS.includes(text.charAt(i - 1));
      else if (text.charAt(i + 1) === '"') i++;
      else isQuoted = false;
    } else if (character === '\n' && !isQuoted) {
      records.push(text.slice(start, i + 1));
      start = i + 1;
    }
  }
  if (start < text.length) records.push(text.slice(start));
  return records;
}
