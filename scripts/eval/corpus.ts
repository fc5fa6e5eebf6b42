import { RECORD_CONTENT } from '../../functions/core/kinds/kind.ts';
import type { SourceWork } from '../../functions/core/queue.ts';
import { DEFAULT_CUTTING, planSource } from '../../functions/drain/plan.ts';
import type { Database } from '../../functions/ports/database.ts';
import type { Embedder } from '../../functions/ports/embedder.ts';
import { writeChunks } from '../../functions/store/chunks.ts';
import { DOCUMENT, type RetrievalSet } from './sets.ts';

/** Documents that are written in one transaction. */
const AT_ONCE = 50;

/** Writes documents as chunks that everybody may see: cut, stemmed and embedded as a drain does it. */
export async function writeDocuments(
  database: Database,
  embedder: Embedder,
  documents: RetrievalSet['documents'],
): Promise<void> {
  for (let at = 0; at < documents.length; at += AT_ONCE) {
    const plans = documents.slice(at, at + AT_ONCE).flatMap(({ id, title, text }) => {
      const content = {
        ...RECORD_CONTENT,
        title: title === '' ? id : title,
        text,
        scope: { ownerEmployeeId: null, audience: 'organization' as const, projectId: null, sprintId: null },
        metadata: {},
      };
      const ref = { type: DOCUMENT, id };
      const work: SourceWork = { ref, action: 'UPSERT', generation: 1, dirtyIds: [], attempts: 1 };
      return planSource(work, content, undefined, { current: embedder, next: null }, DEFAULT_CUTTING) ?? [];
    });
    const added = plans.flatMap((plan) => plan.current.added);
    const vectors = await embedder.encode(
      added.map((passage) => passage.content),
      'passage',
    );
    const vectorOf = new Map(added.map((passage, i) => [passage, vectors[i] ?? '']));
    await database.transaction('system', async (tx) =>
      writeChunks(
        tx,
        plans.map(({ work, content, language, removed, current }) => ({
          ref: work.ref,
          content,
          language,
          removed,
          written: [
            {
              model: embedder,
              storeAs: embedder.model,
              kept: current.kept,
              added: current.added.map((passage) => ({ ...passage, vector: vectorOf.get(passage) ?? '' })),
            },
          ],
        })),
      ),
    );
  }
}
