import { type DiagnosticView, diagnosticContent } from '../core/kinds/diagnostic.ts';
import type { FileReaders } from '../core/kinds/file.ts';
import { type ResolutionView, resolutionContent } from '../core/kinds/resolution.ts';
import type { FileAudience } from '../core/scope.ts';
import type { Actor, Binds, Database, Transaction } from '../ports/database.ts';
import { BEFORE_ALL, inList, isoUtc } from './lists.ts';
import { enqueue } from './queue.ts';
import { groupReaders, joinReaders, putReaders, type ReaderRow, removeReaders } from './readers.ts';
import { columnsOf, deleteRecord, lockRecord, update, upsert, WRITTEN_NOW } from './rows.ts';

/** What is read from the raw bytes of a diagnostic. */
export type DiagnosticText = Pick<DiagnosticView, 'format' | 'contentType' | 'charset' | 'content'>;

/** All that is kept of a diagnostic but its raw bytes. */
export interface DiagnosticWrite extends DiagnosticText {
  id: string;
  bytes: number;
  /** SHA-256 of the raw bytes, in hex. */
  digest: string;
  environmentId: string;
  erpModule: string;
  erpVersion: string;
  sourceScript: string;
  errorCodes: string[];
  resolutionType: string | null;
  readers: FileReaders;
  projectId: number | null;
  labels: string[];
}

const diagnosticRef = (id: string) => ({ type: 'diagnostic', id }) as const;
const resolutionRef = (id: string) => ({ type: 'resolution', id }) as const;
/** Who reads a diagnostic reads its resolution, whether or not there is one yet. */
const bothOf = (id: string) => [diagnosticRef(id), resolutionRef(id)];

/** The digest of the diagnostic that is there, locked until the transaction ends; null where there is none. */
export async function lockDiagnostic(tx: Transaction, id: string): Promise<{ digest: string } | null> {
  return (await lockRecord<{ digest: string }>(tx, 'diagnostic', id, 'digest')) ?? null;
}

/**
 * Writes a diagnostic, whose parents the writer has locked (see lockParents); its resolution, which shows what the diagnostic
 * is about, is indexed again with it.
 */
export async function putDiagnostic(
  tx: Transaction,
  diagnostic: DiagnosticWrite,
  resolution: string | null,
): Promise<void> {
  const { id, readers } = diagnostic;
  const binds = {
    size_bytes: diagnostic.bytes,
    digest: diagnostic.digest,
    environment_id: diagnostic.environmentId,
    erp_module: diagnostic.erpModule,
    erp_version: diagnostic.erpVersion,
    source_script: diagnostic.sourceScript,
    error_codes: JSON.stringify(diagnostic.errorCodes),
    resolution_type: diagnostic.resolutionType,
    audience: readers.audience,
    project_id: diagnostic.projectId,
    labels: JSON.stringify(diagnostic.labels),
    ...textBinds(diagnostic),
  };
  await upsert(tx, 'diagnostic', id, [WRITTEN_NOW, ...columnsOf(binds)], binds);
  await putReaders(tx, bothOf(id), readers);
  if (resolution !== null) await writeResolution(tx, id, resolution, binds);
  await enqueueBoth(tx, id);
}

/** Writes what the same bytes of a diagnostic say, read once more. Nobody has written it by that: it is no newer. */
export async function replaceOutput(tx: Transaction, id: string, text: DiagnosticText): Promise<void> {
  const binds = textBinds(text);
  await update(tx, 'diagnostic', id, columnsOf(binds), binds);
  await enqueueBoth(tx, id);
}

const textBinds = (text: DiagnosticText): Binds => ({
  format: text.format,
  content_type: text.contentType,
  charset: text.charset,
  content: text.content,
});

/** Enqueues a diagnostic, and its resolution where it has one. */
async function enqueueBoth(tx: Transaction, id: string): Promise<void> {
  const isResolved = (await lockRecord(tx, 'resolution', id)) !== undefined;
  enqueue(tx, isResolved ? bothOf(id) : [diagnosticRef(id)], 'UPSERT');
}

