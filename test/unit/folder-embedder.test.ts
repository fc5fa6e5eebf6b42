import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FolderEmbedder } from '../../functions/adapters/local/folder-embedder.ts';
import { SetupFailed, Unavailable } from '../../functions/core/errors.ts';
import { createServices } from '../../functions/services.ts';
import { MAX_TOKENS, modelFiles, writeModelFolder } from '../support/tiny-onnx.ts';

/** Where npm run model:local has installed the package. */
const RUNTIME = resolve(process.env.TEST_MODEL_RUNTIME ?? '.models', 'node_modules');
const isInstalled = existsSync(join(RUNTIME, '@huggingface', 'transformers'));

const DIMENSION = 4;
// What fills a batch up would outweigh everything, were it counted.
const words: Record<string, number[]> = {
  '[PAD]': [90, -90, 90, -90],
  '[UNK]': [0, 0, 0, 1],
  red: [1, 0, 0, 0],
  green: [0, 2, 0, 0],
  blue: [0.5, -1, 3, 0],
};

let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'oci-rag-folder-'));
  // Away from where the package may be.
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  await writeModelFolder(folder, { words });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const install = () => symlinkSync(RUNTIME, join(folder, 'node_modules'));
const open = (more = {}) =>
  FolderEmbedder.open({ url: `folder:${folder}`, model: 'TINY', dimension: DIMENSION, window: 600, ...more });

/** What the model is to make of a text: the mean of its words' vectors, of length 1. */
function expected(text: string): number[] {
  const rows = text
    .split(' ')
    .slice(0, MAX_TOKENS)
    .map((word) => words[word] ?? words['[UNK]'] ?? []);
  const sum = Array.from({ length: DIMENSION }, (_, i) => rows.reduce((total, row) => total + (row[i] ?? 0), 0));
  return sum.map((x) => x / Math.hypot(...sum));
}

describe.skipIf(!isInstalled)('a model in a folder (with the package that npm run model:local installs)', () => {
  beforeEach(install);

  test('makes the normalised mean of each text, in order, whatever other texts are with it, and without a network', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    const embedder = await open();
    const text = fc
      .array(fc.constantFrom('red', 'green', 'blue', 'violet'), { minLength: 1, maxLength: MAX_TOKENS + 4 })
      .map((some) => some.join(' '));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 40 }), async (texts) => {
        const vectors = await embedder.encode(texts);
        expect(vectors).toHaveLength(texts.length);
        for (const [i, one] of texts.entries()) {
          const [vector, wanted] = [vectors[i] ?? [], expected(one)];
          expect(vector).toHaveLength(DIMENSION);
          for (const [at, x] of vector.entries()) expect(x).toBeCloseTo(wanted[at] ?? Number.NaN, 5);
        }
      }),
      { numRuns: 50 },
    );
    expect(fetched).not.toHaveBeenCalled();
  });

  test('that cannot be loaded is away, which no text is blamed for, until it can be', async () => {
    const embedder = await open();
    writeFileSync(join(folder, 'onnx', 'model.onnx'), 'cut off');
    await expect(embedder.encode(['red'])).rejects.toThrow(Unavailable);

    await writeModelFolder(folder, { words });
    expect(await embedder.encode(['red'])).toEqual([Float32Array.of(1, 0, 0, 0)]);
  });

  test('whose vectors have another length than its configuration admits is refused', async () => {
    writeFileSync(join(folder, 'config.json'), '{"model_type":"bert","architectures":["BertModel"]}');
    const embedder = await open({ dimension: 384 });
    await expect(embedder.encode(['red', 'blue'])).rejects.toThrow('2 texts with 2 × 4 numbers, not 384 for each');
  });
});

describe('what is missing or wrong is told before anything is loaded', () => {
  test.each(Object.keys(modelFiles({ words })))('%s', async (name) => {
    rmSync(join(folder, name));
    const opening = open();
    await expect(opening).rejects.toThrow(SetupFailed);
    await expect(opening).rejects.toThrow(
      `There is no ${name} in the folder of the embedding model TINY; npm run model:local brings what is needed`,
    );
  });

  test.each<[string, () => unknown, object, RegExp]>([
    ['the package', () => {}, {}, /@huggingface\/transformers, which runs.* is not installed; npm run model:local/],
    ['the dimension', () => {}, { dimension: 384 }, /TINY is set to vectors of 384 numbers, but .* makes vectors of 4/],
    ['config.json', () => writeFileSync(join(folder, 'config.json'), '<html>'), {}, /config\.json cannot be read/],
  ])('%s', async (_, spoil, more, message) => {
    spoil();
    const opening = open(more);
    await expect(opening).rejects.toThrow(SetupFailed);
    await expect(opening).rejects.toThrow(message);
  });

  test('by the setting folder:/path, whose path no caller is told', async () => {
    const { embedder } = createServices({
      RAG_DATABASE: 'postgresql://localhost/none',
      RAG_STORAGE: 'folder:/none',
      RAG_EMBEDDING_MODEL: 'TINY',
      RAG_EMBEDDING_URL: `folder:${join(folder, 'elsewhere')}`,
      RAG_AUTH_ISSUER: 'issuer',
      RAG_AUTH_AUDIENCE: 'audience',
      RAG_AUTH_JWKS: '{"keys":[{}]}',
      RAG_MIGRATIONS: 'migrations',
    });
    const error = await embedder().catch((refused: Error) => refused);
    expect(error).toBeInstanceOf(SetupFailed);
    expect((error as Error).message).not.toContain(folder);
  });
});
