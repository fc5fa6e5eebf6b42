/** Reads one setting from its text, undefined where it is not set; throws an Error whose message says what is wrong. */
export type Reader<T> = (value: string | undefined) => T;

const refuse = (message: string): never => {
  throw new Error(message);
};

export const within =
  (what: string, min: number, max: number, fallback: number, isKind: (n: number) => boolean): Reader<number> =>
  (value) => {
    if (value === undefined) return fallback;
    const n = value.trim() === '' ? Number.NaN : Number(value);
    return isKind(n) && n >= min && n <= max ? n : refuse(`must be a ${what} from ${min} to ${max}`);
  };

export const whole = (min: number, max: number, fallback: number) =>
  within('whole number', min, max, fallback, Number.isInteger);

export const isNumber = (n: number) => !Number.isNaN(n);

export const required =
  (what: string, form?: RegExp, formFault = ''): Reader<string> =>
  (value) => {
    if (value === undefined) return refuse(`is missing: ${what}`);
    return form === undefined || form.test(value) ? value : refuse(formFault);
  };

export const optional =
  (fallback: string, form?: RegExp, formFault = ''): Reader<string> =>
  (value) =>
    value === undefined || form === undefined || form.test(value) ? (value ?? fallback) : refuse(formFault);

export const oneOf =
  <T extends string>(first: T, ...others: T[]): Reader<T> =>
  (value) =>
    value === undefined
      ? first
      : ([first, ...others].find((known) => known === value) ?? refuse(`must be ${[first, ...others].join(' or ')}`));

/** An http(s) address, or a JWKS as JSON with at least one key. */
export const keySet: Reader<string> = (value) => {
  if (value === undefined) return refuse('is missing: the address of a JWKS, or the JWKS itself');
  if (/^https?:\/\//.test(value)) return URL.canParse(value) ? value : refuse('is not a valid address');
  try {
    const { keys } = JSON.parse(value) as { keys?: unknown };
    if (Array.isArray(keys) && keys.length > 0) return value;
  } catch {
    // Told below.
  }
  return refuse('must be http(s)://… or a JWKS as JSON: {"keys":[…]}');
};

/** A time as RFC 3339 has it, or ''. */
export const time: Reader<string> = (value = '') =>
  value === '' ||
  (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value)))
    ? value
    : refuse('must be a time such as 2030-01-31T12:00:00Z');
