import * as z from 'zod';
import { FILE_AUDIENCES } from './core/scope.ts';
import { isStorable, NOT_STORABLE } from './core/text.ts';
import { accepted } from './shapes.ts';

const MAX_LISTED = 1000;
const LISTED = { error: `must be a whole number from 1 to ${MAX_LISTED}` };
const limit = z.coerce.number(LISTED).int(LISTED).min(1, LISTED).max(MAX_LISTED, LISTED).default(100);

const MAX_NAME = 512;
const name = z
  .string()
  .max(MAX_NAME, { error: (issue) => `is at most ${MAX_NAME} characters, got ${String(issue.input).length}` })
  .refine(isStorable, { error: NOT_STORABLE })
  // As paths are kept.
  .transform((text) => text.normalize('NFC'));
const after = name.default('').describe('Begins after this one: the `next` of the answer before');

const content = z
  .enum(['raw', 'text'])
  .optional()
  .describe('`raw`: the answer is the file as it came. `text`: the text that is indexed, as text/plain');

export const acceptedFile = accepted.extend({
  unchanged: z.boolean().describe('Whether all of it was stored like this already, so that nothing is indexed anew'),
});
export type AcceptedFile = z.output<typeof acceptedFile>;

export const fileQuery = z.strictObject({ content });
export type FileQuery = z.output<typeof fileQuery>;

export const documentsQuery = z.strictObject({
  prefix: name.default('').describe('What the paths begin with: `policies/`'),
  after,
  limit,
});
export type DocumentsQuery = z.output<typeof documentsQuery>;

export const diagnosticsQuery = z.strictObject({ after, limit });
export type DiagnosticsQuery = z.output<typeof diagnosticsQuery>;

const SECTION = { error: 'must be the number of a section' };
export const diagnosticTreeQuery = z.strictObject({
  content,
  after: z.coerce
    .number(SECTION)
    .int(SECTION)
    .min(0, SECTION)
    .default(0)
    .describe('Begins after this section: the `next` of the answer before'),
  limit,
});
export type DiagnosticTreeQuery = z.output<typeof diagnosticTreeQuery>;

/** How far a file is in the index. */
const progress = {
  state: z
    .enum(['queued', 'ready', 'empty', 'failed', 'deleted'])
    .describe('`queued` while a change waits, `empty` where there is no text in it, `failed` once it is parked'),
  chunkCount: z.int(),
  indexedAt: z.string().nullable(),
  reason: z.string().nullable().describe('Why there is nothing to index and what can be done; or why it failed'),
};

const listed = {
  title: z.string(),
  contentType: z.string(),
  bytes: z.int(),
  digest: z.string().describe('SHA-256 of the file, in hex'),
  audience: z.enum(FILE_AUDIENCES),
  projectId: z.int().nullable(),
  labels: z.array(z.string()),
  writtenAt: z.string(),
  ...progress,
};

const shown = {
  readers: z
    .array(z.int())
    .nullable()
    .describe('The employees who are listed as readers; null where you may neither write nor see everything'),
  links: z.object({ raw: z.string().describe('The file as it came, if you may see it') }),
};

const TEXT = 'null where you may see the state only, and where it is too long for one answer (see ?content=text)';

export const documentState = z.object({
  path: z.string(),
  ...listed,
  charset: z.string().nullable(),
  text: z.string().nullable().describe(`The text that is indexed; ${TEXT}`),
  ...shown,
});
export type DocumentState = z.output<typeof documentState>;

export const documentList = z.object({
  documents: z.array(z.object({ path: z.string(), ...listed })),
  next: z.string().nullable().describe('What the next call gives as `after`; null at the end'),
});
export type DocumentList = z.output<typeof documentList>;

const diagnosticFacts = {
  format: z.string().describe('What the output was recognised as'),
  environmentId: z.string(),
  erpModule: z.string(),
  erpVersion: z.string(),
  sourceScript: z.string(),
  resolutionType: z.string().nullable(),
  errorCodes: z.array(z.string()),
};

export const diagnosticTree = z.object({
  id: z.string(),
  ...listed,
  ...diagnosticFacts,
  errorCodes: z.array(z.string()).describe('Those of the sender, and those that are in the text'),
  charset: z.string(),
  charsetAssumed: z.boolean().describe('Whether nothing said which charset it is, and it was taken for this one'),
  resolution: z.object({ text: z.string(), writtenAt: z.string() }).nullable(),
  sections: z
    .array(
      z.object({
        section: z.int(),
        heading: z.string().nullable(),
        kind: z.string().nullable(),
        metadata: z.record(z.string(), z.unknown()),
        passages: z.array(
          z.object({
            chunkNo: z.int(),
            characters: z.int(),
            text: z.string().nullable().describe('null where the answer would be too long with it'),
          }),
        ),
      }),
    )
    .describe('As indexed; none where you may see the state only'),
  next: z.int().nullable().describe('What the next call gives as `after`; null at the end'),
  ...shown,
});
export type DiagnosticTree = z.output<typeof diagnosticTree>;

export const diagnosticList = z.object({
  diagnostics: z.array(z.object({ id: z.string(), ...listed, ...diagnosticFacts }).omit({ title: true })),
  next: z.string().nullable().describe('What the next call gives as `after`; null at the end'),
});
export type DiagnosticList = z.output<typeof diagnosticList>;

const MAX_REINDEXED = 100;
const REINDEXED = { error: `must be a whole number from 1 to ${MAX_REINDEXED}` };

export const reindexRequest = z.strictObject({
  type: z.enum(['document', 'diagnostic']),
  prefix: name.default('').describe('What the paths or ids begin with'),
  after,
  limit: z.int(REINDEXED).min(1, REINDEXED).max(MAX_REINDEXED, REINDEXED).default(20),
});
export type ReindexRequest = z.output<typeof reindexRequest>;

const failures = z.array(z.object({ id: z.string(), reason: z.string() }));

export const reindexReport = z.object({
  done: z.int(),
  failed: failures.describe('Those that could not be read again, and stay as they were'),
  next: z.string().nullable().describe('What the next call gives as `after`; null at the end'),
});
export type ReindexReport = z.output<typeof reindexReport>;

export const reconcileReport = z.object({
  checked: z.int().describe('Objects looked at'),
  written: z.int().describe('Documents written anew from objects'),
  removed: z.int().describe('Documents removed because their object has gone'),
  orphans: z.int().describe('Stored versions that were removed, since no document or diagnostic has them any more'),
  unknown: z.int().describe('Objects that are named like stored versions, and that nothing is known of: left alone'),
  failed: failures.describe('What could not be repaired'),
  complete: z.boolean().describe('False where the time ran out; the next call goes on'),
});
export type ReconcileReport = z.output<typeof reconcileReport>;
