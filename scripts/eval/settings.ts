import { type Config, readConfig } from '../../functions/config.ts';
import { LOCAL_MODEL } from '../dev/local-model.ts';
import type { AskSettings } from './outcomes.ts';

/** What the functions must be told and a measurement has no use for. */
export const UNUSED = {
  RAG_DATABASE: 'postgres://unused',
  RAG_STORAGE: 'folder:/unused',
  RAG_AUTH_ISSUER: 'unused',
  RAG_AUTH_AUDIENCE: 'unused',
  RAG_AUTH_JWKS: '{"keys":[{}]}',
  RAG_MIGRATIONS: 'unused',
};

/** The model of `npm start`, as settings; its address is of no use. */
export const LOCAL_EMBEDDING = {
  RAG_EMBEDDING_MODEL: LOCAL_MODEL.name,
  RAG_EMBEDDING_URL: 'unix:/unused',
  RAG_EMBEDDING_DIMENSION: String(LOCAL_MODEL.dimension),
  RAG_EMBEDDING_WINDOW: String(LOCAL_MODEL.window),
  RAG_RETRIEVAL_CUTOFF: String(LOCAL_MODEL.cutoff),
};

/** What questions are asked with, of a configuration. */
export const askSettings = (config: Config): AskSettings => ({
  topK: config.RAG_RETRIEVAL_TOP_K,
  vectorWeight: config.RAG_RETRIEVAL_VECTOR_WEIGHT,
  cutoff: config.RAG_RETRIEVAL_CUTOFF,
  wordCoverage: config.RAG_RETRIEVAL_WORD_COVERAGE,
  languages: config.RAG_EMBEDDING_LANGUAGES,
});

/** What `npm start` asks with. */
export const localSettings = (): AskSettings => askSettings(readConfig({ ...UNUSED, ...LOCAL_EMBEDDING }));
