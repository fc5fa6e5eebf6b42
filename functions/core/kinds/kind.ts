import type { Scope } from '../scope.ts';

/** The kinds of knowledge: what can be asked about. */
export const SOURCE_TYPES = ['task', 'sprint', 'project'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** A source's name: its kind and its id as text. */
export interface SourceRef {
  type: SourceType;
  id: string;
}

/**
 * What a source says and who may see it: made by its kind from the stored record, embedded and answered from by
 * everything else. Blank `text` means that there is nothing to index.
 */
export interface SourceContent {
  title: string;
  text: string;
  scope: Scope;
  metadata: Record<string, string | number | null>;
}

export const sourceKey = (ref: SourceRef): string => `${ref.type}/${ref.id}`;
