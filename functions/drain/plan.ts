import { sha256Hex } from '../core/hash.ts';
import type { SourceContent } from '../core/kinds/kind.ts';
import { cutIntoPassages } from '../core/passages.ts';
import type { SourceWork } from '../core/queue.ts';
import type { IndexedSource, StoredState } from '../store/sources.ts';

/** What must happen so that a source's chunks say what its record says. */
export interface SourcePlan {
  work: SourceWork;
  /** Null: the source has gone, or has nothing to index. */
  content: SourceContent | null;
  state: StoredState;
  foundGeneration: number | null;
  chunkCount: number;
  /** The passages that keep theirs. */
  kept: { chunkNo: number; section: number | null }[];
  removedNos: number[];
  /** The passages that need a vector. */
  added: { chunkNo: number; section: number | null; content: string; contentHash: string }[];
}

/**
 * Compares what is to be indexed with what is: a passage whose text and model are the same keeps its vector. Null when
 * the index already has this generation or a newer one: then a later writer has won, and this one does nothing.
 */
export function planSource(
  work: SourceWork,
  content: SourceContent | null,
  indexed: IndexedSource | undefined,
  model: string,
  window: number,
): SourcePlan | null {
  if (indexed !== undefined && indexed.generation >= work.generation) return null;

  const passages = content === null ? [] : cutIntoPassages(content.text, window);
  const stored = new Map((indexed?.chunks ?? []).map((chunk) => [chunk.chunkNo, chunk]));
  const plan: SourcePlan = {
    work,
    content: passages.length === 0 ? null : content,
    state: content === null ? 'deleted' : passages.length === 0 ? 'empty' : 'ready',
    foundGeneration: indexed?.generation ?? null,
    chunkCount: passages.length,
    kept: [],
    removedNos: [],
    added: [],
  };
  for (const [chunkNo, { content: text, section }] of passages.entries()) {
    const contentHash = sha256Hex(text);
    const old = stored.get(chunkNo);
    if (old?.contentHash === contentHash && old.model === model) plan.kept.push({ chunkNo, section });
    else plan.added.push({ chunkNo, section, content: text, contentHash });
  }
  const kept = new Set(plan.kept.map(({ chunkNo }) => chunkNo));
  plan.removedNos = [...stored.keys()].filter((chunkNo) => !kept.has(chunkNo));
  return plan;
}

/** Groups of plans with at most `texts` passages to embed each (a single larger plan is a group of its own). */
export function groupBySize(plans: SourcePlan[], texts: number): SourcePlan[][] {
  const groups: SourcePlan[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const plan of plans) {
    const current = groups.at(-1);
    if (current === undefined || (size + plan.added.length > texts && plan.added.length > 0)) {
      groups.push([plan]);
      size = plan.added.length;
    } else {
      current.push(plan);
      size += plan.added.length;
    }
  }
  return groups;
}
