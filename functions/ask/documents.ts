import { documentPath, encodePath, objectNameOf } from '../core/documents/path.ts';
import type { SourceRef } from '../core/kinds/kind.ts';
import type { DocumentList, DocumentState, DocumentsQuery, FileQuery } from '../file-shapes.ts';
import type { FunctionResponse } from '../http.ts';
import { listDocuments, readDocument } from '../store/documents.ts';
import { type FileAccess, listingActor, rawAnswer, readersShown, readFile, readProgress, textAnswer } from './files.ts';
import { notHere, textShown } from './read.ts';

const refOf = (path: string): SourceRef => ({ type: 'document', id: path });

/** The state of a document, or the document itself as the query wants it. */
export async function answerDocument(
  access: FileAccess,
  rawPath: string,
  { content }: FileQuery,
): Promise<FunctionResponse> {
  const path = documentPath(rawPath);
  const ref = refOf(path);
  const { view, isVisible } = await readFile(access, ref, async (actor) => {
    const found = await readDocument(access.database, actor, path);
    return found === null ? null : { view: found };
  });
  if (content !== undefined) {
    if (!isVisible) throw notHere(ref.type, ref.id);
    if (content === 'text') return textAnswer(view.content);
    const fileName = path.slice(path.lastIndexOf('/') + 1);
    return rawAnswer(access, { ...view, objectName: objectNameOf(path, view.digest), fileName });
  }
  const [progressOf, readers] = await Promise.all([readProgress(access, [ref]), readersShown(access, ref)]);
  const { id: _, content: text, emptyReason, textFormat: __, ...fields } = view;
  const progress = progressOf(ref);
  const body: DocumentState = {
    path,
    ...fields,
    ...progress,
    reason: progress.reason ?? emptyReason,
    text: isVisible ? textShown(text) : null,
    readers,
    links: { raw: `/v1/documents/${encodePath(path)}?content=raw` },
  };
  return { status: 200, body };
}

/** The documents that the caller may see or, without their texts, may write. */
export async function answerDocumentList(access: FileAccess, query: DocumentsQuery): Promise<DocumentList> {
  const documents = await listDocuments(access.database, listingActor(access), query);
  const progressOf = await readProgress(
    access,
    documents.map(({ path }) => refOf(path)),
  );
  return {
    documents: documents.map((document) => ({ ...document, ...progressOf(refOf(document.path)) })),
    next: documents.length < query.limit ? null : (documents.at(-1)?.path ?? null),
  };
}
