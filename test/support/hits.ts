import type { Candidate, Hit } from '../../functions/core/fusion.ts';

/** A passage that a search has found, with what a test does not care about filled in. */
export const candidate = (given: Partial<Candidate> = {}): Candidate => ({
  chunkId: 1,
  sourceType: 'task',
  sourceId: '1',
  section: null,
  title: 'A title',
  heading: null,
  metadata: null,
  content: 'A text',
  repeated: null,
  distance: 1,
  isNear: true,
  textScore: 0,
  amount: null,
  ownerEmployeeId: null,
  audience: 'organization',
  isReader: false,
  before: [],
  after: [],
  ...given,
});

export const hit = (given: Partial<Hit> = {}): Hit => ({
  ...candidate(given),
  words: 0,
  score: 0,
  naming: null,
  ...given,
});

/** What a hit brings along of the chunks from one place to before another. */
export const besides = (chunks: { content: string }[], from: number, to: number) =>
  chunks.slice(Math.max(0, from), Math.max(0, to)).map(({ content }) => ({ content }));
