// npm run model:local: brings the cloud's embedding model, and what runs it, to this machine.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { FolderEmbedder } from '../../functions/adapters/local/folder-embedder.ts';
import { MINILM_FOLDER, MINILM_SETTINGS } from '../dev/local-model.ts';
import { say } from '../rag/printing.ts';
import { UserError } from '../user-error.ts';
import { runCommand } from './command.ts';
import { isSafe } from './http.ts';
import { ADDRESS, fetchModelFolder } from './local-fetch.ts';
import { installRuntime } from './local-package.ts';

const MODELS = resolve(MINILM_FOLDER, '..');
const USAGE = `usage: npm run model:local [-- --package-only] [--url URL] [--sha256 DIGEST] [--folder DIR]

Brings the cloud's embedding model, all-MiniLM-L12-v2, to this machine: installs @huggingface/transformers, which runs
it (330 MB on the disk), and downloads the model (134 MB), which is tried then. A download that was cut off goes on
where it stopped; what is there is not fetched again. Then: npm start -- --model minilm

  --package-only   install what runs the model, and download nothing
  --url URL        the folder that has the model's files (default ${ADDRESS})
  --sha256 DIGEST  what the SHA-256 of onnx/model.onnx must be (default: that of the first download, which is kept
                   beside it)
  --folder DIR     where both are put (default .models)
  --help           this text`;

const OPTIONS = {
  'package-only': { type: 'boolean', default: false },
  url: { type: 'string', default: ADDRESS },
  sha256: { type: 'string' },
  folder: { type: 'string', default: MODELS },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

async function main(args: string[]): Promise<void> {
  const values = readArgs(args);
  if (values.help) return void process.stdout.write(`${USAGE}\n`);
  const url = readUrl(values.url);
  const sha256 = readDigest(values.sha256);
  const models = resolve(values.folder);
  await installRuntime(models);
  if (values['package-only']) return;
  const folder = join(models, 'all-MiniLM-L12-v2');
  await fetchModelFolder({ folder, url, sha256, tryModel });
  const isElsewhere = folder !== MINILM_FOLDER;
  say(`Start with it: ${isElsewhere ? `RAG_EMBEDDING_URL=folder:${folder} ` : ''}npm start -- --model minilm`);
}

/** Embeds two texts of different lengths by the model in a folder. */
async function tryModel(folder: string): Promise<void> {
  const embedder = await FolderEmbedder.open({
    url: `folder:${folder}`,
    model: MINILM_SETTINGS.RAG_EMBEDDING_MODEL,
    dimension: Number(MINILM_SETTINGS.RAG_EMBEDDING_DIMENSION),
    window: Number(MINILM_SETTINGS.RAG_EMBEDDING_WINDOW),
  });
  await embedder.encode(['Does it work?', 'It makes a vector of this sentence, too.']);
}

function readArgs(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new UserError(`${(error as Error).message.split('. ')[0]}; see --help`);
  }
}

function readUrl(text: string): string {
  if (!URL.canParse(text) || !isSafe(text)) throw new UserError('--url must begin with https://');
  return text.endsWith('/') ? text : `${text}/`;
}

function readDigest(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new UserError('--sha256 must have 64 hexadecimal digits');
  return text.toLowerCase();
}

await runCommand(main, 'The model could not be brought');
