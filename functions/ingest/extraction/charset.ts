import { InvalidInput } from '../../core/errors.ts';
import { isStorable, NOT_STORABLE } from '../../core/text.ts';

export interface DecodedText {
  /** Without its byte order mark, line ends as they came. */
  text: string;
  /** As the Encoding Standard of WHATWG names it, lower case. */
  charset: string;
  /** Nobody declared the charset, and the bytes are not UTF-8. */
  assumed: boolean;
}

/** The characters of windows-1252 from 0x80 to 0x9F; five of them are control characters, as the Encoding Standard says. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * The text of bytes. A byte order mark decides first, then the declared charset (a label of the Encoding Standard), else
 * they are UTF-8; `assume` is what bytes are taken for that are not UTF-8 and have no charset declared.
 * Throws InvalidInput where the charset is unknown, where bytes do not fit it, and where the text cannot be stored.
 */
export function decodeText(
  bytes: Buffer,
  declared: string | null,
  { assume }: { assume?: 'windows-1252' } = {},
): DecodedText {
  const charset = charsetOfMark(bytes) ?? (declared === null ? null : charsetOfLabel(declared));
  const decoded =
    charset === null && assume !== undefined && decodeStrictly(bytes, 'utf-8') === null
      ? { text: decodeStrictly(bytes, assume), charset: assume, assumed: true }
      : { text: decodeStrictly(bytes, charset ?? 'utf-8'), charset: charset ?? 'utf-8', assumed: false };
  const { text } = decoded;
  if (text === null) throw refused(misfit(bytes, decoded.charset, charset !== null));
  if (!isStorable(text))
    throw refused(utf16Hint(bytes, text) ?? `${NOT_STORABLE}: character ${text.indexOf('\0') + 1} is NUL`);
  return { ...decoded, text };
}

/** The charset that a byte order mark names; null where there is none. */
export function charsetOfMark(bytes: Buffer): string | null {
  if (bytes.subarray(0, 3).equals(Buffer.of(0xef, 0xbb, 0xbf))) return 'utf-8';
  if (bytes.subarray(0, 2).equals(Buffer.of(0xff, 0xfe))) return 'utf-16le';
  if (bytes.subarray(0, 2).equals(Buffer.of(0xfe, 0xff))) return 'utf-16be';
  return null;
}

/** The standard name of a label: latin1 → windows-1252. */
function charsetOfLabel(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw InvalidInput.of([
      {
        field: 'Content-Type',
        fault: `names the unknown charset "${label}"; known are utf-8, windows-1252, utf-16le and the others of encoding.spec.whatwg.org`,
      },
    ]);
  }
}

/** The text of bytes in a charset of the Encoding Standard; null where they do not fit it, or there is no such charset. */
export function decodeStrictly(bytes: Buffer, charset: string): string | null {
  try {
    const decoder = new TextDecoder(charset, { fatal: true });
    const text = decoder.decode(bytes);
    // Some releases of Node.js read windows-1252 as ISO-8859-1, which leaves control characters for €, quotes and dashes.
    if (decoder.encoding !== 'windows-1252') return text;
    return text.replace(/[\x80-\x9f]/g, (c) => WINDOWS_1252.charAt(c.charCodeAt(0) - 0x80));
  } catch {
    return null;
  }
}

const refused = (fault: string): InvalidInput => InvalidInput.of([{ field: 'body', fault }]);

function misfit(bytes: Buffer, charset: string, isKnown: boolean): string {
  const hint = isKnown ? null : utf16Hint(bytes, bytes.toString('latin1'));
  if (hint !== null) return hint;
  const offset = misfitOffset(bytes, charset);
  const byte = bytes[offset]?.toString(16).toUpperCase().padStart(2, '0');
  const advice = isKnown
    ? 'declare the charset that it is written in'
    : 'it is read as UTF-8 because no charset is declared: declare it';
  return (
    `is not ${charset.toUpperCase()} at byte ${offset} (counted from 0)${byte === undefined ? '' : `, 0x${byte}`}; ` +
    `${advice}, for example Content-Type: text/plain; charset=windows-1252`
  );
}

/** Where the first character begins that does not fit; of Asian charsets with several bytes a character, where that is noticed. */
function misfitOffset(bytes: Buffer, charset: string): number {
  const width = charset.startsWith('utf-16') ? 2 : 1;
  if (charset !== 'utf-8' && width === 1) return firstReplaced(bytes, charset);
  // What cannot be decoded becomes U+FFFD, which the file may also hold in good form.
  const text = new TextDecoder(charset, { ignoreBOM: true }).decode(bytes);
  const encoding = width === 2 ? 'utf16le' : 'utf8';
  const genuine = charset === 'utf-8' ? 'efbfbd' : charset === 'utf-16le' ? 'fdff' : 'fffd';
  let offset = 0;
  let done = 0;
  for (let at = text.indexOf('\ufffd'); at !== -1; at = text.indexOf('\ufffd', at + 1)) {
    offset += Buffer.byteLength(text.slice(done, at), encoding);
    if (bytes.toString('hex', offset, offset + genuine.length / 2) !== genuine) return offset;
    done = at;
  }
  return bytes.length;
}

/** The last byte of the shortest beginning whose text has a U+FFFD: found by halving, as no character takes another back. */
function firstReplaced(bytes: Buffer, charset: string): number {
  let [low, high] = [0, bytes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const text = new TextDecoder(charset).decode(bytes.subarray(0, middle + 1), { stream: true });
    if (text.includes('\ufffd')) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** What to do about text that looks like UTF-16 that nobody declared: Latin letters have a zero in every second byte. */
function utf16Hint(bytes: Buffer, text: string): string | null {
  if (!text.includes('\0')) return null;
  const head = bytes.subarray(0, 1000);
  const zeros = [0, 0];
  for (const [i, byte] of head.entries()) if (byte === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const most = Math.max(even, odd);
  if (most < head.length * 0.2 || Math.min(even, odd) > most / 10) return null;
  return `looks like UTF-16 without a byte order mark; declare it: Content-Type: text/plain; charset=${even > odd ? 'utf-16be' : 'utf-16le'}`;
}
