import type { Part } from '../kinds/kind.ts';
import { csvDrafts } from './csv.ts';
import { type Draft, joinBare } from './draft.ts';
import { markdownDrafts } from './markdown.ts';
import { plainDrafts } from './plain.ts';

/** How a document's text is written, which says where its parts begin. HTML and DOCX have become Markdown. */
export type TextFormat = 'plain' | 'markdown' | 'csv';

const DRAFTS: Record<TextFormat, (text: string) => Draft[]> = {
  plain: plainDrafts,
  markdown: markdownDrafts,
  csv: csvDrafts,
};

/**
 * The parts of a document's text, with line ends as LF; together they are the text, to the letter; none for blank text.
 * Each begins with its path and titles: `[DOCUMENT hr/leave.md] Leave > Parental leave > Fathers`. The title is not said
 * again where it is the outermost heading too.
 */
export function partsOf(document: {
  id: string;
  title: string;
  textFormat: TextFormat;
  content: string | null;
}): Part[] {
  const { id, title, textFormat, content } = document;
  if (content === null || content.trim() === '') return [];
  return joinBare(DRAFTS[textFormat](content)).map(({ headings, blocks }) => {
    const below = headings[0] === title ? headings.slice(1) : headings;
    return {
      heading: below.length === 0 ? null : below.join(' > '),
      anchor: `[DOCUMENT ${id}] ${[title, ...below].join(' > ')}`,
      blocks,
      metadata: {},
      facts: [],
    };
  });
}
