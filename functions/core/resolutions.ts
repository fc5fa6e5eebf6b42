import { containsCode } from './codes.ts';
import type { Hit } from './fusion.ts';
import type { Metadata } from './kinds/kind.ts';

/** Where the fix of a resolution was seen to work. */
export interface Validation {
  erpVersion: string;
  erpModule: string | null;
  environmentId: string | null;
}

type Described = Pick<Hit, 'sourceType' | 'metadata'>;

/** Where a resolution was validated; null for any other source, and where that is not known. */
export function validationOf({ sourceType, metadata }: Described): Validation | null {
  const erpVersion = textOf(metadata, 'erpVersion');
  if (sourceType !== 'resolution' || erpVersion === null) return null;
  return { erpVersion, erpModule: textOf(metadata, 'erpModule'), environmentId: textOf(metadata, 'environmentId') };
}

/**
 * The best `topK` of the hits, with each resolution in its place: directly above the best of the raw evidence that it explains,
 * which is that of the same environment and version with one of its error codes; and, where the question names a version that
 * some hit is of, a resolution of another one below all of these that are of it. What stands in the order of a figure stays
 * where it is.
 */
export function placeResolutions(question: string, hits: Hit[], topK: number): Hit[] {
  const placed = [...hits];
  for (const resolution of hits.filter(isResolution)) {
    const from = placed.indexOf(resolution);
    const to = placed.findIndex((hit) => explains(resolution, hit));
    if (to === -1 || to > from) continue;
    placed.splice(from, 1);
    placed.splice(to, 0, resolution);
  }
  const asked = versionsOf(hits).filter((version) => isVersionIn(question, version));
  const isOfAsked = ({ metadata }: Hit) => asked.includes(textOf(metadata, 'erpVersion') ?? '');
  const isOfAnother = (hit: Hit) => isResolution(hit) && !isOfAsked(hit);
  const best = placed.slice(0, topK);
  const lastAsked = best.findLastIndex(isOfAsked);
  const upToAsked = best.slice(0, lastAsked + 1);
  return [
    ...upToAsked.filter((hit) => !isOfAnother(hit)),
    ...upToAsked.filter(isOfAnother),
    ...best.slice(lastAsked + 1),
  ];
}

/** A version by itself: 12.1.3, R12.1.3; no date with its year, and no decimal. */
const VERSION = /(?<![\p{L}\p{N}.])[rv]?\.?(\d{1,2}(?:\.\d{1,2}){2,3})(?![\p{L}\p{N}]|\.\d)/giu;

/**
 * The versions other than the validated one that are asked about: those that the question names (as some hit has them, or of
 * three numbers or more) and those of the filters. Each once.
 */
export function otherVersions(validated: string, question: string, hits: Described[], filtered: string[]): string[] {
  const written = [...question.matchAll(VERSION)].map(([, version = '']) => version);
  const known = versionsOf(hits).filter((version) => isVersionIn(question, version));
  const asked = new Map([...known, ...filtered, ...written].reverse().map((version) => [bare(version), version]));
  asked.delete(bare(validated));
  return [...asked.values()].reverse();
}

const isResolution = ({ sourceType }: Described) => sourceType === 'resolution';

function explains(resolution: Hit, evidence: Hit): boolean {
  if (evidence.sourceType !== 'diagnostic' || evidence.naming === 'metric') return false;
  const isSame = (name: string) => {
    const value = textOf(resolution.metadata, name);
    return value !== null && value === textOf(evidence.metadata, name);
  };
  const codes = codesOf(evidence.metadata);
  return (
    isSame('environmentId') &&
    isSame('erpVersion') &&
    codesOf(resolution.metadata).some((code) => codes.includes(code) || containsCode(evidence.content, code))
  );
}

const versionsOf = (hits: Described[]): string[] => [
  ...new Set(hits.flatMap(({ metadata }) => textOf(metadata, 'erpVersion') ?? [])),
];

/** Without the letter of a release: R12.1.3. */
const bare = (version: string) => version.toLowerCase().replace(/^[rv]\.?(?=\d)/, '');

/** Whether a text names a version as a whole: 12.2 is not in 12.2.9. */
function isVersionIn(text: string, version: string): boolean {
  // A number without a point is a version with its letter alone: R12.
  const [prefix, name] = version.includes('.') ? ['(?:[rv]\\.?)?', bare(version)] : ['', version];
  const pattern = prefix + name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}.])${pattern}(?![\\p{L}\\p{N}]|\\.\\d)`, 'iu').test(text);
}

function textOf(metadata: Metadata | null, name: string): string | null {
  const value = metadata?.[name];
  return typeof value === 'string' ? value : null;
}

function codesOf(metadata: Metadata | null): string[] {
  const codes = metadata?.errorCodes;
  return Array.isArray(codes) ? codes : [];
}
