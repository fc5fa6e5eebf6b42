import { createWriteStream } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMeter } from '../rag/import/progress.ts';
import { say } from '../rag/printing.ts';
import { UserError } from '../user-error.ts';
import { get, NoAnswer, shown, unreachable } from './http.ts';

/** What the server said of the file of which a part is there. */
interface Origin {
  etag: string | null;
  total: number;
}

export interface DownloadOptions {
  retryDelayMs: number;
  /** What a person does where the address is refused. */
  byHand: string;
  /** What a person does where only a browser gets through. */
  byBrowser: string;
}

/** How often in a row a connection may fail or break without having brought anything. */
const FRUITLESS_TRIES = 4;
const MEGABYTE = 1_000_000;
const megabytes = (bytes: number) => (bytes / MEGABYTE).toFixed(1);

/**
 * Downloads a file into a folder and returns its path. A download that was cut off, now or in an earlier process, goes on
 * where it stopped, unless the server does not offer that or has another file by now.
 */
export async function download(address: string, folder: string, options: DownloadOptions): Promise<string> {
  const part = new Part(folder);
  for (let fruitless = 0; ; ) {
    const before = await part.size();
    try {
      await advance(address, part, options.byHand);
      return part.path;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      fruitless = (await part.size()) > before ? 0 : fruitless + 1;
      if (fruitless === FRUITLESS_TRIES) {
        throw new UserError(
          `${error.message}. What has come so far is kept: run the same command again to go on. ${options.byBrowser}`,
        );
      }
      say(`${error.message}; trying again …`);
      await sleep(options.retryDelayMs * 2 ** fruitless);
    }
  }
}

/** The file as far as it has come. */
class Part {
  readonly path: string;
  readonly #originPath: string;

  constructor(folder: string) {
    this.path = join(folder, 'download.part');
    this.#originPath = join(folder, 'origin.json');
  }

  async size(): Promise<number> {
    return (await stat(this.path).catch(() => null))?.size ?? 0;
  }

  async origin(): Promise<Origin | null> {
    try {
      return JSON.parse(await readFile(this.#originPath, 'utf8')) as Origin;
    } catch {
      return null;
    }
  }

  /** Begins anew. The old bytes go first: they must never stand beside the new origin. */
  async begin(origin: Origin): Promise<void> {
    await rm(this.path, { force: true });
    await writeFile(this.#originPath, JSON.stringify(origin));
  }
}

/** Brings what is missing, over one connection. */
async function advance(address: string, part: Part, byHand: string): Promise<void> {
  const [origin, size] = [await part.origin(), await part.size()];
  if (origin !== null && size > 0 && size === origin.total) return;
  // A weak ETag promises the same meaning, not the same bytes.
  const resumable = origin?.etag?.startsWith('"') === true && size > 0 && size < origin.total;
  const response = await get(address, resumable ? { Range: `bytes=${size}-`, 'If-Range': origin?.etag ?? '' } : {});
  if (resumable && (response.status === 206 || response.status === 416)) {
    if (response.status === 206 && continues(response, size, origin as Origin)) {
      say(`Going on at ${megabytes(size)} MB`);
      return receive(address, response, part, size, (origin as Origin).total);
    }
    await response.body?.cancel();
    await part.begin({ etag: null, total: 0 });
    return advance(address, part, byHand);
  }
  if (response.status !== 200) {
    await response.body?.cancel();
    throw refusal(address, response.status, byHand);
  }
  const total = Number(response.headers.get('content-length') ?? 0);
  if (total === 0) throw new UserError(`${shown(address)} does not say how long it is; give another address by --url`);
  await part.begin({ etag: response.headers.get('etag'), total });
  await receive(address, response, part, 0, total);
}

/** Whether an answer is the rest of the very file of which a part is there. */
function continues(response: Response, from: number, origin: Origin): boolean {
  const etag = response.headers.get('etag');
  return (
    response.headers.get('content-range') === `bytes ${from}-${origin.total - 1}/${origin.total}` &&
    (etag === null || etag === origin.etag)
  );
}

function refusal(address: string, status: number, byHand: string): UserError {
  if (status >= 500 || status === 429) return new NoAnswer(`${shown(address)} answers ${status}`);
  const reason = status === 404 || status === 401 || status === 403 ? ': the link has expired, or never was' : '';
  return new UserError(`${shown(address)} answers ${status}${reason}. ${byHand}`);
}

async function receive(address: string, response: Response, part: Part, from: number, total: number): Promise<void> {
  const meter = createMeter('Downloading', Math.ceil(total / MEGABYTE));
  let size = from;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      meter.update(Math.floor(size / MEGABYTE), 'MB');
      done(size > total ? new UserError(`${shown(address)} sends more than it said`) : null, chunk);
    },
  });
  try {
    const file = createWriteStream(part.path, { flags: from === 0 ? 'w' : 'a', flush: true });
    await pipeline(Readable.fromWeb(response.body as ReadableStream), count, file);
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException;
    if (error instanceof UserError || syscall === 'write' || syscall === 'open') throw error;
    throw unreachable(address, error);
  } finally {
    meter.stop();
  }
  if (size !== total) {
    throw new NoAnswer(`${shown(address)} ended at ${size} of ${total} bytes`);
  }
}
