import { ModelMismatch } from '../core/errors.ts';
import type { Database, Migration, Migrator } from '../ports/database.ts';
import type { EmbeddingModel } from '../ports/embedder.ts';
import type { ModelStore } from '../ports/model-store.ts';
import { enqueueIncomplete, enqueueMissing, enqueueOutdated } from '../store/backfill.ts';
import { readCoverage, storedModels } from '../store/models.ts';

export interface BootstrapContext {
  database: Database;
  migrator: Migrator;
  /** Null where no model is in the database. */
  modelStore: ModelStore | null;
  /** The models whose vectors the database is to hold: the current one, and the next one where a swap is under way. */
  embedders: EmbeddingModel[];
  migrations: Migration[];
  embeddingModel: string;
  /** The model that chunks are made for beside the current one; null where no swap is under way. */
  nextModel: string | null;
  /** Enqueue what has no chunk of the model. */
  backfill: boolean;
  /** The chunks of another model may be embedded anew with this one. */
  reembed: boolean;
  /** Makes ready the stored code that answers those who live in SQL; left out where the database has none. */
  prepareSqlCallers?: () => Promise<SqlCallers>;
  /** Makes sure that the answering model can be asked; left out where none is asked over a network. */
  requireAnswerModel?: () => Promise<AnswerModelState>;
}

type SqlCallers = 'ready' | 'unavailable';

interface AnswerModelState {
  state: string;
  /** When its provider serves it no more, as RFC 3339 has it; null where that is not told. */
  retiresAt: string | null;
}

export interface BootstrapReport {
  /** The migrations applied now. */
  migrated: string[];
  /** The embedding models loaded into the database now. */
  loaded: string[];
  /** Sources enqueued because they had no chunk of the model, or of the next one, or none of their words to be found. */
  enqueued: number;
  /** Sources enqueued because they had chunks of a model that is neither; their drain removes those. */
  outdated: number;
  /** Whether SQL callers are served; left out where the database has no such code. */
  sqlCallers?: SqlCallers;
  /** Left out where no answering model is looked for. */
  answerModel?: AnswerModelState;
}

/**
 * Brings a database to where the functions can use it; does nothing where it is there already. Sources without chunks of
 * the model, while they have chunks of another, stop it, since a question could no longer find them, unless
 * re-embedding was asked for. Where none is missing, the other models' chunks are of no more use: a swap ends here.
 */
export async function bootstrap(context: BootstrapContext): Promise<BootstrapReport> {
  const { database, embeddingModel, nextModel, reembed } = context;
  const migrated = await context.migrator.apply(context.migrations);
  const loaded: string[] = [];
  for (const model of context.embedders) {
    if ((await context.modelStore?.prepare(model)) === 'loaded') loaded.push(model.model);
  }
  const sqlCallers = await context.prepareSqlCallers?.();
  const others = (await storedModels(database)).filter((model) => model !== embeddingModel);
  let outdated = 0;
  if (others.length > 0) {
    const { done, missing } = await readCoverage(database, embeddingModel);
    if (missing > 0 && !reembed) throw new ModelMismatch(mismatch(others, embeddingModel, missing, done + missing));
    const wanted = nextModel === null ? [embeddingModel] : [embeddingModel, nextModel];
    if (missing === 0) outdated = await enqueueOutdated(database, wanted);
  }
  // Whatever the settings say: words are not found in texts without terms, and nothing is embedded for them.
  let enqueued = await enqueueIncomplete(database);
  if (context.backfill || reembed) enqueued += await enqueueMissing(database, embeddingModel);
  if (nextModel !== null) enqueued += await enqueueMissing(database, nextModel);
  // Last, so that the records are kept and found also where no model answers.
  const answerModel = await context.requireAnswerModel?.();
  return {
    migrated,
    loaded,
    enqueued,
    outdated,
    ...(sqlCallers && { sqlCallers }),
    ...(answerModel && { answerModel }),
  };
}

function mismatch(others: string[], model: string, missing: number, all: number): string {
  return (
    `The stored chunks were embedded by ${others.join(' and ')}, but ${model} is configured; of ${all} records, ` +
    `${missing} have no chunks of ${model}. To prepare the change while questions are answered as before, set ` +
    `RAG_EMBEDDING_MODEL=${others.join(' or ')} and RAG_EMBEDDING_NEXT_MODEL=${model}, run bootstrap, and switch when ` +
    'GET /v1/status says that none is missing. To change in place, where answers are incomplete until it is done, run ' +
    '`npm start -- --reembed` (in the cloud: invoke bootstrap with {"reembed":true}).'
  );
}
