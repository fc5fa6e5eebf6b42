import type { Metadata } from './kinds/kind.ts';
import { truncate } from './text.ts';

/**
 * What the metadata of a source and that of a part of it take at most, as JSON, in bytes of UTF-8. Both are stored in one
 * column: from 4,000 bytes on, JSON_SERIALIZE of Oracle gives null.
 */
const MAX_BYTES = { source: 2400, part: 1500 };
/** Of one value. */
const MAX_TEXT_BYTES = 250;
const MAX_LIST_BYTES = 500;
const MAX_LIST_LENGTH = 20;

/**
 * Metadata cut to what may be stored: long texts are shortened, lists have at most 20 values, and what does not fit then is
 * left out. The first counts most; all that a source is filtered by is in its facts too.
 */
export function fitMetadata(metadata: Metadata, of: keyof typeof MAX_BYTES): Metadata {
  const fitting: Metadata = {};
  let left = MAX_BYTES[of] - 1;
  for (const [name, value] of Object.entries(metadata)) {
    const fitted = Array.isArray(value) ? fitList(value) : typeof value === 'string' ? fitText(value) : value;
    const bytes = bytesOf(name) + 1 + bytesOf(fitted) + 1;
    if (bytes > left) continue;
    left -= bytes;
    fitting[name] = fitted;
  }
  return fitting;
}

const bytesOf = (value: Metadata[string]): number => Buffer.byteLength(JSON.stringify(value));

function fitText(text: string): string {
  let fitted = truncate(text, MAX_TEXT_BYTES);
  while (bytesOf(fitted) > MAX_TEXT_BYTES) fitted = truncate(fitted, fitted.length - 5);
  return fitted;
}

/** A list without the values for which there is no room: a value that is shortened would be another one. */
function fitList(values: string[]): string[] {
  let left = MAX_LIST_BYTES - 1;
  return values.slice(0, MAX_LIST_LENGTH).filter((value) => {
    const bytes = bytesOf(value) + 1;
    if (bytes > left) return false;
    left -= bytes;
    return true;
  });
}
