import { KIND_WORD, kindOf } from './codes.ts';
import type { SourceType } from './kinds/kind.ts';

/** A source as a citation may name it: by its number, or by its kind and id. */
export interface CitableSource {
  n: number;
  sourceType: SourceType;
  sourceId: string;
}

/** What a marker names: numbers of sources, and what names none, as written. */
export interface Marker {
  valid: number[];
  invented: string[];
}

/** A marker's text is no longer than this. */
export const MAX_MARKER = 160;
/** The widest range that is read as one: [1-3]. */
const MAX_RANGE = 100;

const SOURCE_WORD =
  'sources?|src|refs?|references?|citations?|docs?|documents?|fuentes?|referencias?|documentos?|quellen?|fontes?|fonti?';
const PREFIX = new RegExp(`^(?:${SOURCE_WORD})(?!\\p{L})[\\s.:#]*`, 'iu');
/** The same in parentheses: (Source 1). */
export const IN_PARENTHESES = new RegExp(`\\(((?:${SOURCE_WORD})[\\s.:#]*\\d[^()\\n]{0,80})\\)`, 'giu');

/** One item: a source by kind and id, a number or a range, a number of another convention, or a place within a source. */
const ITEM = new RegExp(
  [
    `(?<kind>${KIND_WORD})[\\s:]*#?\\s*(?<id>\\d{1,16})`,
    '\\d+:\\d+†[^,;]*',
    '(?<hash>#)?\\^?(?<from>\\d{1,16})(?:\\s*(?:[-–—…]|\\.{2,3}|to|a)\\s*#?\\^?(?<to>\\d{1,16}))?(?:†[^,;]*)?',
    '(?<place>(?:pp?|p[áa]gs?|pages?|p[áa]ginas?|lines?|l[íi]neas?)\\.?\\s*\\d+(?:[-–]\\d+)?|§\\s*[\\d.]+)',
  ].join('|'),
  'iuy',
);
const SEPARATOR = /\s*(?:[,;&]|(?:and|y|e|und|et)(?!\p{L}))\s*|\s+/iuy;
const YEARS = /^(?:19|20)\d\d(?:\s*[-–/]\s*(?:19|20)?\d\d)?$/;

/**
 * Reads what stands between brackets as a marker: `1`, `1, 2`, `1-3`, `^1`, `#1`, `TASK #12`, `task #12, 2`, `Source 1: title`,
 * `1†source`, `DOCUMENT hr/leave.md`. Null where it is prose. A plain number is the number of a source, in a list behind a
 * plural (`tasks 12, 13`) an id. A year that is no source's number is prose.
 */
export function parseMarker(content: string, sources: CitableSource[]): Marker | null {
  const file = content.length > MAX_FILE_MARKER ? null : parseFileMarker(content.trim(), sources);
  if (file !== null) return file;
  if (content.length > MAX_MARKER || !/\d/.test(content)) return null;
  const text = content.trim();
  if (YEARS.test(text) && !sources.some(({ n }) => n === Number(text))) return null;
  const start = PREFIX.exec(text)?.[0].length ?? 0;
  const valid = new Set<number>();
  const invented: string[] = [];
  let kind: string | null = null;
  let hasSource = false;
  for (let at = start; at < text.length; ) {
    ITEM.lastIndex = at;
    const item = ITEM.exec(text);
    if (item === null) return null;
    at = ITEM.lastIndex;
    if (item.groups?.place === undefined) {
      hasSource = true;
      kind = item.groups?.kind ?? kind;
      const found = resolve(item.groups ?? {}, kind, sources);
      for (const n of found.numbers) valid.add(n);
      if (!found.isWhole) invented.push(item[0].trim());
    } else if (!hasSource) return null;
    // Behind the source's name, its title.
    if ((start > 0 || kind !== null) && /^\s*[:|–—-]\s/.test(text.slice(at, at + 8))) break;
    SEPARATOR.lastIndex = at;
    if (at < text.length && SEPARATOR.exec(text) === null) return null;
    if (at < text.length) at = SEPARATOR.lastIndex;
  }
  return hasSource ? { valid: [...valid], invented } : null;
}

/** A marker with the longest path is no longer than this. */
const MAX_FILE_MARKER = 700;
/** What stands before a file's id, in the first lines of its passages. */
const FILE_WORDS: [SourceType, string][] = [
  ['document', 'document '],
  ['diagnostic', 'diagnostic '],
  ['resolution', 'resolution of diagnostic '],
];
/** A name as those lines have it, of whatever file; a plain number behind DOCUMENT is that of a source. */
const FILE_NAME = /^(?:DOCUMENT (?!\d+$)|(?:RESOLUTION of )?DIAGNOSTIC )\S+$/;

/** Reads the name of a file: its id may hold blanks and signs, so that it is found by comparing it with those of the sources. */
function parseFileMarker(text: string, sources: CitableSource[]): Marker | null {
  const lower = text.toLowerCase();
  const [type, words = ''] = FILE_WORDS.find(([, words]) => lower.startsWith(words)) ?? [];
  if (type === undefined) return null;
  const written = text.slice(words.length);
  const [named] = sources
    .filter((source) => source.sourceType === type && written.startsWith(source.sourceId))
    .filter(({ sourceId }) => /^$|^\s*[,;&]|^\s*[:|–—-]\s/.test(written.slice(sourceId.length, sourceId.length + 20)))
    .sort((a, b) => b.sourceId.length - a.sourceId.length || a.n - b.n);
  if (named === undefined) return FILE_NAME.test(text) ? { valid: [], invented: [text] } : null;
  const others = /^\s*[,;&]\s*(.+)$/u.exec(written.slice(named.sourceId.length))?.[1];
  const rest = others === undefined ? null : parseMarker(others, sources);
  return { valid: [named.n, ...(rest?.valid ?? [])], invented: rest?.invented ?? [] };
}

/** The sources that an item names, and whether all that it names is there. */
function resolve(
  { kind, id, hash, from, to }: Record<string, string | undefined>,
  lastKind: string | null,
  sources: CitableSource[],
): { numbers: number[]; isWhole: boolean } {
  const byId = (type: SourceType | null, written: string) =>
    sources.find((s) => (type === null || s.sourceType === type) && s.sourceId === written.replace(/^0+(?=\d)/, ''));
  const one = (source: CitableSource | undefined) => ({
    numbers: source === undefined ? [] : [source.n],
    isWhole: source !== undefined,
  });
  if (kind !== undefined && id !== undefined) return one(byId(kindOf(kind), id));
  if (from === undefined) return one(undefined);
  const isId = lastKind !== null && (hash !== undefined || /(?:s|en|ti)$/i.test(lastKind));
  if (to === undefined) {
    if (isId && lastKind !== null) return one(byId(kindOf(lastKind), from));
    const numbered = sources.find(({ n }) => n === Number(from));
    return one(numbered ?? (hash === undefined ? undefined : byId(null, from)));
  }
  const [first, last] = [Number(from), Number(to)];
  if (first > last || last - first > MAX_RANGE) return one(undefined);
  const numbers = sources.map(({ n }) => n).filter((n) => n >= first && n <= last);
  return { numbers, isWhole: numbers.length === last - first + 1 };
}
