import * as z from 'zod';
import { id } from './core/fields.ts';
import { SOURCE_TYPES } from './core/kinds/kind.ts';

const citation = z.object({
  n: z.int().describe('The number by which the answer cites it'),
  sourceType: z.enum(SOURCE_TYPES),
  sourceId: z.string(),
  title: z.string(),
  heading: z.string().nullable().describe('Where in its file it stands; null where that has no headings'),
  excerpt: z.string(),
  distance: z.number().describe('Cosine distance to the question: 0 is the same, above the cutoff is far'),
  metadata: z
    .record(z.string(), z.union([z.string(), z.number(), z.array(z.string()), z.null()]))
    .nullable()
    .describe('What is known of the source, and of this part of it, besides the text: figures, versions, error codes'),
  validatedFor: z
    .object({ erpVersion: z.string(), erpModule: z.string().nullable(), environmentId: z.string().nullable() })
    .nullable()
    .describe('Of a resolution: where the fix was seen to work; null for any other source'),
});

const droppedSources = z.int().describe('How many of the sources, from the last on, did not fit before the model');
const standaloneQuestion = z
  .string()
  .nullable()
  .describe('What a follow-up was searched for as; null where the question stood by itself');
const language = z.string().describe('Of the question, as ISO 639-1 code');
const timings = z.record(z.string(), z.number()).describe('Milliseconds by stage');

export const answer = z.object({
  outcome: z.enum(['answered', 'not_found', 'off_topic']),
  reason: z
    .enum(['language_mismatch', 'no_citation', 'no_support', 'cut_off', 'withheld'])
    .nullable()
    .describe(
      'language_mismatch: nothing was found, and the embedding model does not know the language of the question. no_citation, no_support: what the model wrote rests on no source, or says what its sources do not. cut_off: it came to its limit. withheld: its provider kept the answer back',
    ),
  answer: z
    .string()
    .describe(
      'With [n] behind what source n says, and what a fix was validated for; or a fixed sentence, in the language of the question',
    ),
  citations: z.array(citation),
  support: z
    .array(
      z.object({
        sentence: z.string(),
        citations: z.array(z.int()).describe('What it rests on; none: nothing'),
        verdict: z.enum(['supported', 'unsupported', 'unsure']),
        missing: z.array(z.string()).describe('Figures, dates, ids and codes that its sources do not have'),
      }),
    )
    .nullable()
    .describe('Whether what each sentence cites bears it out; null where there was no answer to judge'),
  removedCitations: z.array(z.string()).describe('Citations of the model that pointed nowhere, as it wrote them'),
  droppedSources,
  standaloneQuestion,
  rewrittenBy: z.enum(['model', 'rule']).nullable().describe('What made the standalone question'),
  language,
  model: z.string().nullable().describe('The answering model; null where none was asked'),
  timings,
  callId: z.string(),
});
export type Answer = z.output<typeof answer>;

export const searchAnswer = z.object({
  outcome: z.enum(['found', 'off_topic']),
  citations: z.array(citation),
  prompt: z
    .object({
      instructions: z.string(),
      turns: z.array(z.object({ role: z.enum(['user', 'assistant']), text: z.string() })),
      text: z.string().describe('All of it as one text'),
    })
    .nullable()
    .describe('The sources, numbered and fenced, with instructions, for a model of your own; null unless asked for'),
  droppedSources,
  standaloneQuestion,
  language,
  timings,
  callId: z.string(),
});
export type SearchAnswer = z.output<typeof searchAnswer>;

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
      'As its record is now, which is what is indexed once the state is `ready`; null where you may see its state only, and where it is too long for one answer',
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
    .describe(
      'The model that is to take the place of embeddingModel; null where no swap is under way, or you may not see everything',
    ),
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
    .describe(
      'The approximate index; null where the database has none, and every search is exact, or you may not see everything',
    ),
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

export const askedQuestion = z.object({
  callId: z.string(),
  askedAt: z.string(),
  employeeId: z.int().describe('Who asked'),
  question: z.string().nullable().describe('Null where texts are kept out of the log'),
  standaloneQuestion: z.string().nullable().describe('What was searched for, where that is not the question as asked'),
  language: z.string().nullable(),
  outcome: z.enum(['answered', 'not_found', 'off_topic', 'failed']),
  reason: z.string().nullable().describe('Why, where the outcome alone does not say'),
  errorCode: z.string().nullable().describe('The code of the problem, where it failed'),
  answer: z
    .string()
    .nullable()
    .describe('Null where there was none, texts are kept out of the log, or you may no longer see each of its sources'),
  cutoff: z.number().nullable().describe('The distance beyond which nothing counted as near'),
  sources: z.array(
    z.object({
      n: z.int(),
      sourceType: z.enum(SOURCE_TYPES),
      sourceId: z.string(),
      title: z.string().nullable().describe('As it is now; null where the source has gone or you may not see it'),
      distance: z.number().nullable(),
      textScore: z
        .number()
        .nullable()
        .describe('How well its words fit, as a share of the best; null for who may not see everything'),
      fused: z.number().nullable().describe('What the order rests on; null for who may not see everything'),
      exact: z
        .boolean()
        .describe(
          'Whether an id or a code in the question names it, or it is among the first in the order that is asked for',
        ),
      cited: z.boolean(),
    }),
  ),
  dropped: z.int().nullable().describe('Sources that did not fit before the model'),
  removedCitations: z.array(z.string()).describe('Citations of the model that named no source'),
  support: z.array(z.object({ sentence: z.string().nullable(), verdict: z.string() })).nullable(),
  model: z.string().nullable(),
  tokens: z.object({ prompt: z.int(), completion: z.int() }).nullable(),
  timings: z.record(z.string(), z.number()).describe('Milliseconds by stage'),
  cold: z.boolean().nullable().describe('Whether it was the first call of its process'),
});
export type AskedQuestion = z.output<typeof askedQuestion>;

const MAX_GAP_DAYS = 3650;
const GAP_DAYS = { error: `must be a whole number from 1 to ${MAX_GAP_DAYS}` };

export const gapsQuery = z.strictObject({
  days: z.coerce
    .number(GAP_DAYS)
    .int(GAP_DAYS)
    .min(1, GAP_DAYS)
    .max(MAX_GAP_DAYS, GAP_DAYS)
    .default(30)
    .describe('How far to look back'),
});
export type GapsQuery = z.output<typeof gapsQuery>;

export const gaps = z.object({
  gaps: z.array(
    z.object({
      question: z.string().describe('The newest wording'),
      count: z.int(),
      people: z.int().describe('How many different people have asked'),
      outcomes: z.object({ not_found: z.int(), off_topic: z.int() }),
      lastAskedAt: z.string(),
      examples: z.array(z.string()).describe('Other wordings, the newest first; at most five'),
    }),
  ),
  withoutText: z.int().describe('Questions whose texts are kept out of the log, and which are in no group'),
  complete: z.boolean().describe('False where there are more questions than were looked at, which are the newest'),
});
export type Gaps = z.output<typeof gaps>;

/** The OpenAPI document, of which this says no more than that it is an object. */
export const openApi = z.looseObject({});
