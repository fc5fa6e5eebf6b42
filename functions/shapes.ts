import * as z from 'zod';
import { id } from './core/fields.ts';
import { SOURCE_TYPES } from './core/kinds/kind.ts';

const citation = z.object({
  n: z.int().describe('The number by which the answer cites it'),
  sourceType: z.enum(SOURCE_TYPES),
  sourceId: z.string(),
  title: z.string(),
  excerpt: z.string(),
  distance: z.number().describe('Cosine distance to the question: 0 is the same, above the cutoff is far'),
});

export const answer = z.object({
  outcome: z.enum(['answered', 'not_found', 'off_topic', 'found']).describe('`found` only from search'),
  answer: z.string().nullable().describe('With [n] behind what source n says; null from search'),
  citations: z.array(citation),
  model: z.string().nullable().describe('The answering model; null where none was asked'),
  timings: z.record(z.string(), z.number()).describe('Milliseconds by stage'),
  callId: z.string(),
});
export type Answer = z.output<typeof answer>;

export const sourceState = z.object({
  sourceType: z.enum(SOURCE_TYPES),
  sourceId: z.string(),
  state: z
    .enum(['queued', 'ready', 'empty', 'failed', 'deleted'])
    .describe('`queued` while a change waits, `failed` once it is parked'),
  generation: z.int().describe('Rises with every indexed change; 0 before the first'),
  chunkCount: z.int(),
  waiting: z.int().describe('Changes that wait to be indexed'),
  indexedAt: z.string().nullable(),
  lastError: z.string().nullable(),
  text: z
    .string()
    .nullable()
    .describe(
      'As its record is now, which is what is indexed once the state is `ready`; null where you may see its state only',
    ),
});
export type SourceState = z.output<typeof sourceState>;

export const status = z.object({
  queue: z.object({
    waiting: z.int(),
    parked: z.int().describe('Given up after the last attempt; see POST /v1/queue/requeue'),
    oldestWaitingSeconds: z.int().nullable(),
  }),
  chunks: z.int().describe('The chunks that you may see and questions are answered from'),
  embeddingModel: z.string(),
  reembedding: z
    .object({
      model: z.string(),
      done: z.int().describe('Sources that have chunks of it'),
      missing: z.int().describe('Indexed sources that have none yet; the swap can be made when there are none'),
    })
    .nullable()
    .describe('The model that is to take the place of embeddingModel; null where no swap is under way'),
  answerModel: z.string(),
  database: z.string(),
  vectorIndex: z
    .object({
      status: z
        .enum(['absent', 'ready', 'unusable'])
        .describe('absent: too few vectors to need one, and every search is exact'),
      builtRows: z
        .int()
        .describe('The vectors that there were when it was built; at ten times as many it is built anew'),
      builtAt: z.string().nullable(),
    })
    .nullable()
    .describe('The approximate index; null where the database has none, and every search is exact'),
});
export type Status = z.output<typeof status>;

export const accepted = z.object({
  status: z.literal('accepted'),
  links: z.object({ state: z.string().describe('Where the state of the source, or the record, can be read') }),
});
export type Accepted = z.output<typeof accepted>;

export const requeued = z.object({ requeued: z.int() });
export const record = z.looseObject({ id: z.int() });

export const bulkLine = z.discriminatedUnion('type', [
  z.strictObject({
    op: z.enum(['put', 'delete']).default('put'),
    type: z.enum(['employee', 'project', 'sprint', 'task']),
    id,
    data: z.unknown().optional().describe('The fields, as for PUT; none for a delete'),
  }),
  z.strictObject({
    op: z.enum(['put', 'delete']).default('put'),
    type: z.literal('comment'),
    taskId: id,
    id,
    data: z.unknown().optional(),
  }),
]);
export type BulkLine = z.output<typeof bulkLine>;

export const bulkResult = z.object({
  accepted: z.int(),
  failed: z.int(),
  results: z.array(
    z.object({
      line: z.int(),
      status: z.int().describe('202, or the status that the line would have had on its own'),
      state: z.string().optional(),
      error: z
        .object({
          code: z.string(),
          detail: z.string(),
          errors: z.array(z.object({ field: z.string(), fault: z.string() })).optional(),
        })
        .optional(),
    }),
  ),
});
export type BulkResult = z.output<typeof bulkResult>;

/** The OpenAPI document, of which this says no more than that it is an object. */
export const openApi = z.looseObject({});
