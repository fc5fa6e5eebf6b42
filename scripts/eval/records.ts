import { drain } from '../../functions/drain/drain.ts';
import { DEFAULT_CUTTING } from '../../functions/drain/plan.ts';
import { applyLines } from '../../functions/ingest/bulk.ts';
import type { Database } from '../../functions/ports/database.ts';
import type { Embedder } from '../../functions/ports/embedder.ts';
import type { Log } from '../../functions/ports/platform.ts';
import { UserError } from '../user-error.ts';

/** Nobody reads what a measurement logs: what goes wrong is thrown. */
export const SILENT: Log = { info() {}, warn() {}, error() {} };

/** Writes the records of an NDJSON body and indexes them, as ingest and drain do; a line that is refused is told. */
export async function writeRecords(database: Database, embedder: Embedder, body: Buffer, file: string): Promise<void> {
  const { results } = await applyLines({ database, log: SILENT, deadline: null }, body);
  const refused = results.find(({ status }) => status !== 202);
  if (refused !== undefined) {
    const { detail, errors = [] } = refused.error ?? {};
    const faults = errors.map(({ field, fault }) => `${field} ${fault}`).join('; ');
    throw new UserError(`${file}, line ${refused.line}, was refused: ${faults || detail}`);
  }
  await indexAll(database, embedder, file);
}

/** Indexes what waits; what cannot be is told. */
export async function indexAll(database: Database, embedder: Embedder, what: string): Promise<void> {
  const report = await drain(
    { callId: 'eval', database, embedder, next: null, metrics: { count() {} }, log: SILENT },
    { batchSize: 32, maxAttempts: 1, leaseSeconds: 600, deadline: null, cutting: DEFAULT_CUTTING },
  );
  if (report.parked > 0) throw new UserError(`${report.parked} sources of ${what} could not be indexed`);
}
