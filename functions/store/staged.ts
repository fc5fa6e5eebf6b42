import { sha256Hex } from '../core/hash.ts';
import type { SourceRef } from '../core/kinds/kind.ts';
import type { SourceWork } from '../core/queue.ts';
import type { Transaction } from '../ports/database.ts';
import { refBinds } from './queue.ts';

/**
 * The passages of a large source are kept in RAG_CHUNK as they are embedded, under a name that no model has, so that no
 * search finds them; the switch gives them the model's own. What a drain could not finish is there for the next one.
 */
const SUFFIX = ' (staged)';

/** The length of EMBEDDING_MODEL. */
const MAX_NAME_LENGTH = 128;

/** The name that passages of a model have until their source is switched to them. */
export function stagedName(model: string): string {
  const isShort = model.length + SUFFIX.length <= MAX_NAME_LENGTH;
  return `${isShort ? model : sha256Hex(model)}${SUFFIX}`;
}

/** The condition that leaves out what is not switched to yet, for statements that look at chunks of any model. */
export const isSwitchedTo = (alias: string): string => `${alias}.embedding_model NOT LIKE '%${SUFFIX}'`;

/** Removes what is staged of a source by these models. */
export function removeStaged(tx: Transaction, ref: SourceRef, models: string[]): void {
  tx.defer(
    `DELETE FROM rag_chunk
     WHERE source_type = :source_type AND source_id = :source_id AND embedding_model = :staged`,
    models.map((model) => ({ ...refBinds(ref), staged: stagedName(model) })),
  );
}

/** Whether another drain that is still at work has claimed an older change of the source. */
export async function isClaimedBefore(tx: Transaction, work: SourceWork): Promise<boolean> {
  const [row] = await tx.rows<{ n: number }>(
    `SELECT COUNT(*) AS n FROM rag_dirty
     WHERE source_type = :source_type AND source_id = :source_id AND dirty_id < :oldest
       AND claimed_until > CURRENT_TIMESTAMP`,
    { ...refBinds(work.ref), oldest: Math.min(...work.dirtyIds) },
  );
  return (row?.n ?? 0) > 0;
}
