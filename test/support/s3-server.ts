import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const KEY = 'S3RVER';

/** A server that speaks S3, with one bucket, in a process of its own; it overwrites objects in place. */
export class S3Server {
  readonly accessKey = KEY;
  readonly secretKey = KEY;
  readonly #folder = mkdtempSync(join(tmpdir(), 'oci-rag-s3-'));
  #child: ChildProcess | undefined;
  url = '';

  async listen(bucket: string): Promise<void> {
    // Its tokens for the next page are made with DES, which OpenSSL has put among its old ciphers.
    const args = ['--openssl-legacy-provider', '--import', 'tsx', import.meta.filename, this.#folder, bucket];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child = child;
    const [port] = await once(child.stdout, 'data');
    this.url = `http://127.0.0.1:${String(port).trim()}`;
  }

  async close(): Promise<void> {
    if (this.#child?.exitCode === null) {
      this.#child.kill();
      await once(this.#child, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const { default: S3rver } = await import('s3rver');
  const [, , directory = '', name = ''] = process.argv;
  const place = { address: '127.0.0.1', port: 0, vhostBuckets: false };
  const { port } = await new S3rver({ ...place, silent: true, directory, configureBuckets: [{ name }] }).run();
  process.stdout.write(`${port}\n`);
  // It ends with whoever has started it.
  process.stdin.resume().on('close', () => process.exit());
}
