import { inflateRawSync } from 'node:zlib';

/** What a ZIP file may unpack to, by its directory; bombs are refused before anything is unpacked. */
const MAX_ENTRIES = 10_000;
const MAX_UNPACKED_BYTES = 100_000_000;
const MAX_RATIO = 200;
/** Smaller parts may be packed as tightly as they like. */
const RATIO_FROM_BYTES = 1_000_000;

const END = Buffer.from('PK\x05\x06');
const END_BYTES = 22;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;

interface ZipEntry {
  offset: number;
  method: number;
  isEncrypted: boolean;
  packedBytes: number;
  bytes: number;
}

/** A ZIP file whose directory has been read (APPNOTE 6.3, sections 4.3.7 to 4.3.16, without ZIP64). */
export interface Zip {
  names: string[];
  /** The unpacked part of that name; null where there is none. Throws {@link ZipFault}. */
  read(name: string): Buffer | null;
}

/** Why a ZIP file cannot be read; the message goes on from "the file is …". */
export class ZipFault extends Error {}

const broken = (what: string): ZipFault => new ZipFault(`broken: ${what}`);

/** Reads the directory. Throws {@link ZipFault} where it is broken, or says that too much would be unpacked. */
export function openZip(bytes: Buffer): Zip {
  const entries = readDirectory(bytes);
  let total = 0;
  for (const [name, entry] of entries) {
    total += entry.bytes;
    if (entry.bytes > RATIO_FROM_BYTES && entry.bytes > entry.packedBytes * MAX_RATIO) {
      throw new ZipFault(
        `not unpacked: its part ${name.slice(0, 100)} is packed to less than 1/${MAX_RATIO} of its size`,
      );
    }
  }
  if (total > MAX_UNPACKED_BYTES) {
    throw new ZipFault(`not unpacked: its parts are ${total} bytes, at most ${MAX_UNPACKED_BYTES} are taken`);
  }
  return {
    names: [...entries.keys()],
    read: (name) => {
      const entry = entries.get(name);
      return entry === undefined ? null : unpack(bytes, entry, name.slice(0, 100));
    },
  };
}

function readDirectory(bytes: Buffer): Map<string, ZipEntry> {
  const end = bytes.lastIndexOf(END);
  if (end === -1 || end + END_BYTES > bytes.length) throw broken('the directory at its end is missing');
  const count = bytes.readUInt16LE(end + 10);
  if (count > MAX_ENTRIES) throw new ZipFault(`not unpacked: it has ${count} parts, at most ${MAX_ENTRIES} are taken`);
  const entries = new Map<string, ZipEntry>();
  let at = bytes.readUInt32LE(end + 16);
  for (let i = 0; i < count; i++) {
    if (at + ENTRY_BYTES > end || bytes.readUInt32LE(at) !== ENTRY) throw broken('its directory is damaged');
    const nameEnd = at + ENTRY_BYTES + bytes.readUInt16LE(at + 28);
    entries.set(bytes.toString('utf8', at + ENTRY_BYTES, nameEnd), {
      isEncrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
      method: bytes.readUInt16LE(at + 10),
      packedBytes: bytes.readUInt32LE(at + 20),
      bytes: bytes.readUInt32LE(at + 24),
      offset: bytes.readUInt32LE(at + 42),
    });
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

function unpack(bytes: Buffer, entry: ZipEntry, name: string): Buffer {
  if (entry.isEncrypted) throw new ZipFault('protected with a password; send it without one');
  const { offset } = entry;
  if (offset + LOCAL_BYTES > bytes.length || bytes.readUInt32LE(offset) !== LOCAL)
    throw broken(`part ${name} is missing`);
  const start = offset + LOCAL_BYTES + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  const packed = bytes.subarray(start, start + entry.packedBytes);
  if (packed.length < entry.packedBytes) throw broken(`part ${name} is cut off`);
  if (entry.method === STORED) return packed;
  if (entry.method !== DEFLATED) throw broken(`part ${name} is packed in an unknown way (${entry.method})`);
  try {
    // The directory may lie: no more is unpacked than it says.
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.bytes) });
  } catch (error) {
    throw new ZipFault(`broken: part ${name} cannot be unpacked`, { cause: error });
  }
}
