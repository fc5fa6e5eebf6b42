/** The largest id: above it, a JSON number no longer names one integer. */
export const MAX_ID = Number.MAX_SAFE_INTEGER;

const CANONICAL_ID = /^[1-9][0-9]{0,15}$/;

/** An id from a path or a token: decimal digits without sign or leading zeros; null where it is none. */
export function parseId(value: string): number | null {
  if (!CANONICAL_ID.test(value)) return null;
  const n = Number(value);
  return Number.isSafeInteger(n) ? n : null;
}
