import { serve } from '../adapters/fdk/serve.ts';
import type { Caller } from '../core/scope.ts';
import type { DiagnosticsQuery, DiagnosticTreeQuery, DocumentsQuery, FileQuery } from '../file-shapes.ts';
import { type Call, createHttpFunction } from '../http.ts';
import type { VectorIndexState } from '../ports/vector-index.ts';
import { RECORDS } from '../route.ts';
import { createServices } from '../services.ts';
import type { GapsQuery } from '../shapes.ts';
import { type Answerer, EXTRACTIVE, ExtractiveAnswerer } from './answerer.ts';
import { type AskContext, type Asked, ask } from './ask.ts';
import type { FileAccess } from './files.ts';
import type { Question, SearchQuestion } from './question.ts';

const services = createServices(process.env);

serve(
  createHttpFunction(
    'ask',
    {
      async ask(call) {
        const context = await askContext(call);
        const body = await ask(context, await answererFor(call, context), askedIn(call)).finally(() =>
          services.flushMetrics(call.log),
        );
        return { status: 200, body };
      },
      async search(call) {
        const { search } = await import('./search.ts');
        const { format } = call.body as SearchQuestion;
        const promptTokens = format === 'prompt' ? services.config.RAG_ANSWER_PROMPT_TOKENS : null;
        return { status: 200, body: await search(await askContext(call), askedIn(call), promptTokens) };
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
      async getDocument(call) {
        const { answerDocument } = await import('./documents.ts');
        return answerDocument(await fileAccess(call), call.params.path ?? '', call.query as FileQuery);
      },
      async listDocuments(call) {
        const { answerDocumentList } = await import('./documents.ts');
        return { status: 200, body: await answerDocumentList(await fileAccess(call), call.query as DocumentsQuery) };
      },
      async getDiagnostic(call) {
        const { answerDiagnostic } = await import('./diagnostics.ts');
        const { model } = await services.embedder();
        return answerDiagnostic(await fileAccess(call), call.params.id ?? '', call.query as DiagnosticTreeQuery, model);
      },
      async listDiagnostics(call) {
        const { answerDiagnosticList } = await import('./diagnostics.ts');
        return {
          status: 200,
          body: await answerDiagnosticList(await fileAccess(call), call.query as DiagnosticsQuery),
        };
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
          answerModel: services.chatModel?.model ?? EXTRACTIVE,
          vectorIndex: await readIndexState(),
        });
        return { status: 200, body };
      },
      async getQuestion(call) {
        const { readAskedQuestion } = await import('./history.ts');
        const database = await services.database(call.deadline);
        return { status: 200, body: await readAskedQuestion(database, callerOf(call), call.params.callId ?? '') };
      },
      async listGaps(call) {
        const { readGaps } = await import('./history.ts');
        const { days } = call.query as GapsQuery;
        return { status: 200, body: await readGaps(await services.database(call.deadline), callerOf(call), days) };
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

let isCold = true;

async function askContext(call: Call): Promise<AskContext> {
  const { config } = services;
  const { topK = config.RAG_RETRIEVAL_TOP_K, filters = {}, sort = null } = call.body as Question;
  const cold = isCold;
  isCold = false;
  const [database, embedder] = await Promise.all([services.database(call.deadline), services.embedder()]);
  return {
    callId: call.callId,
    startedAt: call.startedAt,
    deadline: call.deadline,
    caller: callerOf(call),
    database,
    embedder,
    log: call.log,
    retrieval: {
      topK,
      filters,
      sort,
      vectorWeight: config.RAG_RETRIEVAL_VECTOR_WEIGHT,
      languages: config.RAG_EMBEDDING_LANGUAGES,
      maxPerSource: config.RAG_RETRIEVAL_MAX_PER_SOURCE,
      approximate: mayApproximate(),
    },
    cutoff: config.RAG_RETRIEVAL_CUTOFF,
    wordCoverage: config.RAG_RETRIEVAL_WORD_COVERAGE,
    languages: config.RAG_EMBEDDING_LANGUAGES,
    textKept: config.RAG_LOG_TEXT === 'true',
    cold,
  };
}

async function fileAccess({ caller, mayWrite, deadline }: Call): Promise<FileAccess> {
  return {
    database: await services.database(deadline),
    objects: services.objectStore,
    caller,
    mayWrite,
    maxAttempts: services.config.RAG_WORKER_MAX_ATTEMPTS,
  };
}

function askedIn(call: Call): Asked {
  const { question, history = [] } = call.body as Question;
  return { question, history };
}

async function answererFor(call: Call, { database, caller }: AskContext): Promise<Answerer> {
  const { config, metrics } = services;
  if (services.chatModel === null) return new ExtractiveAnswerer();
  const { model, open } = services.chatModel;
  const [{ ChatAnswerer }, { takeModelCallOrThrow }] = await Promise.all([
    import('./chat-answerer.ts'),
    import('./limits.ts'),
  ]);
  return new ChatAnswerer({
    model,
    open,
    promptTokens: config.RAG_ANSWER_PROMPT_TOKENS,
    maxTokens: config.RAG_ANSWER_MAX_TOKENS,
    takeCall: () =>
      takeModelCallOrThrow(database, caller, {
        perDay: config.RAG_LIMIT_MODEL_CALLS_PER_DAY,
        perPersonPerDay: config.RAG_LIMIT_MODEL_CALLS_PER_PERSON,
      }),
    metrics,
    log: call.log,
  });
}

function callerOf(call: Call): Caller {
  if (call.caller === null) throw new Error('the route lets callers in who are no employees');
  return call.caller;
}
