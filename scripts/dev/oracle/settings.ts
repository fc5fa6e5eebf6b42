import { MODEL_FILE } from '../../model/model-file.ts';
import { UserError } from '../../user-error.ts';

/** What compose.yaml takes from the environment, with the same defaults. */
export interface ContainerSettings {
  /** On 127.0.0.1. */
  port: number;
  /** Of SYSTEM, and of the two users that bootstrap makes: all three are on this machine alone. */
  password: string;
}

export const DEFAULTS = { port: 1521, password: 'oci_rag_local' };
const PDB = 'FREEPDB1';

export function readContainerSettings(env: Record<string, string | undefined>): ContainerSettings {
  const port = env.ORACLE_PORT || String(DEFAULTS.port);
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65535) {
    throw new UserError(`ORACLE_PORT must be a whole number from 1 to 65535, got ${port}`);
  }
  const password = env.ORACLE_PASSWORD || DEFAULTS.password;
  // It goes through a shell and SQL*Plus, which have their own ideas of other characters.
  if (!/^[A-Za-z0-9_.-]{8,30}$/.test(password)) {
    throw new UserError('ORACLE_PASSWORD must have 8 to 30 characters, of A-Z, a-z, 0-9, _, . and - alone');
  }
  return { port: Number(port), password };
}

export const connectStringOf = ({ port }: ContainerSettings): string => `localhost:${port}/${PDB}`;

/** The product's settings for the database in the container, with the model in it. */
export function stackSettings(container: ContainerSettings): Record<string, string> {
  const { password } = container;
  return {
    RAG_DATABASE: `oracle:${connectStringOf(container)}`,
    RAG_DATABASE_PASSWORD: password,
    RAG_DATABASE_OWNER_PASSWORD: password,
    RAG_DATABASE_ADMIN_USER: 'SYSTEM',
    RAG_DATABASE_ADMIN_PASSWORD: password,
    RAG_EMBEDDING_URL: 'database',
    RAG_EMBEDDING_MODEL: 'ALL_MINILM_L12_V2',
    RAG_EMBEDDING_DIMENSION: '384',
    RAG_EMBEDDING_WINDOW: '600',
    // The directory object is made by the container's start script.
    RAG_EMBEDDING_MODEL_SOURCE: `RAG_MODELS:${MODEL_FILE}`,
    RAG_RETRIEVAL_CUTOFF: '0.8',
  };
}
