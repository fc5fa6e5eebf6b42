import { serve } from '../adapters/fdk/serve.ts';
import type { DiagnosticQuery } from '../core/kinds/diagnostic.ts';
import type { DocumentQuery } from '../core/kinds/document.ts';
import type { ResolutionInput } from '../core/kinds/resolution.ts';
import type { ReindexRequest } from '../file-shapes.ts';
import { type Call, createHttpFunction, type FunctionRequest, type FunctionResponse } from '../http.ts';
import { RECORDS } from '../route.ts';
import { createServices } from '../services.ts';
import type { Accepted } from '../shapes.ts';
import { requeueParked } from '../store/queue.ts';
import type { BucketContext } from './bucket.ts';
import { applyLines, requireLines } from './bulk.ts';
import { applyChange, type Change, requireId } from './ingest.ts';

const services = createServices(process.env);

const handleCall = createHttpFunction(
  'ingest',
  {
    putRecord: (call) =>
      accept(call, {
        op: 'put',
        type: typeOf(call),
        id: requireId('id', call.params.id ?? ''),
        data: call.body,
      } as Change),
    deleteRecord: (call) =>
      accept(call, { op: 'delete', type: typeOf(call), id: requireId('id', call.params.id ?? '') }),
    putComment: (call) => accept(call, { op: 'put', ...commentIds(call), data: call.body } as Change),
    deleteComment: (call) => accept(call, { op: 'delete', ...commentIds(call) }),
    async bulk({ rawBody, deadline, log }) {
      const database = await services.database(deadline);
      const result = await applyLines({ database, log, deadline }, requireLines(rawBody));
      if (result.accepted > 0) await services.nudge(log);
      return { status: 200, body: result };
    },
    async putDocument(call) {
      const { writeDocument } = await import('./documents.ts');
      const context = await fileContext(call);
      return accepted(
        call,
        await writeDocument(context, call.params.path ?? '', received(call), call.query as DocumentQuery),
      );
    },
    async deleteDocument(call) {
      const { deleteDocument } = await import('./documents.ts');
      return accepted(call, await deleteDocument(await fileContext(call), call.params.path ?? ''));
    },
    async putDiagnostic(call) {
      const { writeDiagnostic } = await import('./diagnostics.ts');
      const context = await fileContext(call);
      return accepted(
        call,
        await writeDiagnostic(context, call.params.id ?? '', received(call), call.query as DiagnosticQuery),
      );
    },
    async deleteDiagnostic(call) {
      const { deleteDiagnostic } = await import('./diagnostics.ts');
      return accepted(call, await deleteDiagnostic(await fileContext(call), call.params.id ?? ''));
    },
    async putResolution(call) {
      const { writeResolution } = await import('./diagnostics.ts');
      return accepted(
        call,
        await writeResolution(await fileContext(call), call.params.id ?? '', call.body as ResolutionInput),
      );
    },
    async deleteResolution(call) {
      const { deleteResolution } = await import('./diagnostics.ts');
      return accepted(call, await deleteResolution(await fileContext(call), call.params.id ?? ''));
    },
    async reindex(call) {
      const { reindex } = await import('./reindex.ts');
      const report = await reindex(await fileContext(call), call.body as ReindexRequest);
      if (report.done > 0) await services.nudge(call.log);
      return { status: 200, body: report };
    },
    async reconcile(call) {
      const { reconcile } = await import('./reconcile.ts');
      const report = await reconcile(await fileContext(call));
      if (report.written + report.removed > 0) await services.nudge(call.log);
      return { status: 200, body: report };
    },
    async requeue({ deadline, log }) {
      const database = await services.database(deadline);
      const { RAG_WORKER_MAX_ATTEMPTS } = services.config;
      const requeued = await database.transaction('system', (tx) => requeueParked(tx, RAG_WORKER_MAX_ATTEMPTS));
      if (requeued > 0) await services.nudge(log);
      return { status: 202, body: { requeued } };
    },
  },
  services,
);

serve((request) => (request.method === null ? hear(request) : handleCall(request)), services.log('-'));

/** What is not sent over HTTP are the events of the bucket. */
async function hear({ callId, deadline, body }: FunctionRequest): Promise<FunctionResponse> {
  const log = services.log(callId);
  const { bucketOf, hearEvents } = await import('./events.ts');
  try {
    const report = await hearEvents(await fileContext({ deadline, log }), bucketOf(services.config.RAG_STORAGE), body);
    if (report.written + report.removed > 0) await services.nudge(log);
    return { status: 200, body: report };
  } catch (error) {
    log.error('event_failed', error);
    throw error;
  }
}

async function fileContext({ deadline, log }: Pick<Call, 'deadline' | 'log'>): Promise<BucketContext> {
  const [database, objects] = await Promise.all([services.database(deadline), services.objectStore()]);
  const { RAG_STORAGE_MAX_BYTES: maxBytes, RAG_STORAGE_AUDIENCE: audience } = services.config;
  const { readInThread } = await import('./extraction/worker-reader.ts');
  return { database, objects, log, deadline, maxBytes, audience, readDocument: readInThread };
}

const received = ({ rawBody, contentType }: Call) => ({ bytes: rawBody, contentType });

async function accept(call: Call, change: Change): Promise<FunctionResponse> {
  return accepted(call, await applyChange(await services.database(call.deadline), change));
}

async function accepted(call: Call, body: Accepted): Promise<FunctionResponse> {
  await services.nudge(call.log);
  return { status: 202, headers: { Location: body.links.state }, body };
}

function typeOf({ route }: Call) {
  if (route.collection === undefined) throw new Error('the route names no collection');
  return RECORDS[route.collection].type;
}

const commentIds = ({ params }: Call) => ({
  type: 'comment' as const,
  taskId: requireId('id', params.id ?? ''),
  id: requireId('commentId', params.commentId ?? ''),
});
