import { expect, test } from 'vitest';
import type { Transaction } from '../../functions/ports/database.ts';
import {
  type DiagnosticWrite,
  putDiagnostic,
  putResolution,
  replaceOutput,
} from '../../functions/store/diagnostics.ts';
import { type DocumentWrite, putDocument, replaceText, replaceVersion } from '../../functions/store/documents.ts';

const DOCUMENT: DocumentWrite = {
  path: 'a.txt',
  title: 'A',
  contentType: 'text/plain',
  charset: 'utf-8',
  bytes: 1,
  digest: '0'.repeat(64),
  textFormat: 'plain',
  content: 'a',
  emptyReason: null,
  readers: { audience: 'organization', readers: [] },
  projectId: null,
  labels: [],
  origin: 'api',
  objectEtag: null,
};

const DIAGNOSTIC: DiagnosticWrite = {
  id: 'd1',
  format: 'plain',
  contentType: 'text/plain',
  charset: 'utf-8',
  bytes: 1,
  digest: '0'.repeat(64),
  content: 'a',
  environmentId: 'PROD',
  erpModule: 'GL',
  erpVersion: '12.2.9',
  sourceScript: 'tkprof',
  errorCodes: [],
  resolutionType: null,
  readers: { audience: 'organization', readers: [] },
  projectId: null,
  labels: [],
};

const WRITES: Record<string, (tx: Transaction) => Promise<unknown>> = {
  putDocument: (tx) => putDocument(tx, DOCUMENT),
  replaceVersion: (tx) => replaceVersion(tx, 'a.txt', DOCUMENT),
  replaceText: (tx) => replaceText(tx, 'a.txt', DOCUMENT),
  putDiagnostic: (tx) => putDiagnostic(tx, DIAGNOSTIC, 'A fix.'),
  replaceOutput: (tx) => replaceOutput(tx, 'd1', DIAGNOSTIC),
  putResolution: (tx) => putResolution(tx, 'd1', { resolution: 'A fix.', resolutionType: null }),
};

test.each(Object.keys(WRITES))('%s binds the long text behind all others but the key (ORA-24816)', async (name) => {
  const statements: string[] = [];
  const tx = {
    rows: async () => [{}],
    async execute(sql: string) {
      statements.push(sql);
      // There is no such row yet: what is updated is inserted too.
      return 0;
    },
    executeMany: async () => 0,
    defer() {},
  };

  await WRITES[name]?.(tx as unknown as Transaction);

  const withText = statements.filter((sql) => sql.includes(':content'));
  expect(withText.length).toBeGreaterThan(0);
  for (const sql of withText) {
    const [values = ''] = sql.split(' WHERE ');
    expect([...values.matchAll(/:(\w+)/g)].at(-1)?.[1]).toBe('content');
  }
});
