import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { SetupFailed, Unavailable } from '../../core/errors.ts';
import type { Embedder } from '../../ports/embedder.ts';
import type { EmbedderOptions } from './http-embedder.ts';

const PACKAGE = '@huggingface/transformers';
const REMEDY = 'npm run model:local brings what is needed';
const RETRY_AFTER_SECONDS = 10;
/** A batch is as long as its longest text, and takes memory accordingly. */
const MAX_BATCH = 16;

/** What a model's folder holds, as transformers.js reads it. */
export const MODEL_FILES = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model.onnx'] as const;

/** What is used of the package, which is not installed with the product and so cannot be imported by name. */
interface Transformers {
  env: { allowRemoteModels: boolean };
  pipeline(task: 'feature-extraction', folder: string, options: object): Promise<Extractor>;
}

interface Extractor {
  (texts: string[], options: object): Promise<{ dims: number[]; data: Float32Array }>;
  /** `model_max_length`: the tokens after which a text is cut. */
  tokenizer: { readonly model_max_length: number };
}

interface ModelConfig {
  hidden_size?: number;
  max_position_embeddings?: number;
}

/** A sentence-transformers model in ONNX form, `folder:` and its folder; texts are the mean of their tokens, normalised. */
export class FolderEmbedder implements Embedder {
  readonly model: string;
  readonly dimension: number;
  readonly window: number;
  readonly inDatabase = false;
  readonly #folder: string;
  readonly #require: NodeJS.Require;
  readonly #config: ModelConfig;
  #extractor: Promise<Extractor> | undefined;

  private constructor(options: EmbedderOptions, folder: string, require: NodeJS.Require, config: ModelConfig) {
    this.model = options.model;
    this.dimension = options.dimension;
    this.window = options.window;
    this.#folder = folder;
    this.#require = require;
    this.#config = config;
  }

  /**
   * Looks whether all that is needed is there, and the model of the right kind; the model itself is loaded for the first
   * texts, since not every process that knows of it embeds. Throws SetupFailed.
   */
  static async open(options: EmbedderOptions): Promise<FolderEmbedder> {
    const folder = resolve(options.url.slice('folder:'.length));
    const whose = `the folder of the embedding model ${options.model}`;
    const missing = MODEL_FILES.filter((name) => !existsSync(join(folder, name)));
    if (missing.length > 0) {
      throw new SetupFailed(`There is no ${missing.join(', no ')} in ${whose}; ${REMEDY}`, {
        cause: new Error(folder),
      });
    }
    const config = await readConfig(folder).catch((cause) => {
      throw new SetupFailed(`config.json cannot be read in ${whose}`, { cause });
    });
    if (config.hidden_size !== undefined && config.hidden_size !== options.dimension) {
      throw new SetupFailed(
        `The embedding model ${options.model} is set to vectors of ${options.dimension} numbers, but that in its folder ` +
          `makes vectors of ${config.hidden_size}`,
      );
    }
    return new FolderEmbedder(options, folder, findPackage(folder), config);
  }

  async encode(texts: string[]): Promise<Float32Array[]> {
    const extractor = await this.#load();
    const vectors: Float32Array[] = [];
    for (let from = 0; from < texts.length; from += MAX_BATCH) {
      vectors.push(...(await this.#encodeBatch(extractor, texts.slice(from, from + MAX_BATCH))));
    }
    return vectors;
  }

  async #encodeBatch(extractor: Extractor, texts: string[]): Promise<Float32Array[]> {
    const { dims, data } = await extractor(texts, { pooling: 'mean', normalize: true });
    if (dims[0] !== texts.length || dims[1] !== this.dimension || dims.length !== 2) {
      throw new Error(
        `the model answered ${texts.length} texts with ${dims.join(' × ')} numbers, not ${this.dimension} for each`,
      );
    }
    const vectors = texts.map((_, i) => data.slice(i * this.dimension, (i + 1) * this.dimension));
    if (!data.every(Number.isFinite)) throw new Error('the embedding model made a vector of what are no numbers');
    return vectors;
  }

  /** Throws Unavailable where the model cannot be loaded: no text is to blame, and the next one tries again. */
  async #load(): Promise<Extractor> {
    this.#extractor ??= this.#open();
    try {
      return await this.#extractor;
    } catch (cause) {
      this.#extractor = undefined;
      throw new Unavailable('The embedding model cannot be loaded', { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
  }

  async #open(): Promise<Extractor> {
    const { env, pipeline } = this.#require(PACKAGE) as Transformers;
    env.allowRemoteModels = false;
    const extractor = await pipeline('feature-extraction', this.#folder, { dtype: 'fp32', local_files_only: true });
    // A tokenizer may be published with less than the model reads: the rest of a passage would be found by nobody.
    const { max_position_embeddings: value } = this.#config;
    if (value !== undefined) Object.defineProperty(extractor.tokenizer, 'model_max_length', { value });
    return extractor;
  }
}

async function readConfig(folder: string): Promise<ModelConfig> {
  return JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')) as ModelConfig;
}

/** What finds the package: beside the model or above it, or where npm run model:local or the product has it. */
function findPackage(folder: string): NodeJS.Require {
  const places = [folder, resolve('.models')].map((place) => createRequire(join(place, 'package.json')));
  const found = places.find((require) => {
    try {
      return require.resolve(PACKAGE);
    } catch {
      return false;
    }
  });
  if (found !== undefined) return found;
  throw new SetupFailed(`The package ${PACKAGE}, which runs the embedding model, is not installed; ${REMEDY}`);
}
