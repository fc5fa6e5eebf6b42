export interface StoredVector {
  id: number;
  embedding: Float32Array;
}

/** Numbers from 0 to 1 that are the same at each run (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Vectors in loose groups, as texts about some subjects make them, with the ids 1, 2, 3 … */
export function groupedVectors(count: number, dimension: number, random: () => number, groups = 12): StoredVector[] {
  const centres = Array.from({ length: groups }, () => Float32Array.from({ length: dimension }, () => random() - 0.5));
  return Array.from({ length: count }, (_, i) => {
    const centre = centres[i % groups] ?? [];
    return { id: i + 1, embedding: Float32Array.from(centre, (x) => x + (random() - 0.5) * 0.6) };
  });
}

/** The ids of the `k` nearest by cosine distance, nearest first, computed here. */
export function nearestIds(to: Float32Array, among: StoredVector[], k: number): number[] {
  return among
    .map(({ id, embedding }) => ({ id, distance: cosineDistance(to, embedding) }))
    .sort((a, b) => a.distance - b.distance || a.id - b.id)
    .slice(0, k)
    .map(({ id }) => id);
}

function cosineDistance(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    const x = a[i] ?? 0;
    const y = b[i] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return 1 - dot / Math.sqrt(aa * bb);
}

/** The largest difference between two components. */
export const largestDifference = (a: Float32Array, b: Float32Array): number =>
  a.length === b.length ? a.reduce((largest, x, i) => Math.max(largest, Math.abs(x - (b[i] ?? 0))), 0) : Infinity;

/** How many of the first are among the second, from 0 to 1. */
export const share = (wanted: number[], found: number[]): number =>
  wanted.length === 0 ? 1 : wanted.filter((id) => found.includes(id)).length / wanted.length;

/** A vector as a literal of SQL, for the statements that take no binds; two digits are enough for a plan. */
export const toLiteral = (vector: Float32Array): string => `[${Array.from(vector, (x) => x.toFixed(2)).join(',')}]`;
