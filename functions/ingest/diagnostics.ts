import { isDeepStrictEqual } from 'node:util';
import { charsetName } from '../core/assumed-charset.ts';
import { recognizeFormat } from '../core/diagnostics/recognize.ts';
import { NotFound, UnsupportedMediaType } from '../core/errors.ts';
import { validate } from '../core/input.ts';
import { type DiagnosticQuery, type DiagnosticView, diagnosticId } from '../core/kinds/diagnostic.ts';
import type { ResolutionInput } from '../core/kinds/resolution.ts';
import { blankToNull, normalizeText } from '../core/text.ts';
import type { AcceptedFile } from '../file-shapes.ts';
import type { Accepted } from '../shapes.ts';
import {
  type DiagnosticWrite,
  diagnostics,
  lockDiagnostic,
  putDiagnostic,
  putResolution,
  readResolution,
  removeDiagnostic,
  removeResolution,
} from '../store/diagnostics.ts';
import { lockParents } from '../store/readers.ts';
import { charsetOfMark, decodeText } from './extraction/charset.ts';
import { detectKind, MEDIA_TYPES, parseContentType } from './extraction/kind.ts';
import {
  diagnosticFile,
  digestOf,
  dropLeft,
  type FileContext,
  keepVersion,
  leaveVersion,
  type ReceivedFile,
  sortedIds,
  transact,
} from './raw-files.ts';

const diagnosticLink = (id: string): string => `/v1/diagnostics/${encodeURIComponent(id)}`;

const requireDiagnosticId = (raw: string): string => validate(diagnosticId, raw, 'id');

const thereIsNone = (id: string) => new NotFound(`There is no diagnostic ${id}`);

/**
 * The text of a diagnostic's output and what it is. Bytes that are not UTF-8 and have no charset declared are taken for
 * windows-1252, as much output of Oracle is, and the record says so.
 */
export function readOutput({ bytes, contentType }: ReceivedFile) {
  const { mediaType, charset } = parseContentType(contentType);
  const isUtf16 = [charset, charsetOfMark(bytes)].some((name) => name?.startsWith('utf-16'));
  const kind = detectKind(bytes, mediaType, isUtf16);
  if (kind !== 'text') {
    throw new UnsupportedMediaType(
      `The body is ${MEDIA_TYPES[kind]}; the output of a diagnostic is text, or AWR's HTML`,
    );
  }
  const decoded = decodeText(bytes, charset, { assume: 'windows-1252' });
  const text = normalizeText(decoded.text);
  const format = recognizeFormat(text);
  if (format !== 'awr_html' && (mediaType === MEDIA_TYPES.html || /^\s*<(?:!doctype html|html)\b/i.test(text))) {
    throw new UnsupportedMediaType('The body is HTML but no AWR report; send it as a document');
  }
  return {
    format,
    contentType: format === 'awr_html' ? MEDIA_TYPES.html : MEDIA_TYPES.text,
    charset: charsetName(decoded.charset, decoded.assumed),
    content: blankToNull(text),
  };
}

/** Writes the output of a diagnostic, and its resolution where the query has one. */
export async function writeDiagnostic(
  context: FileContext,
  rawId: string,
  received: ReceivedFile,
  { resolution, audience, ...query }: DiagnosticQuery,
): Promise<AcceptedFile> {
  const id = requireDiagnosticId(rawId);
  const { bytes } = received;
  const digest = digestOf(bytes);
  const diagnostic: DiagnosticWrite = {
    id,
    ...readOutput(received),
    bytes: bytes.length,
    digest,
    ...query,
    readers: audience,
  };
  const file = diagnosticFile(id);
  const kept = await keepVersion(context, file, diagnostic, bytes);
  const { former, unchanged } = await transact(context.database, async (tx) => {
    await lockParents(tx, diagnostic);
    const former = await lockDiagnostic(tx, id);
    await kept.take(tx, former);
    const [view] = former === null ? [] : await diagnostics.load(tx, [id]);
    const recorded = view === undefined ? null : await readResolution(tx, id);
    // The kind of a recorded fix stays with it, unless another is named.
    const recordedType = recorded === null || view === undefined ? null : view.resolutionType;
    const wanted = { ...diagnostic, resolutionType: diagnostic.resolutionType ?? recordedType };
    const isSame = view !== undefined && isDeepStrictEqual(written(view), asked(wanted));
    if (isSame && (resolution === null || resolution === recorded)) return { former, unchanged: true };
    await putDiagnostic(tx, wanted, resolution);
    return { former, unchanged: false };
  });
  await dropLeft(context, file, former, digest);
  return { status: 'accepted', links: { state: diagnosticLink(id) }, unchanged };
}

/** What a stored diagnostic is, in the form of {@link asked}. */
const written = ({ writtenAt: _, readers, ...view }: DiagnosticView) => ({ ...view, readers: sortedIds(readers) });

const asked = ({ readers: { audience, readers }, ...diagnostic }: DiagnosticWrite) => ({
  ...diagnostic,
  audience,
  readers: sortedIds(readers),
});

/** Removes a diagnostic, its resolution and its bytes. */
export async function deleteDiagnostic(context: FileContext, rawId: string): Promise<Accepted> {
  const id = requireDiagnosticId(rawId);
  const file = diagnosticFile(id);
  const former = await context.database.transaction('system', async (tx) => {
    const locked = await lockDiagnostic(tx, id);
    if (locked === null || !(await removeDiagnostic(tx, id))) throw thereIsNone(id);
    await leaveVersion(tx, file, locked, null);
    return locked;
  });
  await dropLeft(context, file, former, null);
  return { status: 'accepted', links: { state: diagnosticLink(id) } };
}

/** Records what has resolved a diagnostic. */
export async function writeResolution(
  { database }: FileContext,
  rawId: string,
  input: ResolutionInput,
): Promise<Accepted> {
  const id = requireDiagnosticId(rawId);
  const isKnown = await transact(database, (tx) => putResolution(tx, id, input));
  if (!isKnown) throw thereIsNone(id);
  return { status: 'accepted', links: { state: resolutionLink(id) } };
}

/** Takes a resolution back. */
export async function deleteResolution({ database }: FileContext, rawId: string): Promise<Accepted> {
  const id = requireDiagnosticId(rawId);
  const wasThere = await database.transaction('system', (tx) => removeResolution(tx, id));
  if (!wasThere) throw new NotFound(`There is no resolution of a diagnostic ${id}`);
  return { status: 'accepted', links: { state: resolutionLink(id) } };
}

const resolutionLink = (id: string): string => `/v1/sources/resolution/${encodeURIComponent(id)}`;
