import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeText } from '../../functions/ingest/extraction/charset.ts';
import { extractText } from '../../functions/ingest/extraction/extract.ts';

const extract = (bytes: Buffer, contentType: string | null = null) => extractText(bytes, { contentType, name: 'a' });
const latin1 = (text: string) => Buffer.from(text, 'latin1');

test.each<[string, Buffer, string | null, string, string]>([
  ['UTF-8 by default', Buffer.from('año €'), null, 'año €', 'utf-8'],
  ['a mark of UTF-8, against what is declared', Buffer.from('\ufeffaño'), 'text/plain; charset=latin1', 'año', 'utf-8'],
  ['a mark of UTF-16LE', Buffer.from('\ufeffaño', 'utf16le'), null, 'año', 'utf-16le'],
  ['a mark of UTF-16BE', Buffer.from('\ufeffaño', 'utf16le').swap16(), null, 'año', 'utf-16be'],
  ['a declared charset', latin1('a\xf1o'), 'text/plain; charset="ISO-8859-1"', 'año', 'windows-1252'],
  [
    '€ and quotes of windows-1252',
    latin1('\x80 \x93x\x94 \x97 \x9f'),
    'text/plain;charset=windows-1252',
    '€ “x” — Ÿ',
    'windows-1252',
  ],
  ['an Asian charset', Buffer.from('82a0', 'hex'), 'text/plain; charset=shift_jis', 'あ', 'shift_jis'],
  ['meta of a page', latin1('<html><meta charset=iso-8859-15><p>a\xf1o \xa4'), null, 'año €', 'iso-8859-15'],
  [
    'meta with http-equiv',
    latin1('<html><meta http-equiv="Content-Type" content="text/html; charset=latin1">a\xf1o'),
    null,
    'año',
    'windows-1252',
  ],
  ['XML', latin1('<?xml version="1.0" encoding="latin1"?><html>a\xf1o</html>'), null, 'año', 'windows-1252'],
  [
    'what is declared, against meta',
    Buffer.from('<html><meta charset=latin1>año'),
    'text/html; charset=utf-8',
    'año',
    'utf-8',
  ],
  ['meta that cannot be', Buffer.from('<html><meta charset=utf-16>año'), null, 'año', 'utf-8'],
])('%s', async (_, bytes, contentType, text, charset) => {
  expect(await extract(bytes, contentType)).toMatchObject({ text, charset });
});

test.each<[string, Buffer, string | null, RegExp]>([
  [
    'Latin-1 that nobody declared',
    latin1('el a\xf1o'),
    null,
    /body: is not UTF-8 at byte 4 \(counted from 0\), 0xF1; .*declare.*charset=windows-1252/,
  ],
  ['a character cut off', Buffer.from('año €').subarray(0, -1), null, /is not UTF-8 at byte 5 .*, 0xE2/],
  ['a genuine U+FFFD before', Buffer.concat([Buffer.from('é\ufffd'), latin1('\xff')]), null, /at byte 5 .*, 0xFF/],
  ['half of a pair', Buffer.from('a\ud800b', 'utf16le'), 'text/plain; charset=utf-16le', /is not UTF-16LE at byte 2/],
  ['an odd number of bytes', Buffer.from('feff00', 'hex'), null, /is not UTF-16BE at byte 2/],
  [
    'a hole of a charset',
    latin1('abc\xff'),
    'text/plain; charset=windows-1253',
    /is not WINDOWS-1253 at byte 3 .*, 0xFF/,
  ],
  ['an unknown charset', latin1('a'), 'text/plain; charset=cp850', /Content-Type: names the unknown charset "cp850"/],
  ['UTF-16 without a mark', Buffer.from('Hello', 'utf16le'), null, /looks like UTF-16.*charset=utf-16le/],
  [
    'UTF-16BE without a mark',
    Buffer.from('Año nuevo', 'utf16le').swap16(),
    null,
    /looks like UTF-16.*charset=utf-16be/,
  ],
  ['NUL', Buffer.from(`${'a'.repeat(200)}\0`), null, /body: must not contain a NUL character.*character 201 is NUL/],
  ['NUL in UTF-16', Buffer.from('\ufeffa\0b', 'utf16le'), null, /must not contain a NUL character/],
])('%s is refused, and says what to do', async (_, bytes, contentType, message) => {
  const refusal = extract(bytes, contentType);
  await expect(refusal).rejects.toMatchObject({ status: 422, faults: [{ field: expect.any(String) }] });
  await expect(refusal).rejects.toThrow(message);
});

test('what is assumed of bytes that are not UTF-8 is told, and is used for nothing else', () => {
  const assume = 'windows-1252';
  expect(decodeText(latin1('sesi\xf3n'), null, { assume })).toEqual({ text: 'sesión', charset: assume, assumed: true });
  expect(decodeText(Buffer.from('sesión'), null, { assume })).toEqual({
    text: 'sesión',
    charset: 'utf-8',
    assumed: false,
  });
  expect(() => decodeText(latin1('sesi\xf3n'), 'utf-8', { assume })).toThrow('is not UTF-8 at byte 4');
});

test('the first byte that is not UTF-8 is found wherever it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (before, after) => {
      const bytes = Buffer.concat([Buffer.from(`${before}\ufffd`), latin1('\xff'), Buffer.from(after)]);
      fc.pre(!before.includes('\0'));
      expect(() => decodeText(bytes, null)).toThrow(`at byte ${bytes.indexOf(0xff)} `);
    }),
  );
});
