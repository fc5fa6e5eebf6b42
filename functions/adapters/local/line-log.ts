import type { Writable } from 'node:stream';
import type { Log } from '../../ports/platform.ts';

/** Writes one JSON object a line. Errors are written with their causes, for whoever reads the log. */
export class LineLog implements Log {
  readonly #callId: string;
  readonly #out: Writable;

  constructor(callId: string, out: Writable) {
    this.#callId = callId;
    this.#out = out;
  }

  info(event: string, fields: Record<string, unknown> = {}): void {
    this.#write('info', event, fields);
  }

  warn(event: string, fields: Record<string, unknown> = {}): void {
    this.#write('warn', event, fields);
  }

  error(event: string, error: unknown, fields: Record<string, unknown> = {}): void {
    this.#write('error', event, { ...fields, error: describe(error) });
  }

  #write(level: string, event: string, fields: Record<string, unknown>): void {
    const line = { time: new Date().toISOString(), level, event, callId: this.#callId, ...fields };
    this.#out.write(`${JSON.stringify(line)}\n`);
  }
}

function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  return {
    name: error.name,
    message: error.message,
    stack: error.stack
      ?.split('\n')
      .slice(1, 6)
      .map((line) => line.trim()),
    ...(error.cause === undefined ? {} : { cause: describe(error.cause) }),
  };
}
