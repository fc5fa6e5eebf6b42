import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { hashVector } from './hashing-embedder.ts';

export const STAND_IN_MODEL = 'stand-in';

/** An encoder in the test's own process that answers as the real one does, or as it is told. */
export class StandInEncoder {
  /** What it answers instead of vectors: a status and a body, as they are. */
  reply: { status: number; body: string } | null = null;
  /** Answers wait for it. */
  hold: Promise<void> = Promise.resolve();
  readonly url: string;
  readonly #server: Server;

  constructor(folder: string) {
    this.url = `unix:${join(folder, 'stand-in-encoder')}`;
    this.#server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
      await this.hold;
      const { texts } = JSON.parse(Buffer.concat(parts).toString('utf8')) as { texts: string[] };
      const { status, body } = this.reply ?? {
        status: 200,
        body: JSON.stringify({ vectors: texts.map((text) => hashVector(text)) }),
      };
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.url.slice('unix:'.length), resolve));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
