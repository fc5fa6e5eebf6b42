import { randomBytes } from 'node:crypto';
import { isReasoningModel, THOUGHT_TOKENS } from '../../core/openai-models.ts';
import type { EmbeddingModel } from '../../ports/embedder.ts';
import { vectorColumnOf } from './dialect.ts';
import type { Connection, Driver } from './driver.ts';
import { withLock } from './lock.ts';
import { catalogName } from './names.ts';

/** What the package RAG, which answers those who live in SQL, goes by. */
export interface SqlSettings {
  embeddingModel: EmbeddingModel;
  /** Cosine distance, 0 to 2. */
  cutoff: number;
  topK: number;
  /** A model of OCI Generative AI; null for none. */
  answer: { model: string; region: string; maxTokens: number } | null;
  /** Whether questions and answers are kept in the log. */
  keepsText: boolean;
  /** Calls of the language model a day; 0 for no limit. */
  callsPerDay: number;
  callsPerPerson: number;
}

interface SqlSettingsOptions {
  driver: Driver;
  /** Logs in as the owner. */
  connect(): Promise<Connection>;
}

/** How long the database waits for an answer, in seconds. */
const ANSWER_SECONDS = 30;

const DELETE = 'DELETE FROM rag_setting WHERE setting_id = 1';
const INSERT = `INSERT INTO rag_setting (setting_id, embedding_model, model_object, vector_column, cutoff, top_k,
    answer_model, answer_params, keeps_text, calls_per_day, calls_per_person, fence_key)
  VALUES (1, :embedding_model, :model_object, :vector_column, :cutoff, :top_k,
    :answer_model, :answer_params, :keeps_text, :calls_per_day, :calls_per_person, :fence_key)`;

/** Writes the settings as the owner, under the lock of bootstrap; the key of the prompts' fences is new each time. */
export async function writeSqlSettings(options: SqlSettingsOptions, settings: SqlSettings): Promise<void> {
  const { embeddingModel, answer } = settings;
  const binds = {
    embedding_model: embeddingModel.model,
    model_object: embeddingModel.inDatabase ? catalogName(embeddingModel.model) : null,
    vector_column: vectorColumnOf(embeddingModel.dimension),
    cutoff: settings.cutoff,
    top_k: settings.topK,
    answer_model: answer?.model ?? null,
    answer_params: answer === null ? null : JSON.stringify(answerParams(answer)),
    keeps_text: settings.keepsText ? 1 : 0,
    calls_per_day: settings.callsPerDay,
    calls_per_person: settings.callsPerPerson,
    fence_key: randomBytes(32).toString('hex'),
  };
  await withLock(options, async (session) => {
    await session.run([
      { kind: 'change', sql: DELETE, binds: {} },
      { kind: 'change', sql: INSERT, binds },
      { kind: 'commit' },
    ]);
  });
}

/**
 * The parameters of UTL_TO_GENERATE_TEXT: Generative AI by the database's own principal. It makes a request of the model's
 * shape by itself, into which goes what is in chatRequest; models that think have names and refusals of their own.
 */
function answerParams({ model, region, maxTokens }: NonNullable<SqlSettings['answer']>): object {
  return {
    provider: 'ocigenai',
    credential_name: 'OCI$RESOURCE_PRINCIPAL',
    url: `https://inference.generativeai.${region}.oci.oraclecloud.com/20231130/actions/chat`,
    model,
    transfer_timeout: ANSWER_SECONDS,
    chatRequest: {
      ...(model.startsWith('openai.') ? { maxCompletionTokens: maxTokens + THOUGHT_TOKENS } : { maxTokens }),
      ...(!isReasoningModel(model) && { temperature: 0 }),
    },
  };
}
