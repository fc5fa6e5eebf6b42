/**
 * How the parts of objects' names are written as names of files and folders, so that any file system can keep them: what
 * some of them refuse is a percent sign and two hexadecimal digits.
 */

/** Of UTF-8; file systems take 255, and a temporary file's name is no longer. */
const MAX_PIECE_BYTES = 200;
/** At the end of a folder's name: the part goes on in the name within. */
const GOES_ON = '%';
/** No part begins so: there, a percent sign has two hexadecimal digits behind it. */
export const TEMPORARY = '%new-';

const REFUSED = /[%\u0000-\u001f\u007f\\:*?"<>|]|[. ]$/g;

const percent = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

/** The names of the folders, and of the file at the end, that stand for one part of an object's name. */
export function encodePart(part: string): string[] {
  const pieces = [''];
  for (const char of part.replace(REFUSED, percent).match(/%..|./gsu) ?? []) {
    const piece = pieces.at(-1) ?? '';
    if (Buffer.byteLength(piece + char) > MAX_PIECE_BYTES) pieces.push(char);
    else pieces[pieces.length - 1] = piece + char;
  }
  return pieces.map((piece, at) => (at < pieces.length - 1 ? piece + GOES_ON : piece));
}

/** What stands in an object's name for a folder's: the part, or a piece of it, and the slash. */
export const decodeFolder = (name: string): string =>
  name.endsWith(GOES_ON) ? decodeFile(name.slice(0, -1)) : `${decodeFile(name)}/`;

export const decodeFile = (name: string): string =>
  name.replace(/%([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
