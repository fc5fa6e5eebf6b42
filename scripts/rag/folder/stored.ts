import { encodePath } from '../../../functions/core/documents/path.ts';
import type { DocumentList, DocumentState } from '../../../functions/file-shapes.ts';
import type { Api } from '../api.ts';
import { type Patience, withRetries } from '../import/retry.ts';
import type { FolderJob } from './options.ts';

export type StoredDocument = DocumentList['documents'][number];

const PAGE = 1000;

/** The documents whose paths begin with a prefix, by their paths. */
export async function readStored(api: Api, patience: Patience, prefix: string): Promise<Map<string, StoredDocument>> {
  const stored = new Map<string, StoredDocument>();
  for (let after: string | null = ''; after !== null; ) {
    const query: URLSearchParams = new URLSearchParams({ prefix, after, limit: String(PAGE) });
    const page: DocumentList = await withRetries(patience, () =>
      api.call<DocumentList>('GET', `/v1/documents?${query}`),
    );
    for (const document of page.documents) stored.set(document.path, document);
    after = page.next;
  }
  return stored;
}

/** Whether a file is stored already as it is wanted. Who the people are that see it is not in the list: it is sent again. */
export function isStored(digest: string, job: FolderJob, document: StoredDocument | undefined): boolean {
  if (document === undefined || document.digest !== digest) return false;
  if (job.audience !== undefined && job.audience !== document.audience) return false;
  if (job.projectId !== undefined && job.projectId !== document.projectId) return false;
  return job.labels === undefined || sorted(job.labels) === sorted(document.labels);
}

const sorted = (labels: string[]): string => JSON.stringify([...labels].sort());

/** The parameters to write a document with: what the command line leaves open stays as it is stored. */
export async function parametersOf(api: Api, job: FolderJob, document: StoredDocument | undefined): Promise<string> {
  const projectId = job.projectId === undefined ? (document?.projectId ?? null) : job.projectId;
  const labels = job.labels ?? document?.labels ?? [];
  return new URLSearchParams({
    audience: job.audience ?? (document === undefined ? 'organization' : await audienceOf(api, document)),
    ...(projectId === null ? {} : { projectId: String(projectId) }),
    ...(labels.length === 0 ? {} : { labels: labels.join(',') }),
  }).toString();
}

async function audienceOf(api: Api, { path, audience }: StoredDocument): Promise<string> {
  if (audience !== 'people') return audience;
  const { readers } = await api.call<DocumentState>('GET', `/v1/documents/${encodePath(path)}`);
  // Without anybody left who is listed, managers alone see it.
  return readers === null || readers.length === 0 ? 'managers' : readers.join(',');
}
