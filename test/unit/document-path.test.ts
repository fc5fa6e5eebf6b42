import fc from 'fast-check';
import { expect, test } from 'vitest';
import { documentPath, encodePath, objectNameOf, parseObjectName } from '../../functions/core/documents/path.ts';
import { InvalidInput } from '../../functions/core/errors.ts';

const DIGEST = 'a1'.repeat(32);

test.each([
  'leave.md',
  'policies/hr/leave.md',
  'a b/ñ 漢字 🚀.txt',
  '...',
  '.hidden/..b',
  '100%/a+b#c?d&e',
  'x'.repeat(200),
  `${'a/'.repeat(255)}ab`,
  'a'.repeat(64).replace('a', 'g'),
])('%j is a path', (path) => {
  expect(documentPath(path)).toBe(path);
});

test.each([
  { raw: '', fault: 'must not be empty' },
  { raw: `${'a/'.repeat(256)}a`, fault: 'is at most 512 characters, got 513' },
  { raw: `${'漢'.repeat(60)}/`.repeat(5).slice(0, -1), fault: 'is at most 800 bytes of UTF-8, got 904' },
  { raw: 'x'.repeat(201), fault: 'must not contain a name of more than 200 bytes of UTF-8, got 201' },
  { raw: `a/${'漢'.repeat(67)}`, fault: 'must not contain a name of more than 200 bytes of UTF-8, got 201' },
  { raw: '/a', fault: 'must not begin with /' },
  { raw: 'a/', fault: 'must not end with /' },
  { raw: 'a//b', fault: 'must not contain an empty name (//)' },
  { raw: './a', fault: 'must not contain . or .. as a name' },
  { raw: 'a/../b', fault: 'must not contain . or .. as a name' },
  { raw: '..', fault: 'must not contain . or .. as a name' },
  { raw: 'a\\b', fault: 'must not contain a backslash; names are parted by /' },
  { raw: 'a\0b', fault: 'must not contain control characters or line ends' },
  { raw: 'a\nb', fault: 'must not contain control characters or line ends' },
  { raw: 'a\u0085b', fault: 'must not contain control characters or line ends' },
  { raw: 'a\u2028b', fault: 'must not contain control characters or line ends' },
  { raw: ' a', fault: 'must not contain a name that begins or ends with a blank' },
  { raw: 'a /b', fault: 'must not contain a name that begins or ends with a blank' },
  { raw: 'a/b\u00a0', fault: 'must not contain a name that begins or ends with a blank' },
  { raw: 'a\ud800', fault: 'must be valid Unicode, without half of a surrogate pair' },
  {
    raw: `a/${DIGEST}`,
    fault: 'must not contain a name of 64 hexadecimal digits, which is how versions of a document are named',
  },
  {
    raw: `${DIGEST.toUpperCase()}/a`,
    fault: 'must not contain a name of 64 hexadecimal digits, which is how versions of a document are named',
  },
])('no path: $fault', ({ raw, fault }) => {
  const refused = (() => {
    try {
      return documentPath(raw);
    } catch (error) {
      return error;
    }
  })();
  expect(refused).toBeInstanceOf(InvalidInput);
  expect((refused as InvalidInput).faults).toEqual([{ field: 'path', fault }]);
});

test('a path is kept in composed form', () => {
  expect(documentPath('man\u0303ana')).toBe('ma\u00f1ana');
});

const path = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((text) => {
  try {
    return documentPath(text) === text;
  } catch {
    return false;
  }
});

test('any path is what its place in a URL and the names of its objects tell', () => {
  fc.assert(
    fc.property(path, (one) => {
      expect(
        new URL(`http://x/v1/documents/${encodePath(one)}?q`).pathname.split('/').slice(3).map(decodeURIComponent),
      ).toEqual(one.split('/'));
      expect(parseObjectName(objectNameOf(one, DIGEST))).toEqual({ path: one, digest: DIGEST });
      expect(parseObjectName(`documents/${one}`)).toEqual({ path: one, digest: null });
    }),
  );
});

test.each([
  'documents',
  'documents/',
  `documents/${DIGEST}`,
  'documents/a/',
  'documents/../a',
  'other/a',
  'documents/a//b',
])('the object %s is none of a document', (name) => {
  expect(parseObjectName(name)).toBeNull();
});
