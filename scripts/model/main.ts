// npm run model:fetch: brings Oracle's embedding model into .models.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { UserError } from '../user-error.ts';
import { runCommand } from './command.ts';
import { fetchModel } from './fetch.ts';
import { isSafe } from './http.ts';
import { MODEL_BYTES, MODEL_FILE } from './model-file.ts';
import { PAGE, ZIP_NAME } from './source.ts';

const USAGE = `usage: npm run model:fetch [-- --url URL] [--sha256 DIGEST] [--folder DIR]

Downloads ${ZIP_NAME} (122.5 MB), checks it, and unpacks ${MODEL_FILE} (133.3 MB). A
download that was cut off goes on where it stopped; a file that is there and right is not fetched again.

  --url URL        the zip (default: the link on Oracle's page, ${PAGE})
  --sha256 DIGEST  what the SHA-256 of ${MODEL_FILE} must be (default: that of the first download, which is kept
                   beside it; Oracle publishes none)
  --folder DIR     where it is put (default .models)
  --help           this text

Environment: MODEL_URL and MODEL_SHA256 stand for --url and --sha256.`;

const OPTIONS = {
  url: { type: 'string' },
  sha256: { type: 'string' },
  folder: { type: 'string', default: join(import.meta.dirname, '..', '..', '.models') },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

async function main(args: string[]): Promise<void> {
  const { url, sha256, folder, help } = readArgs(args);
  if (help) return void process.stdout.write(`${USAGE}\n`);
  await fetchModel({
    folder: resolve(folder),
    name: MODEL_FILE,
    bytes: MODEL_BYTES,
    url: readUrl(url ?? process.env.MODEL_URL ?? ''),
    page: PAGE,
    sha256: readDigest(sha256 ?? process.env.MODEL_SHA256 ?? ''),
  });
}

function readArgs(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new UserError(`${(error as Error).message.split('. ')[0]}; see --help`);
  }
}

function readUrl(text: string): string | null {
  if (text === '') return null;
  if (!URL.canParse(text) || !isSafe(text))
    throw new UserError('The zip must have an address that begins with https://');
  return text;
}

function readDigest(text: string): string | null {
  if (text === '') return null;
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new UserError('A SHA-256 has 64 hexadecimal digits');
  return text.toLowerCase();
}

await runCommand(main, 'The model could not be fetched');
