import { ModelMismatch } from '../core/errors.ts';
import type { Database, Migration, Migrator } from '../ports/database.ts';
import { enqueueMissing } from '../store/backfill.ts';
import { storedModels } from '../store/chunks.ts';

export interface BootstrapContext {
  database: Database;
  migrator: Migrator;
  migrations: Migration[];
  embeddingModel: string;
  /** Enqueue what has no chunk of the model. */
  backfill: boolean;
  /** The chunks of another model may be embedded anew with this one. */
  reembed: boolean;
}

export interface BootstrapReport {
  /** The migrations applied now. */
  migrated: string[];
  /** Sources enqueued because they had no chunk of the model. */
  enqueued: number;
}

/**
 * Brings a database to where the functions can use it; does nothing where it is there already. Chunks of another model
 * stop it, since a question could no longer find them, unless re-embedding was asked for.
 */
export async function bootstrap(context: BootstrapContext): Promise<BootstrapReport> {
  const { database, embeddingModel } = context;
  const migrated = await context.migrator.apply(context.migrations);
  const others = (await storedModels(database)).filter((model) => model !== embeddingModel);
  if (others.length > 0 && !context.reembed) {
    throw new ModelMismatch(
      `The stored chunks were embedded by ${others.join(' and ')}, but ${embeddingModel} is configured; ` +
        'run `npm start -- --reembed` (in the cloud: invoke bootstrap with {"reembed":true}) to embed them anew.',
    );
  }
  const enqueued = context.backfill || context.reembed ? await enqueueMissing(database, embeddingModel) : 0;
  return { migrated, enqueued };
}
