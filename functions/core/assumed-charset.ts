const ASSUMED = ' (assumed)';

/** The name of a charset as it is kept with a file: also whether nothing said it, and it was taken for this one. */
export const charsetName = (charset: string, assumed: boolean): string => (assumed ? charset + ASSUMED : charset);

/** What {@link charsetName} has put together. */
export function parseCharsetName(name: string): { charset: string; assumed: boolean } {
  const assumed = name.endsWith(ASSUMED);
  return { charset: assumed ? name.slice(0, -ASSUMED.length) : name, assumed };
}
