import { parseCharsetName } from '../core/assumed-charset.ts';
import { errorCodesIn } from '../core/diagnostics/error-codes.ts';
import { diagnosticId, diagnosticTitle } from '../core/kinds/diagnostic.ts';
import type { Metadata, SourceRef } from '../core/kinds/kind.ts';
import type { DiagnosticList, DiagnosticsQuery, DiagnosticTree, DiagnosticTreeQuery } from '../file-shapes.ts';
import type { FunctionResponse } from '../http.ts';
import { listDiagnostics, readDiagnostic } from '../store/diagnostics.ts';
import { type IndexedPassage, readPassages } from '../store/passages.ts';
import { type FileAccess, listingActor, rawAnswer, readersShown, readFile, readProgress, textAnswer } from './files.ts';
import { notHere } from './read.ts';

/** Texts beyond so many bytes are left out: the answer must not be larger than OCI Functions lets out. */
const MAX_TEXT_BYTES = 3_000_000;
const MAX_CODES = 200;

/** What the whole says already. */
const OF_THE_WHOLE = ['format', 'environmentId', 'erpModule', 'erpVersion', 'sourceScript', 'resolutionType', 'labels'];

const refOf = (id: string): SourceRef => ({ type: 'diagnostic', id });

/** A diagnostic as a tree of its sections and their passages, or its output as the query wants it. */
export async function answerDiagnostic(
  access: FileAccess,
  id: string,
  { content, after, limit }: DiagnosticTreeQuery,
  model: string,
): Promise<FunctionResponse> {
  const ref = refOf(id);
  if (!diagnosticId.safeParse(id).success) throw notHere(ref.type, ref.id);
  const { database } = access;
  const found = await readFile(access, ref, (actor) => readDiagnostic(database, actor, id));
  const { view, isVisible } = found;
  const { charset, assumed } = parseCharsetName(view.charset);
  if (content !== undefined) {
    if (!isVisible) throw notHere(ref.type, ref.id);
    if (content === 'text') return textAnswer(view.content);
    return rawAnswer(access, { ...view, objectName: `diagnostics/${id}/${view.digest}`, fileName: id, charset });
  }
  // One more than are shown tells whether there are more.
  const { caller } = access;
  const passages =
    isVisible && caller !== null
      ? await readPassages(database, caller, model, ref, { after, last: after + limit + 1 })
      : [];
  const [progressOf, readers] = await Promise.all([readProgress(access, [ref]), readersShown(access, ref)]);
  const { content: text, ...fields } = view;
  const { resolution } = found;
  const body: DiagnosticTree = {
    ...fields,
    title: diagnosticTitle(view),
    errorCodes: isVisible
      ? [...new Set([...view.errorCodes, ...errorCodesIn(text ?? '', MAX_CODES)])]
      : view.errorCodes,
    charset,
    charsetAssumed: assumed,
    ...progressOf(ref),
    resolution:
      !isVisible || resolution === null ? null : { text: resolution.content, writtenAt: resolution.writtenAt },
    sections: sectionsOf(passages.filter(({ section }) => section <= after + limit)),
    next: passages.some(({ section }) => section > after + limit) ? after + limit : null,
    readers,
    links: { raw: `/v1/diagnostics/${encodeURIComponent(id)}?content=raw` },
  };
  return { status: 200, body };
}

function sectionsOf(passages: IndexedPassage[]): DiagnosticTree['sections'] {
  const sections = new Map<number, DiagnosticTree['sections'][number]>();
  let bytes = 0;
  for (const { chunkNo, section, heading, metadata, content } of passages) {
    const known = sections.get(section) ?? { section, heading, ...ownMetadata(metadata), passages: [] };
    sections.set(section, known);
    bytes += Buffer.byteLength(content);
    known.passages.push({ chunkNo, characters: content.length, text: bytes <= MAX_TEXT_BYTES ? content : null });
  }
  return [...sections.values()];
}

function ownMetadata({ kind = null, ...metadata }: Metadata) {
  const own = Object.entries(metadata).filter(([name]) => !OF_THE_WHOLE.includes(name));
  return { kind: typeof kind === 'string' ? kind : null, metadata: Object.fromEntries(own) };
}

/** The diagnostics that the caller may see or, without their texts, may write. */
export async function answerDiagnosticList(access: FileAccess, query: DiagnosticsQuery): Promise<DiagnosticList> {
  const diagnostics = await listDiagnostics(access.database, listingActor(access), query);
  const progressOf = await readProgress(
    access,
    diagnostics.map(({ id }) => refOf(id)),
  );
  return {
    diagnostics: diagnostics.map((diagnostic) => ({ ...diagnostic, ...progressOf(refOf(diagnostic.id)) })),
    next: diagnostics.length < query.limit ? null : (diagnostics.at(-1)?.id ?? null),
  };
}
