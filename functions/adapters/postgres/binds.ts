import { endianness } from 'node:os';
import type { Bind, Binds } from '../../ports/database.ts';

export interface Prepared {
  text: string;
  names: string[];
}

const cache = new Map<string, Prepared>();

/** A quoted string, a quoted name, a comment, a cast, or a bind. */
const TOKENS = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|::|:([a-z_][a-z0-9_]*)/gi;

/** Turns `:name` into `$n`, one number a name; names within quotes and comments are left alone. */
export function toPositional(sql: string): Prepared {
  const known = cache.get(sql);
  if (known !== undefined) return known;
  const names: string[] = [];
  const text = sql.replace(TOKENS, (token: string, name: string | undefined) => {
    if (name === undefined) return token;
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const prepared = { text, names };
  cache.set(sql, prepared);
  return prepared;
}

/** The values in the order of the numbers. Too many names or too few is a fault of ours, not of a caller. */
export function positionalValues({ names, text }: Prepared, binds: Binds): Value[] {
  const supplied = Object.keys(binds);
  const missing = names.filter((name) => !(name in binds));
  const unused = supplied.filter((name) => !names.includes(name));
  if (missing.length > 0 || unused.length > 0) {
    throw new Error(`Binds do not fit: missing [${missing}], unused [${unused}] in: ${text}`);
  }
  return names.map((name) => toValue(binds[name] ?? null));
}

/** What `pg` sends: vectors in pgvector's binary form, which costs the server a tenth of what reading text does. */
export type Value = string | number | null | Buffer;

function toValue(bind: Bind): Value {
  if (!(bind instanceof Float32Array)) return bind;
  // vector_recv: the dimension and an unused field as int16, then each value as float4, all big-endian.
  const values = Buffer.from(Float32Array.from(bind).buffer);
  if (endianness() === 'LE') values.swap32();
  const head = Buffer.alloc(4);
  head.writeInt16BE(bind.length);
  return Buffer.concat([head, values]);
}