/** Removes a diagnostic with its resolution. False where there is none. */
export async function removeDiagnostic(tx: Transaction, id: string): Promise<boolean> {
  if (!(await lockRecord(tx, 'diagnostic', id))) return false;
  const isResolved = (await lockRecord(tx, 'resolution', id)) !== undefined;
  await removeReaders(tx, bothOf(id));
  await deleteRecord(tx, 'resolution', id);
  await deleteRecord(tx, 'diagnostic', id);
  enqueue(tx, isResolved ? bothOf(id) : [diagnosticRef(id)], 'DELETE');
  return true;
}

/** Records what has resolved a diagnostic. False where there is no such diagnostic. */
export async function putResolution(
  tx: Transaction,
  id: string,
  { resolution, resolutionType }: { resolution: string; resolutionType: string | null },
): Promise<boolean> {
  const known = await lockRecord<Place & { resolution_type: string | null }>(
    tx,
    'diagnostic',
    id,
    'environment_id, erp_module, erp_version, resolution_type',
  );
  if (known === undefined) return false;
  await writeResolution(tx, id, resolution, known);
  if (resolutionType !== null && resolutionType !== known.resolution_type) {
    await tx.execute('UPDATE diagnostic SET resolution_type = :type WHERE diagnostic_id = :id', {
      type: resolutionType,
      id,
    });
    enqueue(tx, [diagnosticRef(id)], 'UPSERT');
  }
  enqueue(tx, [resolutionRef(id)], 'UPSERT');
  return true;
}

/** Where a fix was seen to work. */
interface Place {
  environment_id: string;
  erp_module: string;
  erp_version: string;
}

/** The place is the diagnostic's of that moment: another one that is written later was not validated. */
function writeResolution(tx: Transaction, id: string, content: string, place: Place): Promise<void> {
  const { environment_id, erp_module, erp_version } = place;
  const binds = { environment_id, erp_module, erp_version, content };
  return upsert(tx, 'resolution', id, [WRITTEN_NOW, ...columnsOf(binds)], binds);
}

/** The text of a diagnostic's resolution; null where it has none. */
export async function readResolution(tx: Transaction, id: string): Promise<string | null> {
  const [row] = await tx.rows<{ content: string }>('SELECT content FROM resolution WHERE diagnostic_id = :id', { id });
  return row?.content ?? null;
}

/** Takes a resolution back; the diagnostic stays. False where there is none. */
export async function removeResolution(tx: Transaction, id: string): Promise<boolean> {
  if (!(await lockRecord(tx, 'diagnostic', id)) || !(await lockRecord(tx, 'resolution', id))) return false;
  await deleteRecord(tx, 'resolution', id);
  enqueue(tx, [resolutionRef(id)], 'DELETE');
  return true;
}

interface DiagnosticRow {
  diagnostic_id: string;
  format: DiagnosticView['format'];
  content_type: string;
  charset: string;
  size_bytes: number;
  digest: string;
  content: string | null;
  environment_id: string;
  erp_module: string;
  erp_version: string;
  source_script: string;
  error_codes: string[];
  resolution_type: string | null;
  audience: FileAudience;
  project_id: number | null;
  labels: string[];
  written_at: string;
}

/** The long texts only in the first row of each. */
const firstOf = (column: string) =>
  `CASE WHEN ROW_NUMBER() OVER (PARTITION BY d.diagnostic_id ORDER BY r.employee_id) = 1 THEN ${column} END`;

const COLUMNS = `d.diagnostic_id, d.format, d.content_type, d.charset, d.size_bytes, d.digest, d.environment_id, d.erp_module,
  d.erp_version, d.source_script, d.error_codes, d.resolution_type, d.audience, d.project_id, d.labels,
  ${isoUtc('d.written_at')} AS written_at, r.employee_id AS reader, ${firstOf('d.content')} AS content`;

/** Text and readers in one statement: what is indexed of a version is for the readers of that version. */
const JOIN_READERS = joinReaders('diagnostic', 'd.diagnostic_id');

const toView = (row: DiagnosticRow, readers: number[]): DiagnosticView => ({
  id: row.diagnostic_id,
  format: row.format,
  contentType: row.content_type,
  charset: row.charset,
  bytes: row.size_bytes,
  digest: row.digest,
  content: row.content,
  environmentId: row.environment_id,
  erpModule: row.erp_module,
  erpVersion: row.erp_version,
  sourceScript: row.source_script,
  errorCodes: row.error_codes,
  resolutionType: row.resolution_type,
  audience: row.audience,
  readers,
  projectId: row.project_id,
  labels: row.labels,
  writtenAt: row.written_at,
});

