import { decode, ExtensionCodec, encode } from '@msgpack/msgpack';

/** Terraform's "known after apply". */
class Unknown {
  readonly unknown = true;
}
export const UNKNOWN = new Unknown();

export type Value = null | boolean | number | string | Unknown | Value[] | { [name: string]: Value };
export type Fields = Record<string, Value>;

const codec = new ExtensionCodec();
codec.register({
  type: 0,
  encode: (value) => (value instanceof Unknown ? new Uint8Array([0]) : null),
  decode: () => UNKNOWN,
});
/** Unknown too, with what is known of it all the same, such as "not null". */
const REFINED = 12;
codec.register({ type: REFINED, encode: () => null, decode: () => UNKNOWN });

export interface DynamicValue {
  msgpack?: Uint8Array;
  json?: Uint8Array;
}

/** An object, or null where there is none: before it is made, and after it is gone. */
export const fromWire = ({ msgpack = new Uint8Array() }: DynamicValue): Fields | null =>
  decode(msgpack, { extensionCodec: codec }) as Fields | null;
export const toWire = (value: Fields | null): DynamicValue => ({
  msgpack: encode(value, { extensionCodec: codec }),
});

export const same = (a: Value | undefined, b: Value | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);
export const isFields = (value: Value | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Unknown);
/** The nested blocks of a name: none, one, or several. */
export const blocks = (value: Value | undefined): Fields[] =>
  (Array.isArray(value) ? value : [value ?? null]).filter(isFields);
export const text = (value: Value | undefined): string => (typeof value === 'string' ? value : '');
export const isSet = (value: Value | undefined): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
