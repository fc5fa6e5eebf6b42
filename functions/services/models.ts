import type { EmbedderOptions } from '../adapters/local/http-embedder.ts';
import type { ModelState } from '../adapters/oci/model-catalog.ts';
import type { Config } from '../config.ts';
import { SetupFailed } from '../core/errors.ts';
import type { ChatModel } from '../ports/chat-model.ts';
import type { Embedder } from '../ports/embedder.ts';
import { once } from './once.ts';
import { IN_OCI, secret } from './setting.ts';

export async function openEmbedder(options: EmbedderOptions): Promise<Embedder> {
  if (options.url === 'database') {
    const { DatabaseEmbedder } = await import('../adapters/oracle/embedder.ts');
    return new DatabaseEmbedder(options);
  }
  if (options.url.startsWith(IN_OCI)) {
    const { GenerativeAiEmbedder } = await import('../adapters/oci/embedder.ts');
    const [, region = '', compartmentId = ''] = options.url.split(':');
    return new GenerativeAiEmbedder({ ...options, ...(await generativeAi(region, compartmentId)) });
  }
  if (options.url.startsWith('folder:')) {
    const { FolderEmbedder } = await import('../adapters/local/folder-embedder.ts');
    return FolderEmbedder.open(options);
  }
  const { HttpEmbedder } = await import('../adapters/local/http-embedder.ts');
  return new HttpEmbedder(options);
}

/** The model that answers, by its name; null where none does. */
export function chatModelOf(config: Config): { model: string; open(): Promise<ChatModel> } | null {
  const [, provider, model = ''] = /^(oci|openai):(.+)$/.exec(config.RAG_ANSWER_MODEL) ?? [];
  return provider === undefined ? null : { model, open: once(() => openChatModel(config, provider, model)) };
}

async function openChatModel(config: Config, provider: string, model: string): Promise<ChatModel> {
  if (provider === 'oci') {
    const { GenerativeAiChatModel } = await import('../adapters/oci/chat-model.ts');
    return new GenerativeAiChatModel({
      model,
      ...(await generativeAi(config.RAG_ANSWER_REGION, config.RAG_ANSWER_COMPARTMENT)),
    });
  }
  const { OpenAiChatModel } = await import('../adapters/openai/chat-model.ts');
  return new OpenAiChatModel({
    model,
    url: config.RAG_ANSWER_URL,
    apiKey: secret(config.RAG_ANSWER_API_KEY),
    compartmentId: config.RAG_ANSWER_COMPARTMENT,
  });
}

export async function requireAnswerModel(config: Config): Promise<ModelState> {
  const { modelCatalog, requireModel } = await import('../adapters/oci/model-catalog.ts');
  const region = config.RAG_ANSWER_REGION;
  return requireModel(modelCatalog({ region }), {
    region,
    compartmentId: config.RAG_ANSWER_COMPARTMENT,
    model: config.RAG_ANSWER_MODEL.slice(IN_OCI.length),
    capability: 'CHAT',
    settings: { model: 'RAG_ANSWER_MODEL', region: 'RAG_ANSWER_REGION', compartment: 'RAG_ANSWER_COMPARTMENT' },
  });
}

/** Generative AI of a region, asked as the function. */
async function generativeAi(region: string, compartmentId: string) {
  const { functionPrincipal } = await import('../adapters/oci/client.ts');
  try {
    return { region, compartmentId, principal: functionPrincipal() };
  } catch (cause) {
    throw new SetupFailed(
      'A model of OCI Generative AI (oci:… in RAG_ANSWER_MODEL or RAG_EMBEDDING_URL) is asked as the function itself, by its resource principal, which is there in OCI Functions alone',
      { cause },
    );
  }
}
