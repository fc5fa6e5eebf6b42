import type { Candidate, Hit } from '../../functions/core/fusion.ts';

/** A passage that a search has found, with what a test does not care about filled in. */
export const candidate = (given: Partial<Candidate> = {}): Candidate => ({
  chunkId: 1,
  sourceType: 'task',
  sourceId: '1',
  section: null,
  title: 'A title',
  content: 'A text',
  distance: 1,
  isNear: true,
  textScore: 0,
  ownerEmployeeId: null,
  audience: 'organization',
  before: null,
  after: null,
  ...given,
});

export const hit = (given: Partial<Hit> = {}): Hit => ({
  ...candidate(given),
  words: 0,
  score: 0,
  naming: null,
  ...given,
});
