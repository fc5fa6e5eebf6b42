import { NotFound } from '../core/errors.ts';
import { parseId } from '../core/ids.ts';
import { RECORD_TYPES, SOURCE_TYPES, type SourceRef, type SourceType, sourceKey } from '../core/kinds/kind.ts';
import { type Caller, maySee, seesEverything } from '../core/scope.ts';
import { isStorable } from '../core/text.ts';
import type { Database } from '../ports/database.ts';
import type { VectorIndexState } from '../ports/vector-index.ts';
import type { RecordType } from '../route.ts';
import type { SourceState, Status } from '../shapes.ts';
import { countChunks } from '../store/chunks.ts';
import { readEmployee } from '../store/employees.ts';
import { KINDS } from '../store/kinds.ts';
import { readCoverage } from '../store/models.ts';
import { readQueue } from '../store/queue.ts';
import { readListed } from '../store/readers.ts';
import { readSource } from '../store/sources.ts';

/** A longer text, as JSON and in bytes, is left out: the answer must not be larger than OCI Functions lets out. */
const MAX_SHOWN_BYTES = 5_000_000;

/** A text as part of an answer; null where it is too long for that. */
export const textShown = (text: string | null): string | null =>
  Buffer.byteLength(JSON.stringify(text)) <= MAX_SHOWN_BYTES ? text : null;

/** What does not exist and what may not be seen are told in the same words. */
export const notHere = (what: string, id: string) => new NotFound(`There is no ${what} ${id} that you may see`);

/** A record as stored, if the caller may see it. */
export async function readRecord(database: Database, caller: Caller, type: RecordType, id: string): Promise<object> {
  const number = parseId(id);
  if (number === null) throw notHere(type, id);
  if (type === 'employee') {
    const employee = await readEmployee(database, caller, number);
    if (employee === null) throw notHere(type, id);
    return employee;
  }
  const view = await loadVisible(database, caller, { type, id });
  if (view === null) throw notHere(type, id);
  return view.record;
}

/** Loads a record under the caller's row security, and checks its scope once more. */
async function loadVisible(database: Database, caller: Caller, ref: SourceRef) {
  return database.transaction(caller, async (tx) => {
    const [found] = await KINDS[ref.type].loadContent(tx, [ref.id]);
    if (found === undefined) return null;
    const content = found.content();
    const isReader =
      content.scope.audience === 'people' && (await readListed(tx, caller.employeeId, [ref])).has(sourceKey(ref));
    return maySee(caller, { ...content.scope, isReader }) ? { record: found.record, content } : null;
  });
}

/**
 * A source's state, for who may see the source or may write; its text only for who may see it. `caller` is null for a
 * writing token that names no employee.
 */
export async function readSourceState(
  database: Database,
  { caller, mayWrite, maxAttempts }: { caller: Caller | null; mayWrite: boolean; maxAttempts: number },
  type: string,
  id: string,
): Promise<SourceState> {
  const ref = toRef(type, id);
  if (ref === null) throw notHere('source', `${type}/${id}`);
  const visible = caller === null ? null : await loadVisible(database, caller, ref);
  const seesDeleted = caller !== null && seesEverything(caller);
  if (visible === null && !mayWrite && !seesDeleted) throw notHere('source', `${type}/${id}`);

  const [source, queue] = await Promise.all([readSource(database, ref), readQueue(database, maxAttempts, ref)]);
  if (source === null && queue.waiting + queue.parked === 0) throw notHere('source', `${type}/${id}`);
  return {
    sourceType: ref.type,
    sourceId: ref.id,
    state: queue.waiting > 0 ? 'queued' : queue.parked > 0 ? 'failed' : (source?.state ?? 'queued'),
    generation: source?.generation ?? 0,
    chunkCount: source?.chunkCount ?? 0,
    waiting: queue.waiting,
    indexedAt: source?.indexedAt ?? null,
    lastError: source?.lastError ?? null,
    text: textShown(visible?.content.text ?? null),
  };
}

function toRef(type: string, id: string): SourceRef | null {
  if (!(SOURCE_TYPES as readonly string[]).includes(type)) return null;
  const isNumbered = (RECORD_TYPES as readonly string[]).includes(type);
  return (isNumbered ? parseId(id) !== null : isStorable(id)) ? { type: type as SourceType, id } : null;
}

export interface StatusContext {
  database: Database;
  caller: Caller;
  maxAttempts: number;
  embeddingModel: string;
  nextModel: string | null;
  answerModel: string;
  /** Null where the database has no such index. */
  vectorIndex: VectorIndexState | null;
}

export async function readStatus(context: StatusContext): Promise<Status> {
  const { database, caller, maxAttempts, embeddingModel } = context;
  // Figures of the whole index tell of what a person may not see.
  const seesAll = seesEverything(caller);
  const model = seesAll ? context.nextModel : null;
  const [{ waiting, parked, oldestWaitingSeconds }, chunks, reembedding] = await Promise.all([
    readQueue(database, maxAttempts),
    countChunks(database, caller, embeddingModel),
    model === null ? null : readCoverage(database, model).then((coverage) => ({ model, ...coverage })),
  ]);
  return {
    queue: { waiting, parked, oldestWaitingSeconds },
    chunks,
    embeddingModel,
    reembedding,
    answerModel: context.answerModel,
    vectorIndex: seesAll ? context.vectorIndex : null,
    database: database.dialect.name,
  };
}
