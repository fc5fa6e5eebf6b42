import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { encodePath } from '../../../functions/core/documents/path.ts';
import type { AcceptedFile } from '../../../functions/file-shapes.ts';
import { MAX_BODY_BYTES } from '../../../functions/routes.ts';
import { type Api, ApiError } from '../api.ts';
import { type Patience, withRetries } from '../import/retry.ts';
import type { FolderJob } from './options.ts';
import { isStored, parametersOf, type StoredDocument } from './stored.ts';

/** A file and the document that it becomes. */
export interface FolderFile {
  /** On the disk. */
  file: string;
  /** Of the document. */
  path: string;
}

export type Sent = { outcome: 'written' | 'unchanged' } | { outcome: 'refused'; reason: string };

const CONTENT_TYPES: Record<string, string> = {
  '.csv': 'text/csv',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.log': 'text/plain',
  '.markdown': 'text/markdown',
  '.md': 'text/markdown',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
};

/** After these the token is no good for the other files either. */
const FOR_ALL = new Set([401, 403]);

/** Writes one file, unless it is stored as it is wanted. What is wrong with the file itself is told. */
export async function sendFile(
  api: Api,
  patience: Patience,
  job: FolderJob,
  { file, path }: FolderFile,
  document: StoredDocument | undefined,
): Promise<Sent> {
  let bytes: Buffer;
  try {
    const { size } = await stat(file);
    if (size > MAX_BODY_BYTES) return tooLarge(size, path);
    bytes = await readFile(file);
  } catch (error) {
    return { outcome: 'refused', reason: `cannot be read: ${(error as NodeJS.ErrnoException).code}` };
  }
  if (isStored(createHash('sha256').update(bytes).digest('hex'), job, document)) return { outcome: 'unchanged' };
  try {
    const { unchanged } = await withRetries(patience, async () => {
      const parameters = await parametersOf(api, job, document);
      const type = CONTENT_TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream';
      return api.call<AcceptedFile>('PUT', `/v1/documents/${encodePath(path)}?${parameters}`, bytes, type);
    });
    return { outcome: unchanged ? 'unchanged' : 'written' };
  } catch (error) {
    if (!(error instanceof ApiError) || error.retryable || FOR_ALL.has(error.status)) throw error;
    return { outcome: 'refused', reason: error.message };
  }
}

const tooLarge = (size: number, path: string): Sent => ({
  outcome: 'refused',
  reason: `has ${size} bytes, and a call takes at most ${MAX_BODY_BYTES}; put it into the bucket, as documents/${path}`,
});
