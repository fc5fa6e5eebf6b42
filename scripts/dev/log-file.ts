import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';

/** Appends to an open log file, in order with what the child processes print into it. */
export class LogFile extends Writable {
  readonly #fd: number;

  constructor(fd: number) {
    super();
    this.#fd = fd;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    try {
      writeSync(this.#fd, chunk);
      done();
    } catch (error) {
      done(error as Error);
    }
  }
}
