import { estimateTokens } from '../tokens.ts';

/** About as much as one passage of a diagnostic holds, in tokens. */
const PASSAGE_TOKENS = 450;

/** An entry of a log: its lines, and whether it has a part of its own. */
export interface Entry {
  lines: string[];
  isAlone: boolean;
}

/** Neighbours together up to a passage's size, an entry that is larger or alone by itself; none is split. */
export function pack<T extends Entry>(entries: T[]): T[][] {
  const groups: T[][] = [];
  let room = 0;
  for (const entry of entries) {
    const tokens = estimateTokens(entry.lines.join(''));
    const last = groups.at(-1);
    if (last === undefined || entry.isAlone || tokens > room) {
      groups.push([entry]);
      room = entry.isAlone ? 0 : PASSAGE_TOKENS - tokens;
    } else {
      last.push(entry);
      room -= tokens;
    }
  }
  return groups;
}
