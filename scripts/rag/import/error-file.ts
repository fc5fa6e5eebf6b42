import { open, stat, truncate } from 'node:fs/promises';

/** A record that was refused, in the server's words. */
export interface Failure {
  line: number;
  status: number;
  code: string;
  detail: string;
  errors?: { field: string; fault: string }[] | undefined;
}

/** The refused records of an import, one JSON object a line, and the first of them in memory. */
export class ErrorFile {
  readonly path: string;
  readonly first: Failure[];
  bytes: number;
  readonly #keep: number;

  private constructor(path: string, keep: number, bytes: number, first: Failure[]) {
    this.path = path;
    this.#keep = keep;
    this.bytes = bytes;
    this.first = first;
  }

  /** Opens the file as it was after its first `bytes` bytes: what an import that was killed wrote behind them goes. */
  static async open(path: string, bytes: number, keep: number): Promise<ErrorFile> {
    const file = await open(path, 'a');
    await file.close();
    const kept = Math.min(bytes, (await stat(path)).size);
    await truncate(path, kept);
    return new ErrorFile(path, keep, kept, await readFirst(path, keep));
  }

  async append(failures: Failure[]): Promise<void> {
    if (failures.length === 0) return;
    const text = Buffer.from(failures.map((failure) => `${JSON.stringify(failure)}\n`).join(''));
    const file = await open(this.path, 'a');
    try {
      await file.appendFile(text);
    } finally {
      await file.close();
    }
    this.bytes += text.length;
    this.first.push(...failures.slice(0, this.#keep - this.first.length));
  }
}

async function readFirst(path: string, keep: number): Promise<Failure[]> {
  const file = await open(path);
  const first: Failure[] = [];
  for await (const line of file.readLines()) {
    first.push(JSON.parse(line) as Failure);
    if (first.length === keep) break;
  }
  await file.close();
  return first;
}
