import { InvalidInput } from '../errors.ts';

const MAX_CHARACTERS = 512;
const MAX_BYTES = 800;
const MAX_SEGMENT_BYTES = 200;

/** What the names of all objects of documents begin with. */
export const DOCUMENTS = 'documents/';

const bytesOf = (text: string) => Buffer.byteLength(text);
const IS_DIGEST = /^[0-9a-f]{64}$/;

/**
 * The path of a document, percent-decoded already, in composed form (NFC): names with `/` between them, as in
 * `policies/hr/leave.md`. InvalidInput for the field `path`, with the fault and the limit, where it is none.
 */
export function documentPath(raw: string): string {
  const fault = raw.isWellFormed()
    ? faultOf(raw.normalize('NFC'))
    : 'must be valid Unicode, without half of a surrogate pair';
  if (fault !== null) throw InvalidInput.of([{ field: 'path', fault }]);
  return raw.normalize('NFC');
}

function faultOf(path: string): string | null {
  if (path === '') return 'must not be empty';
  if (path.length > MAX_CHARACTERS) return `is at most ${MAX_CHARACTERS} characters, got ${path.length}`;
  if (bytesOf(path) > MAX_BYTES) return `is at most ${MAX_BYTES} bytes of UTF-8, got ${bytesOf(path)}`;
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(path)) return 'must not contain control characters or line ends';
  if (path.includes('\\')) return 'must not contain a backslash; names are parted by /';
  if (path.startsWith('/')) return 'must not begin with /';
  if (path.endsWith('/')) return 'must not end with /';
  for (const name of path.split('/')) {
    if (name === '') return 'must not contain an empty name (//)';
    if (name === '.' || name === '..') return 'must not contain . or .. as a name';
    if (name !== name.trim()) return 'must not contain a name that begins or ends with a blank';
    if (bytesOf(name) > MAX_SEGMENT_BYTES) {
      return `must not contain a name of more than ${MAX_SEGMENT_BYTES} bytes of UTF-8, got ${bytesOf(name)}`;
    }
    if (IS_DIGEST.test(name.toLowerCase())) {
      return 'must not contain a name of 64 hexadecimal digits, which is how versions of a document are named';
    }
  }
  return null;
}

/** A path as it stands in a URL: each of its names percent-encoded. */
export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** The name of the object that holds a version of a document; `digest`: SHA-256 of its bytes, in hexadecimal. */
export const objectNameOf = (path: string, digest: string): string => `${DOCUMENTS}${path}/${digest}`;

/**
 * The document that an object belongs to, and the version that its name tells, null where somebody else put it under
 * the document's own name. Null where the object is none of a document.
 */
export function parseObjectName(name: string): { path: string; digest: string | null } | null {
  if (!name.startsWith(DOCUMENTS)) return null;
  const [, path = '', digest = null] = /^(.*?)(?:\/([0-9a-f]{64}))?$/s.exec(name.slice(DOCUMENTS.length)) ?? [];
  try {
    return { path: documentPath(path), digest };
  } catch (error) {
    if (error instanceof InvalidInput) return null;
    throw error;
  }
}
