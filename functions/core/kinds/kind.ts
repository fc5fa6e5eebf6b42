import type { Block } from '../blocks.ts';
import type { Fact } from '../facts.ts';
import type { Scope } from '../scope.ts';

/** The kinds of record: a number names one, and its text is short. */
export const RECORD_TYPES = ['task', 'sprint', 'project'] as const;
export type RecordSourceType = (typeof RECORD_TYPES)[number];

/** The kinds of knowledge: what can be asked about. */
export const SOURCE_TYPES = [...RECORD_TYPES, 'document', 'diagnostic', 'resolution'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** A source's name: its kind and its id as text. */
export interface SourceRef {
  type: SourceType;
  id: string;
}

/** What is told of a source or a part besides its text; a list where there can be several. */
export type Metadata = Record<string, string | number | string[] | null>;

/** A part of a file under one heading: cut into sections by size, or a section of its own (see {@link SourceContent}). */
export interface Part {
  /** Where it stands, the outermost title first: "Leave > Parental leave"; null where it has no heading. */
  heading: string | null;
  /** The line that every passage of it begins with, without its line end. */
  anchor: string;
  /** In order; their texts together are the part's text. */
  blocks: Block[];
  metadata: Metadata;
  /** What sections of it are filtered and ordered by. */
  facts: Fact[];
}

/** How the parts of a file are cut: `document` into overlapping sections by size, `diagnostic` each one section. */
export type Cutting = 'document' | 'diagnostic';

/**
 * What a source says and who may see it: made by its kind from the stored record, embedded and answered from by
 * everything else. Blank `text` means that there is nothing to index.
 */
export interface SourceContent {
  title: string;
  text: string;
  /** Null: the text is short and one section, cut by the embedding model's window alone. */
  parts: { cutting: Cutting; parts: Part[] } | null;
  scope: Scope;
  metadata: Metadata;
  /** What the whole source is filtered by. */
  facts: Fact[];
  /** Why there is nothing to index and what can be done about it; null where a blank text says all. */
  emptyReason: string | null;
}

/** What a short record has none of. */
export const RECORD_CONTENT = { parts: null, facts: [], emptyReason: null } satisfies Partial<SourceContent>;

export const sourceKey = (ref: SourceRef): string => `${ref.type}/${ref.id}`;
