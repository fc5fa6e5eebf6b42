/** Below it, an exact scan takes milliseconds, and the centroids of an index would be chosen from too little. */
const FIRST_BUILD_ROWS = 10_000;
/** Centroids do not move with the data: after this growth they are chosen anew. */
const GROWTH = 10;

/** What a vector index needs, given the vectors that there are. */
export function indexStep(
  index: { status: 'absent' | 'ready' | 'unusable'; builtRows: number },
  rows: number,
): 'build' | 'rebuild' | null {
  if (index.status === 'absent') return rows >= FIRST_BUILD_ROWS ? 'build' : null;
  return index.status === 'unusable' || rows >= index.builtRows * GROWTH ? 'rebuild' : null;
}
