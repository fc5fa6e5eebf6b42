import { serve } from '../adapters/fdk/serve.ts';
import { type Call, createHttpFunction, type FunctionResponse } from '../http.ts';
import { RECORDS } from '../routes.ts';
import { createServices } from '../services.ts';
import { requeueParked } from '../store/queue.ts';
import { applyLines, requireLines } from './bulk.ts';
import { applyChange, type Change, requireId } from './ingest.ts';

const services = createServices(process.env);

serve(
  createHttpFunction(
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
      async requeue({ deadline, log }) {
        const database = await services.database(deadline);
        const { RAG_WORKER_MAX_ATTEMPTS } = services.config;
        const requeued = await database.transaction('system', (tx) => requeueParked(tx, RAG_WORKER_MAX_ATTEMPTS));
        if (requeued > 0) await services.nudge(log);
        return { status: 202, body: { requeued } };
      },
    },
    services,
  ),
  services.log('-'),
);

async function accept(call: Call, change: Change): Promise<FunctionResponse> {
  const accepted = await applyChange(await services.database(call.deadline), change);
  await services.nudge(call.log);
  return { status: 202, headers: { Location: accepted.links.state }, body: accepted };
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
