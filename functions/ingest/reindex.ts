import { parseCharsetName } from '../core/assumed-charset.ts';
import { NotFound } from '../core/errors.ts';
import type { ReindexReport, ReindexRequest } from '../file-shapes.ts';
import { diagnostics, listDiagnostics, lockDiagnostic, replaceOutput } from '../store/diagnostics.ts';
import { documents, listDocuments, lockDocument, replaceText } from '../store/documents.ts';
import { type BucketContext, isNear, reasonOf } from './bucket.ts';
import { readOutput } from './diagnostics.ts';
import { extractedFields, fileNameOf } from './documents.ts';
import { extractText } from './extraction/extract.ts';
import { diagnosticFile, documentFile, type ReceivedFile } from './raw-files.ts';

/**
 * Reads the kept bytes of some files again, in the order of their names, and puts what is in them into the queue: after a
 * change of how files are read, and without their senders. What cannot be read stays as it is, and is told.
 */
export async function reindex(context: BucketContext, request: ReindexRequest): Promise<ReindexReport> {
  const { type, prefix, after, limit } = request;
  const names =
    type === 'document'
      ? (await listDocuments(context.database, 'system', { prefix, after, limit })).map(({ path }) => path)
      : (await listDiagnostics(context.database, 'system', { after, limit })).map(({ id }) => id);
  const report: ReindexReport = { done: 0, failed: [], next: null };
  for (const [i, name] of names.entries()) {
    if (i > 0 && isNear(context.deadline)) return { ...report, next: names[i - 1] ?? null };
    if (!name.startsWith(prefix)) continue;
    try {
      await (type === 'document' ? readDocumentAgain(context, name) : readDiagnosticAgain(context, name));
      report.done++;
    } catch (error) {
      report.failed.push({ id: name, reason: reasonOf(error, context.log) });
    }
  }
  return { ...report, next: names.length < limit ? null : (names.at(-1) ?? null) };
}

async function readDocumentAgain(context: BucketContext, path: string): Promise<void> {
  const { database } = context;
  const [view] = await database.transaction('system', (tx) => documents.load(tx, [path]));
  if (view === undefined) return;
  const name = documentFile(path).objectName(view.digest);
  const file = await readRaw(context, name, view.contentType, view.charset);
  const extracted = await extractText(
    file.bytes,
    { contentType: file.contentType, name: fileNameOf(path) },
    context.readDocument,
  );
  await database.transaction('system', async (tx) => {
    // Other bytes that came meanwhile were read as files are read now.
    if ((await lockDocument(tx, path))?.digest !== view.digest) return;
    await replaceText(tx, path, extractedFields(path, extracted));
  });
}

async function readDiagnosticAgain(context: BucketContext, id: string): Promise<void> {
  const { database } = context;
  const [view] = await database.transaction('system', (tx) => diagnostics.load(tx, [id]));
  if (view === undefined) return;
  const { charset, assumed } = parseCharsetName(view.charset);
  const file = await readRaw(
    context,
    diagnosticFile(id).objectName(view.digest),
    view.contentType,
    assumed ? null : charset,
  );
  const output = readOutput(file);
  await database.transaction('system', async (tx) => {
    if ((await lockDiagnostic(tx, id))?.digest === view.digest) await replaceOutput(tx, id, output);
  });
}

/** The bytes of a kept version, with what was known of them. */
async function readRaw(
  { objects, maxBytes }: BucketContext,
  name: string,
  contentType: string,
  charset: string | null,
): Promise<ReceivedFile> {
  const object = await objects.get(name, maxBytes);
  if (object === null) throw new NotFound('Its bytes are not in the object store; send the file again');
  return { bytes: object.content, contentType: charset === null ? contentType : `${contentType}; charset=${charset}` };
}
