import type { LazyShape, Route } from './route.ts';

type FileShapes = typeof import('./file-shapes.ts');
const fileShape =
  (name: keyof FileShapes): LazyShape =>
  async () =>
    (await import('./file-shapes.ts'))[name];

const accepted = { status: 202, shape: async () => (await import('./shapes.ts')).accepted };

const ANY_TYPE = '*/*';

const documentRoutes: Route[] = [
  {
    method: 'PUT',
    path: '/v1/documents/{path*}',
    function: 'ingest',
    handler: 'putDocument',
    access: 'write',
    summary: 'Write a document: the body is the file as it is, its content type says what it is',
    query: async () => (await import('./core/kinds/document.ts')).documentQuery,
    bodyType: ANY_TYPE,
    success: { status: 202, shape: fileShape('acceptedFile') },
  },
  {
    method: 'GET',
    path: '/v1/documents/{path*}',
    function: 'ask',
    handler: 'getDocument',
    access: 'state',
    summary: 'The state of a document; its text and the file itself, if you may see them',
    query: fileShape('fileQuery'),
    success: { status: 200, shape: fileShape('documentState'), isFile: true },
  },
  {
    method: 'DELETE',
    path: '/v1/documents/{path*}',
    function: 'ingest',
    handler: 'deleteDocument',
    access: 'write',
    summary: 'Delete a document, and the file',
    success: accepted,
  },
  {
    method: 'GET',
    path: '/v1/documents',
    function: 'ask',
    handler: 'listDocuments',
    access: 'state',
    summary: 'The documents that you may see, in the order of their paths',
    query: fileShape('documentsQuery'),
    success: { status: 200, shape: fileShape('documentList') },
  },
];

const diagnosticRoutes: Route[] = [
  {
    method: 'PUT',
    path: '/v1/diagnostics/{id}',
    function: 'ingest',
    handler: 'putDiagnostic',
    access: 'write',
    summary: 'Write the output of a diagnostic: the body is the output as it is',
    query: async () => (await import('./core/kinds/diagnostic.ts')).diagnosticQuery,
    bodyType: ANY_TYPE,
    success: { status: 202, shape: fileShape('acceptedFile') },
  },
  {
    method: 'GET',
    path: '/v1/diagnostics/{id}',
    function: 'ask',
    handler: 'getDiagnostic',
    access: 'state',
    summary: 'A diagnostic with its sections and their passages, and the output itself, if you may see them',
    query: fileShape('diagnosticTreeQuery'),
    success: { status: 200, shape: fileShape('diagnosticTree'), isFile: true },
  },
  {
    method: 'DELETE',
    path: '/v1/diagnostics/{id}',
    function: 'ingest',
    handler: 'deleteDiagnostic',
    access: 'write',
    summary: 'Delete a diagnostic with its resolution',
    success: accepted,
  },
  {
    method: 'GET',
    path: '/v1/diagnostics',
    function: 'ask',
    handler: 'listDiagnostics',
    access: 'state',
    summary: 'The diagnostics that you may see, in the order of their ids',
    query: fileShape('diagnosticsQuery'),
    success: { status: 200, shape: fileShape('diagnosticList') },
  },
  {
    method: 'PUT',
    path: '/v1/diagnostics/{id}/resolution',
    function: 'ingest',
    handler: 'putResolution',
    access: 'write',
    summary: 'Record what has resolved a diagnostic',
    body: async () => (await import('./core/kinds/resolution.ts')).resolutionInput,
    success: accepted,
  },
  {
    method: 'DELETE',
    path: '/v1/diagnostics/{id}/resolution',
    function: 'ingest',
    handler: 'deleteResolution',
    access: 'write',
    summary: 'Take a resolution back',
    success: accepted,
  },
];

const fileChoreRoutes: Route[] = [
  {
    method: 'POST',
    path: '/v1/reindex',
    function: 'ingest',
    handler: 'reindex',
    access: 'write',
    summary: 'Read some of the stored files again and index what is in them now',
    body: fileShape('reindexRequest'),
    success: { status: 200, shape: fileShape('reindexReport') },
  },
  {
    method: 'POST',
    path: '/v1/reconcile',
    function: 'ingest',
    handler: 'reconcile',
    access: 'write',
    summary: 'Compare the documents with the object store, and repair what differs',
    success: { status: 200, shape: fileShape('reconcileReport') },
  },
];

/** The routes of documents, of diagnostics, and of what looks after their raw bytes. */
export const fileRoutes: Route[] = [...documentRoutes, ...diagnosticRoutes, ...fileChoreRoutes];
