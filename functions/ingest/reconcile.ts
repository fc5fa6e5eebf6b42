import { DOCUMENTS } from '../core/documents/path.ts';
import { toAppError } from '../core/errors.ts';
import type { ReconcileReport } from '../file-shapes.ts';
import type { ObjectInfo } from '../ports/object-store.ts';
import { returnChore, takeChore } from '../store/chores.ts';
import { listDiagnostics } from '../store/diagnostics.ts';
import { type ListedObject, listObjects } from '../store/documents.ts';
import { listNotes } from '../store/objects.ts';
import { type BucketContext, documentOf, isNear, markOf, syncObject } from './bucket.ts';
import { DIAGNOSTICS, diagnosticFile, dropNoted, versionOf } from './raw-files.ts';

const PAGE = 1000;

/** What is younger, a note or an object, may belong to a write that is under way. */
const MIN_AGE_MINUTES = 60;

const MAX_FAILED = 100;

/** Reconciles where that has not been done for so many minutes; null where it has. A pass without its end leaves it due. */
export async function reconcileWhenDue(context: BucketContext, minutes: number): Promise<ReconcileReport | null> {
  if (!(await takeChore(context.database, CHORE, minutes))) return null;
  const report = await reconcile(context);
  if (!report.complete) await returnChore(context.database, CHORE);
  return report;
}

const CHORE = 'reconcile';

/**
 * Compares the documents with the objects of the store, and repairs what events have missed: new and changed objects are
 * read, and documents of objects that have gone are removed. Versions that are noted for removal are removed; one that is
 * neither noted nor a file's is not known to be ours, and is counted alone: the database may be older than the store. What
 * a pass has done needs no second look, so that one which the deadline ends is gone on with by the next.
 */
export async function reconcile(context: BucketContext): Promise<ReconcileReport> {
  const pass = new Pass(context);
  await pass.run();
  context.log.info('reconciled', { ...pass.report, failed: pass.report.failed.length });
  return pass.report;
}

class Pass {
  readonly report: ReconcileReport = {
    checked: 0,
    written: 0,
    removed: 0,
    orphans: 0,
    unknown: 0,
    failed: [],
    complete: true,
  };
  readonly #context: BucketContext;

  constructor(context: BucketContext) {
    this.#context = context;
  }

  async run(): Promise<void> {
    const notes = await this.#readNotes();
    for (const [name, isOld] of notes) {
      if (this.#isOver()) return;
      if (isOld) await this.#dropNoted(name);
    }
    const documents = await this.#readDocuments();
    /** The documents from the bucket whose object has not been seen. */
    const unseen = new Set([...documents.values()].filter(({ origin }) => origin === 'bucket').map(({ path }) => path));
    for await (const object of this.#context.objects.list(DOCUMENTS)) {
      if (this.#isOver()) return;
      await this.#checkObject(object, documents, notes, unseen);
    }
    for (const path of unseen) {
      if (this.#isOver()) return;
      await this.#sync(path);
    }
    const versions = await this.#readDiagnostics();
    for await (const object of this.#context.objects.list(DIAGNOSTICS)) {
      if (this.#isOver()) return;
      this.report.checked++;
      if (!versions.has(object.name)) this.#countUnknown(object, notes);
    }
  }

  #isOver(): boolean {
    const isOver = isNear(this.#context.deadline);
    if (isOver) this.report.complete = false;
    return isOver;
  }

  async #checkObject(
    object: ObjectInfo,
    documents: Map<string, ListedObject>,
    notes: Map<string, boolean>,
    unseen: Set<string>,
  ): Promise<void> {
    this.report.checked++;
    if (object.name.endsWith('/')) return;
    const name = documentOf(object.name);
    if (name === null) {
      return this.#tell(object.name, 'The name of the object is no path of a document; rename it');
    }
    const { path, digest } = name;
    const document = documents.get(path);
    if (digest === null) {
      unseen.delete(path);
      if (document?.objectEtag !== markOf(object)) await this.#sync(path);
    } else if (document?.digest !== digest) this.#countUnknown(object, notes);
  }

  #countUnknown({ name, modifiedAt }: ObjectInfo, notes: Map<string, boolean>): void {
    const isOld = Date.now() - modifiedAt.getTime() > MIN_AGE_MINUTES * 60_000;
    if (isOld && !notes.has(name)) this.report.unknown++;
  }

  async #sync(path: string): Promise<void> {
    try {
      const outcome = await syncObject(this.#context, path);
      if (outcome !== 'unchanged') this.report[outcome]++;
    } catch (error) {
      this.#fail(path, error);
    }
  }

  async #dropNoted(name: string): Promise<void> {
    try {
      const version = versionOf(name);
      if (version === null) throw new Error('a note names no version');
      if (await dropNoted(this.#context, version.file, version.digest, MIN_AGE_MINUTES)) this.report.orphans++;
    } catch (error) {
      this.#fail(name, error);
    }
  }

  #fail(id: string, thrown: unknown): void {
    const error = toAppError(thrown);
    if (error.status >= 500)
      this.#context.log.error('object_not_reconciled', error.cause ?? error, { code: error.code });
    this.#tell(id, error.message);
  }

  #tell(id: string, reason: string): void {
    if (this.report.failed.length < MAX_FAILED) this.report.failed.push({ id, reason });
  }

  async #readDocuments(): Promise<Map<string, ListedObject>> {
    const found = new Map<string, ListedObject>();
    for (let after = ''; ; ) {
      const page = await listObjects(this.#context.database, after, PAGE);
      for (const document of page) found.set(document.path, document);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return found;
      after = last.path;
    }
  }

  /** The names of the objects that are to be removed, and whether they are noted for long enough. */
  async #readNotes(): Promise<Map<string, boolean>> {
    const found = new Map<string, boolean>();
    for (let after = ''; ; ) {
      const page = await listNotes(this.#context.database, { minutes: MIN_AGE_MINUTES, after, limit: PAGE });
      for (const { name, isOld } of page) found.set(name, isOld);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return found;
      after = last.name;
    }
  }

  /** The names of the objects of the diagnostics. */
  async #readDiagnostics(): Promise<Set<string>> {
    const found = new Set<string>();
    for (let after = ''; ; ) {
      const page = await listDiagnostics(this.#context.database, 'system', { after, limit: PAGE });
      for (const { id, digest } of page) found.add(diagnosticFile(id).objectName(digest));
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return found;
      after = last.id;
    }
  }
}
