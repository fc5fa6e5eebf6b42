import { readFileSync } from 'node:fs';
import type { Searching } from '../../../functions/ask/retrieve.ts';
import { type Config, ConfigError, readConfig } from '../../../functions/config.ts';
import { createServices } from '../../../functions/services.ts';
import { settingsOf } from '../../dev/instance.ts';
import type { Workshop } from '../../eval/embedded.ts';
import { SILENT, writeRecords } from '../../eval/records.ts';
import { LOCAL_EMBEDDING, UNUSED } from '../../eval/settings.ts';
import { UserError } from '../../user-error.ts';

/** Sees every record, and is nobody: what is measured is the search, not the rights. */
const CALLER = { employeeId: 1, role: 'admin' } as const;

/** What is searched, and with what settings. */
export interface Place extends Searching {
  config: Config;
  /** For a person. */
  corpus: string;
}

interface Wanted {
  env: Record<string, string | undefined>;
  /** An NDJSON file of records; null where the environment's database is searched. */
  corpus: string | null;
}

/** The configuration that the environment gives, with the model of `npm start` where it names none. */
export function configOf(env: Record<string, string | undefined>): { config: Config; env: Record<string, string> } {
  const settings = settingsOf(env);
  const local = settings.RAG_EMBEDDING_URL === undefined && settings.RAG_EMBEDDING_MODEL === undefined;
  // An embedded database ranks words so; one that is named is asked as its own settings say.
  const own = settings.RAG_DATABASE === undefined ? { RAG_TEXT_INDEX: 'bm25' } : {};
  const whole = { ...UNUSED, ...own, ...(local ? LOCAL_EMBEDDING : {}), ...settings };
  try {
    return { config: readConfig(whole), env: whole };
  } catch (error) {
    if (error instanceof ConfigError) throw new UserError(error.message);
    throw error;
  }
}

/** Opens what is searched: a stored corpus, of which nothing is changed, or a file's records in a database of one's own. */
export async function openPlace(
  workshop: Workshop,
  { env, corpus }: Wanted,
  tell: (what: string) => void,
): Promise<Place> {
  const { config, env: whole } = configOf(env);
  const isLocalModel = whole.RAG_EMBEDDING_URL === LOCAL_EMBEDDING.RAG_EMBEDDING_URL;
  const services = createServices(whole);
  const embedder = isLocalModel ? await workshop.encoder() : await services.embedder();
  const rest = { config, embedder, caller: CALLER, log: SILENT };
  if (corpus === null)
    return { ...rest, database: await services.database(null), corpus: 'the database of RAG_DATABASE' };
  let records: Buffer;
  try {
    records = readFileSync(corpus);
  } catch (error) {
    throw new UserError(`The corpus ${corpus} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  tell(`Indexing ${corpus} …`);
  const database = (await workshop.database()).open('bm25');
  await writeRecords(database, embedder, records, corpus);
  return { ...rest, database, corpus };
}
