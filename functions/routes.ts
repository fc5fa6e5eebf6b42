import { MAX_ID } from './core/ids.ts';
import { SOURCE_TYPES } from './core/kinds/kind.ts';
import { fileRoutes } from './file-routes.ts';
import { type Collection, type LazyShape, RECORDS, type Route } from './route.ts';

/** The limit of a request's body; OCI Functions takes no more. */
export const MAX_BODY_BYTES = 6 * 1024 * 1024;

/** The functions and their time limits in seconds. */
export const FUNCTIONS = {
  ask: { timeoutSeconds: 30 },
  ingest: { timeoutSeconds: 120 },
  drain: { timeoutSeconds: 120 },
  bootstrap: { timeoutSeconds: 300 },
} as const;
export type FunctionName = keyof typeof FUNCTIONS;

/** What a token's `scope` must hold whose bearer may write without being an admin. */
export const WRITE_SCOPE = 'rag.write';

type Shapes = typeof import('./shapes.ts');
const shape =
  (name: keyof Shapes): LazyShape =>
  async () =>
    (await import('./shapes.ts'))[name];
const accepted = { status: 202, shape: shape('accepted') };

const recordRoutes = (collection: Collection): Route[] => {
  const { type, input } = RECORDS[collection];
  const path = `/v1/${collection}/{id}`;
  return [
    {
      method: 'PUT',
      path,
      function: 'ingest',
      handler: 'putRecord',
      access: 'write',
      collection,
      summary: `Write ${type === 'employee' ? 'an' : 'a'} ${type}: a new one, or all fields of a stored one`,
      body: input,
      success: accepted,
    },
    {
      method: 'GET',
      path,
      function: 'ask',
      handler: 'getRecord',
      access: 'employee',
      collection,
      summary: `Read ${type === 'employee' ? 'an' : 'a'} ${type}, if you may see it`,
      success: { status: 200, shape: shape('record') },
    },
    {
      method: 'DELETE',
      path,
      function: 'ingest',
      handler: 'deleteRecord',
      access: 'write',
      collection,
      summary: `Delete ${type === 'employee' ? 'an' : 'a'} ${type}; what refers to it lets go of it`,
      success: accepted,
    },
  ];
};

/** The one route table: the gateway, the functions and the OpenAPI document are all made from it. */
export const routes: Route[] = [
  ...(Object.keys(RECORDS) as Collection[]).flatMap(recordRoutes),
  {
    method: 'PUT',
    path: '/v1/tasks/{id}/comments/{commentId}',
    function: 'ingest',
    handler: 'putComment',
    access: 'write',
    summary: 'Write a comment on a task',
    body: async () => (await import('./core/kinds/task.ts')).commentInput,
    success: accepted,
  },
  {
    method: 'DELETE',
    path: '/v1/tasks/{id}/comments/{commentId}',
    function: 'ingest',
    handler: 'deleteComment',
    access: 'write',
    summary: 'Delete a comment',
    success: accepted,
  },
  {
    method: 'POST',
    path: '/v1/records',
    function: 'ingest',
    handler: 'bulk',
    access: 'write',
    summary: 'Write many records: one JSON object a line, puts and deletes mixed, each line with a result of its own',
    body: shape('bulkLine'),
    bodyType: 'application/x-ndjson',
    success: { status: 200, shape: shape('bulkResult') },
  },
  ...fileRoutes,
  {
    method: 'POST',
    path: '/v1/ask',
    function: 'ask',
    handler: 'ask',
    access: 'employee',
    summary: 'Ask a question and get a short answer with its sources',
    body: async () => (await import('./ask/question.ts')).question,
    success: { status: 200, shape: shape('answer') },
  },
  {
    method: 'POST',
    path: '/v1/search',
    function: 'ask',
    handler: 'search',
    access: 'employee',
    summary: 'Find the nearest sources, without an answer',
    body: async () => (await import('./ask/question.ts')).searchQuestion,
    success: { status: 200, shape: shape('searchAnswer') },
  },
  {
    method: 'GET',
    path: '/v1/sources/{type}/{id}',
    function: 'ask',
    handler: 'getSource',
    access: 'state',
    summary: 'The state of a source in the index, and its text, if you may see it',
    success: { status: 200, shape: shape('sourceState') },
  },
  {
    method: 'GET',
    path: '/v1/status',
    function: 'ask',
    handler: 'getStatus',
    access: 'employee',
    summary: 'The queue, the index, the model and the database',
    success: { status: 200, shape: shape('status') },
  },
  {
    method: 'GET',
    path: '/v1/questions/{callId}',
    function: 'ask',
    handler: 'getQuestion',
    access: 'employee',
    summary: 'What came of a question and why: your own, or anybody’s for managers and admins',
    success: { status: 200, shape: shape('askedQuestion') },
  },
  {
    method: 'GET',
    path: '/v1/gaps',
    function: 'ask',
    handler: 'listGaps',
    access: 'manager',
    summary: 'What was asked and not found, grouped by what it is about',
    query: shape('gapsQuery'),
    success: { status: 200, shape: shape('gaps') },
  },
  {
    method: 'POST',
    path: '/v1/queue/requeue',
    function: 'ingest',
    handler: 'requeue',
    access: 'admin',
    summary: 'Give parked sources another round of attempts',
    success: { status: 202, shape: shape('requeued') },
  },
  {
    method: 'GET',
    path: '/openapi.json',
    function: 'ask',
    handler: 'getOpenApi',
    access: 'public',
    summary: 'This description of the API',
    success: { status: 200, shape: shape('openApi') },
  },
];

/** The limits of the parameters that paths have. */
export const PATH_PARAMETERS: Record<string, { description: string; schema: object }> = {
  id: { description: 'The id', schema: { type: 'string', maxLength: 512 } },
  commentId: { description: 'The id of the comment', schema: { type: 'integer', minimum: 1, maximum: MAX_ID } },
  callId: { description: 'The callId of an answer or a problem', schema: { type: 'string', maxLength: 128 } },
  path: {
    description: 'The path of the document, with / between its parts',
    schema: { type: 'string', maxLength: 512 },
  },
  type: { description: 'The kind of source', schema: { type: 'string', enum: SOURCE_TYPES } },
};
