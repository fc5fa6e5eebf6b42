import { serve } from '../adapters/fdk/serve.ts';
import type { Caller } from '../core/scope.ts';
import { type Call, createHttpFunction } from '../http.ts';
import type { VectorIndexState } from '../ports/vector-index.ts';
import { RECORDS } from '../routes.ts';
import { createServices } from '../services.ts';
import { type AskContext, ask, search } from './ask.ts';
import type { Question } from './question.ts';

const services = createServices(process.env);

serve(
  createHttpFunction(
    'ask',
    {
      async ask(call) {
        const { question } = call.body as Question;
        return { status: 200, body: await ask(await askContext(call), await services.chatModel(), question) };
      },
      async search(call) {
        const { question } = call.body as Question;
        return { status: 200, body: await search(await askContext(call), question) };
      },
      async getRecord(call) {
        const { readRecord } = await import('./read.ts');
        const collection = call.route.collection;
        if (collection === undefined) throw new Error('the route names no collection');
        const { type } = RECORDS[collection];
        const body = await readRecord(
          await services.database(call.deadline),
          callerOf(call),
          type,
          call.params.id ?? '',
        );
        return { status: 200, body };
      },
      async getSource(call) {
        const { readSourceState } = await import('./read.ts');
        const { caller, mayWrite, params } = call;
        const maxAttempts = services.config.RAG_WORKER_MAX_ATTEMPTS;
        const access = { caller, mayWrite, maxAttempts };
        const body = await readSourceState(
          await services.database(call.deadline),
          access,
          params.type ?? '',
          params.id ?? '',
        );
        return { status: 200, body };
      },
      async getStatus(call) {
        const { readStatus } = await import('./read.ts');
        const body = await readStatus({
          database: await services.database(call.deadline),
          caller: callerOf(call),
          maxAttempts: services.config.RAG_WORKER_MAX_ATTEMPTS,
          embeddingModel: (await services.embedder()).model,
          nextModel: services.config.RAG_EMBEDDING_NEXT_MODEL || null,
          answerModel: (await services.chatModel()).model,
          vectorIndex: await readIndexState(),
        });
        return { status: 200, body };
      },
      async getOpenApi() {
        const { openApiDocument } = await import('../openapi.ts');
        return { status: 200, body: await openApiDocument() };
      },
    },
    services,
  ),
  services.log('-'),
);

// While the platform brings the first call: what every call needs is loaded, and the database is connected to.
services.warmUp();

const INDEX_STATE_HOLDS_MS = 10 * 60_000;
let hasVectorIndex = false;
let indexStateReadAt = Number.NEGATIVE_INFINITY;
mayApproximate();

/**
 * Whether there is a vector index that may be used, as far as is known: nothing waits for it to be read, now and then,
 * and until it is known every search is exact.
 */
function mayApproximate(): boolean {
  if (performance.now() - indexStateReadAt > INDEX_STATE_HOLDS_MS) {
    indexStateReadAt = performance.now();
    readIndexState().then(
      (state) => {
        hasVectorIndex = state?.status === 'ready';
      },
      () => {
        hasVectorIndex = false;
      },
    );
  }
  return hasVectorIndex;
}

async function readIndexState(): Promise<VectorIndexState | null> {
  const index = await services.vectorIndex();
  return index === null ? null : index.state(await services.embedder());
}

async function askContext(call: Call): Promise<AskContext> {
  const { config } = services;
  const [database, embedder] = await Promise.all([services.database(call.deadline), services.embedder()]);
  return {
    callId: call.callId,
    startedAt: call.startedAt,
    caller: callerOf(call),
    database,
    embedder,
    log: call.log,
    topK: (call.body as Question).topK ?? config.RAG_RETRIEVAL_TOP_K,
    approximate: mayApproximate(),
    cutoff: config.RAG_RETRIEVAL_CUTOFF,
  };
}

function callerOf(call: Call): Caller {
  if (call.caller === null) throw new Error('the route lets callers in who are no employees');
  return call.caller;
}
