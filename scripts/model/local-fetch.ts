import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MODEL_FILES } from '../../functions/adapters/local/folder-embedder.ts';
import { say } from '../rag/printing.ts';
import { UserError } from '../user-error.ts';
import { measureDigest, readPin, writePin } from './digest.ts';
import { download } from './download.ts';
import { explain } from './fetch.ts';
import { get, shown } from './http.ts';
import { claimScratch } from './scratch.ts';

/** The publisher's own export of the model that Oracle's file is made of, with 32-bit weights as there. */
export const ADDRESS = 'https://huggingface.co/sentence-transformers/all-MiniLM-L12-v2/resolve/main/';

const ONNX = 'onnx/model.onnx';
const MEGABYTES = 135;

export interface FolderOptions {
  folder: string;
  /** What the paths of the files are appended to; ends with a slash. */
  url: string;
  /** The digest to insist on for the ONNX file; null: the one that was pinned before, or else whatever comes first. */
  sha256: string | null;
  /** Throws where the model in a folder does not work. */
  tryModel(folder: string): Promise<void>;
  retryDelayMs?: number;
}

/**
 * Brings the files of an ONNX model into its folder. They are tried before they get their names, the ONNX file last: a
 * folder with all of them is whole, and not fetched again. What a person can mend is a UserError.
 */
export async function fetchModelFolder(options: FolderOptions): Promise<void> {
  const { folder } = options;
  try {
    await mkdir(join(folder, dirname(ONNX)), { recursive: true });
    if (!(await isWhole(options))) await bring(options);
  } catch (error) {
    throw explain(error, folder, MEGABYTES);
  }
}

async function isWhole({ folder, sha256 }: FolderOptions): Promise<boolean> {
  const there = await Promise.all(MODEL_FILES.map((name) => stat(join(folder, name)).catch(() => null)));
  if (there.includes(null)) return false;
  const digest = await measureDigest(join(folder, ONNX));
  const wanted = sha256 ?? (await readPin(join(folder, ONNX))) ?? digest;
  say(
    digest === wanted
      ? `The model is already in ${folder}, SHA-256 ${digest}.`
      : `The model in ${folder} has the SHA-256 ${digest}, not ${wanted}: it is fetched anew.`,
  );
  return digest === wanted;
}

async function bring(options: FolderOptions): Promise<void> {
  const { folder, url } = options;
  const scratch = await claimScratch(folder);
  let isWrong = false;
  try {
    const fresh = join(scratch.path, 'fresh');
    await mkdir(join(fresh, dirname(ONNX)), { recursive: true });
    const byHand = 'Another place that has the files of the model is given by --url';
    say(`Downloading ${shown(url + ONNX)} …`);
    const part = await download(url + ONNX, scratch.path, {
      retryDelayMs: options.retryDelayMs ?? 1000,
      byHand,
      byBrowser: `Or download ${MODEL_FILES.join(', ')} with a browser from ${url}, and put them into ${folder}`,
    });
    for (const name of MODEL_FILES) {
      if (name !== ONNX) await writeFile(join(fresh, name), await fetchJson(url + name, byHand));
    }
    isWrong = true;
    await rename(part, join(fresh, ONNX));
    await check(fresh, options);
    for (const name of MODEL_FILES) await rename(join(fresh, name), join(folder, name));
    await scratch.remove();
  } catch (error) {
    // What is wrong would be found again; what is merely not whole yet is gone on with.
    if (isWrong) await scratch.remove();
    else await rm(join(scratch.path, 'fresh'), { recursive: true, force: true }).then(() => scratch.leave());
    throw error;
  }
}

async function fetchJson(address: string, byHand: string): Promise<string> {
  const response = await get(address, {});
  const text = await response.text();
  if (!response.ok) throw new UserError(`${shown(address)} answers ${response.status}. ${byHand}`);
  try {
    JSON.parse(text);
    return text;
  } catch {
    throw new UserError(`${shown(address)} is no JSON. ${byHand}`);
  }
}

async function check(fresh: string, { folder, sha256, tryModel }: FolderOptions): Promise<void> {
  const digest = (await measureDigest(join(fresh, ONNX))) ?? '';
  const wanted = sha256 ?? (await readPin(join(folder, ONNX)));
  if (wanted !== null && digest !== wanted) {
    throw new UserError(
      `The downloaded model is not the expected one, and was removed.\n  expected SHA-256 ${wanted}\n` +
        `  downloaded SHA-256 ${digest}\nWhere you trust the new one, run again with --sha256 ${digest}.`,
    );
  }
  await tryModel(fresh).catch((error: Error) => {
    const reason = (error.cause as Error | undefined)?.message ?? error.message;
    throw new UserError(`What was downloaded is no model that works here, and was removed: ${reason}`);
  });
  await writePin(join(folder, ONNX), digest);
  say(`The model is in ${folder}, SHA-256 ${digest}.`);
  if (wanted === null) say('No digest is known beforehand: this one is pinned at first sight, beside the file.');
}
