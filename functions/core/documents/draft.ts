import type { Block } from '../blocks.ts';

/** A part of a document before it has its anchor. */
export interface Draft {
  /** From the outermost to its own. */
  headings: string[];
  blocks: Block[];
  /** Nothing stands in it but its heading or blanks: it says nothing by itself. */
  isBare: boolean;
}

/** Adds prose behind the blocks; prose behind prose is one block. */
export function addProse(blocks: Block[], text: string): void {
  const last = blocks.at(-1);
  if (last?.kind === 'prose') last.text += text;
  else if (text !== '') blocks.push({ kind: 'prose', text });
}

/** Drafts without bare ones: the text of a bare one begins the next; what is left at the end is added to the last. */
export function joinBare(drafts: Draft[]): Draft[] {
  const joined: Draft[] = [];
  let waiting: Draft[] = [];
  for (const draft of drafts) {
    waiting.push(draft);
    if (draft.isBare) continue;
    joined.push({ ...draft, blocks: allBlocks(waiting) });
    waiting = [];
  }
  const [first] = waiting;
  if (first === undefined) return joined;
  const last = joined.at(-1) ?? { ...first, blocks: [] };
  return [...joined.slice(0, -1), { ...last, blocks: allBlocks([last, ...waiting]) }];
}

function allBlocks(drafts: Draft[]): Block[] {
  const blocks: Block[] = [];
  for (const block of drafts.flatMap((draft) => draft.blocks)) {
    if (block.kind === 'prose') addProse(blocks, block.text);
    else blocks.push(block);
  }
  return blocks;
}
