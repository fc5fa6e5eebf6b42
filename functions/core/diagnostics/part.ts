import type { Block } from '../blocks.ts';
import type { Fact } from '../facts.ts';
import type { Metadata, Part } from '../kinds/kind.ts';
import { fitMetadata } from '../metadata.ts';
import { truncate } from '../text.ts';
import { errorCodesIn } from './error-codes.ts';

/** The diagnostic that parts are of: its id, and what its anchors call it ("TKPROF report"). */
export interface DiagnosticSource {
  id: string;
  label: string;
}

/** What a part tells besides its text. */
interface About {
  /** `statement`: one SQL statement with its figures; `entry`: of a log; `summary`: all else. */
  kind: 'statement' | 'entry' | 'summary';
  metadata?: Metadata;
  facts?: Fact[];
  /** Error codes besides those in the text. */
  codes?: string[];
  /** What the anchor says after the diagnostic's id; the file's label and the heading unless given. */
  anchor?: string;
}

const MAX_HEADING = 120;
const MAX_ANCHOR = 320;
/** More error codes of a part than this are left out. */
const MAX_CODES = 50;

/** A part with its anchor, and with the error codes in its text as facts and metadata. */
export function partOf(source: DiagnosticSource, heading: string | null, blocks: Block[], about: About): Part {
  const found = errorCodesIn(blocks.map(({ text }) => text).join(''), MAX_CODES);
  const codes = [...new Set([...(about.codes ?? []), ...found])].slice(0, MAX_CODES);
  const short = heading === null ? null : truncate(heading, MAX_HEADING);
  const named = about.anchor ?? (short === null ? source.label : `${source.label} > ${short}`);
  return {
    heading: short,
    anchor: truncate(`[DIAGNOSTIC ${source.id}] ${named}`, MAX_ANCHOR),
    blocks,
    metadata: fitMetadata(
      { kind: about.kind, ...about.metadata, ...(codes.length > 0 && { errorCodes: codes }) },
      'part',
    ),
    facts: [...(about.facts ?? []), ...codes.map((value): Fact => ({ name: 'errorCode', value }))],
  };
}
