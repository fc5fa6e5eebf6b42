import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'sample-files');

/** A call of the API that writes one of the sample's files. */
export interface FileCall {
  path: string;
  contentType: string;
  body: Buffer;
}

/** Where the sample's diagnostics come from. */
const ERP = { environmentId: 'PROD', erpModule: 'GL', erpVersion: '12.2.9' };

const RESOLUTION = {
  resolution:
    'TEMP was too small for the month close after the second ledger went live. A temp file of 8 GB was added, and the close now runs ledger by ledger.',
  resolutionType: 'configuration',
};

/** The sample's files: a document, and what was printed in the night in which a month's close failed, with what helped. */
export async function sampleFiles(): Promise<FileCall[]> {
  const diagnostic = async (id: string, sourceScript: string, file: string): Promise<FileCall> => ({
    path: `/v1/diagnostics/${id}?${new URLSearchParams({ ...ERP, sourceScript })}`,
    contentType: 'text/plain; charset=utf-8',
    body: await readFile(join(FOLDER, file)),
  });
  return [
    {
      path: '/v1/documents/handbook/leave.md?labels=handbook',
      contentType: 'text/markdown; charset=utf-8',
      body: await readFile(join(FOLDER, 'leave.md')),
    },
    await diagnostic('month-close', 'tkprof', 'month-close.tkprof.txt'),
    await diagnostic('alert-erpprod', 'alert log', 'alert_erpprod.log'),
    {
      path: '/v1/diagnostics/alert-erpprod/resolution',
      contentType: 'application/json',
      body: Buffer.from(JSON.stringify(RESOLUTION)),
    },
  ];
}
