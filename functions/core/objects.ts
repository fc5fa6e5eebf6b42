import { InvalidInput, TooLarge } from './errors.ts';

/** S3 and Object Storage take no longer name, in bytes of UTF-8. */
const MAX_NAME_BYTES = 1024;

/** Refuses what can be no object's name, before a store makes a path or an address of it. Throws InvalidInput. */
export function requireObjectName(name: string): void {
  const fault = nameFault(name);
  if (fault !== null) throw InvalidInput.of([{ field: 'name', fault }]);
}

/** Whether an object can be named so. */
export const isObjectName = (name: string): boolean => nameFault(name) === null;

function nameFault(name: string): string | null {
  if (!name.isWellFormed()) return 'must be well-formed Unicode';
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `must have at most ${MAX_NAME_BYTES} bytes`;
  if (/[\0\\]/.test(name)) return 'must not hold NUL or a backslash';
  const isWrong = name.split('/').some((part) => part === '' || part === '.' || part === '..');
  return isWrong ? "must be parts with / between them, none of them empty, '.' or '..'" : null;
}

/** An object that is not read, since it is larger than what is. */
export const tooLarge = (bytes: number, maxBytes: number): TooLarge =>
  new TooLarge(`The file has ${bytes} bytes; at most ${maxBytes} are read`);

/** All bytes of a stream. Throws TooLarge as soon as there are more than the limit, whatever was announced. */
export async function readWithin(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > maxBytes) throw new TooLarge(`The file has more than ${maxBytes} bytes, and so many are read at most`);
    parts.push(part);
  }
  return Buffer.concat(parts, bytes);
}