async function loadDiagnostics(tx: Transaction, ids: string[]): Promise<DiagnosticView[]> {
  const list = inList('id', ids);
  const rows = await tx.rows<DiagnosticRow & ReaderRow>(
    `SELECT ${COLUMNS} FROM diagnostic d ${JOIN_READERS}
     WHERE d.diagnostic_id IN ${list.sql}
     ORDER BY d.diagnostic_id, r.employee_id`,
    list.binds,
  );
  return groupReaders(rows, (row) => row.diagnostic_id).map(({ row, readers }) => toView(row, readers));
}

type ResolutionRow = DiagnosticRow &
  ReaderRow & {
    resolution: string;
    resolved_at: string;
    fixed_environment: string;
    fixed_module: string;
    fixed_version: string;
  };

async function loadResolutions(tx: Transaction, ids: string[]): Promise<ResolutionView[]> {
  const list = inList('id', ids);
  const rows = await tx.rows<ResolutionRow>(
    `SELECT ${COLUMNS}, ${firstOf('f.content')} AS resolution, ${isoUtc('f.written_at')} AS resolved_at,
            f.environment_id AS fixed_environment, f.erp_module AS fixed_module, f.erp_version AS fixed_version
     FROM resolution f JOIN diagnostic d ON d.diagnostic_id = f.diagnostic_id ${JOIN_READERS}
     WHERE f.diagnostic_id IN ${list.sql}
     ORDER BY d.diagnostic_id, r.employee_id`,
    list.binds,
  );
  return groupReaders(rows, (row) => row.diagnostic_id).map(({ row, readers }) => ({
    id: row.diagnostic_id,
    content: row.resolution,
    resolutionType: row.resolution_type,
    writtenAt: row.resolved_at,
    diagnostic: {
      ...toView(row, readers),
      environmentId: row.fixed_environment,
      erpModule: row.fixed_module,
      erpVersion: row.fixed_version,
    },
  }));
}

/** A diagnostic with its resolution, if the actor may see it. */
export async function readDiagnostic(
  db: Database,
  actor: Actor,
  id: string,
): Promise<{ view: DiagnosticView; resolution: { content: string; writtenAt: string } | null } | null> {
  const [[view], [resolution]] = await db.transaction(actor, (tx) =>
    Promise.all([loadDiagnostics(tx, [id]), loadResolutions(tx, [id])]),
  );
  if (view === undefined) return null;
  return {
    view,
    resolution: resolution === undefined ? null : { content: resolution.content, writtenAt: resolution.writtenAt },
  };
}

/** A diagnostic in a list. */
export type DiagnosticEntry = Omit<DiagnosticView, 'content' | 'charset' | 'readers'>;

/** The diagnostics that the actor may see, in the order of their ids, after one. */
export async function listDiagnostics(
  db: Database,
  actor: Actor,
  { after, limit }: { after: string; limit: number },
): Promise<DiagnosticEntry[]> {
  const rows = await db.transaction(actor, (tx) =>
    tx.rows<Omit<DiagnosticRow, 'content' | 'charset'>>(
      `SELECT d.diagnostic_id, d.format, d.content_type, d.size_bytes, d.digest, d.environment_id, d.erp_module,
              d.erp_version, d.source_script, d.error_codes, d.resolution_type, d.audience, d.project_id, d.labels,
              ${isoUtc('d.written_at')} AS written_at
       FROM diagnostic d WHERE d.diagnostic_id > :after
       ORDER BY d.diagnostic_id FETCH FIRST :most ROWS ONLY`,
      { after: after || BEFORE_ALL, most: limit },
    ),
  );
  return rows.map((row) => {
    const { content: _, charset: __, readers: ___, ...entry } = toView({ ...row, content: null, charset: '' }, []);
    return entry;
  });
}

export const diagnostics = {
  table: 'diagnostic',
  key: 'diagnostic_id',
  load: loadDiagnostics,
  content: diagnosticContent,
} as const;

export const resolutions = {
  table: 'resolution',
  key: 'diagnostic_id',
  load: loadResolutions,
  content: resolutionContent,
} as const;
