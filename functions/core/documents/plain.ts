import { addProse, type Draft } from './draft.ts';

/** Plain text is one part without a heading; where form feeds part its pages, each page is one, its heading "p. 3". */
export function plainDrafts(text: string): Draft[] {
  const pages = text.split(/(?<=\f)/);
  return pages.map((page, i) => {
    const draft: Draft = {
      headings: text.includes('\f') ? [`p. ${i + 1}`] : [],
      blocks: [],
      isBare: page.trim() === '',
    };
    addProse(draft.blocks, page);
    return draft;
  });
}
