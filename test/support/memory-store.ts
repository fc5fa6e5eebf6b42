import { TooLarge } from '../../functions/core/errors.ts';
import type { ObjectInfo, ObjectStore, StoredObject } from '../../functions/ports/object-store.ts';

/** An object store in memory: other than a folder, it has objects beside others whose names go on behind theirs. */
export class MemoryStore implements ObjectStore {
  readonly objects = new Map<string, StoredObject>();
  /** Called before each access, once; what it does has happened meanwhile. */
  readonly meanwhile: { on: 'put' | 'get' | 'head' | 'remove'; name: string; happens: () => unknown }[] = [];
  /** Throws for this name. */
  broken: string | null = null;
  #writes = 0;

  /** What somebody puts into the bucket; `age`: so many seconds ago. */
  write(name: string, content: string | Buffer, { contentType = 'text/plain', age = 0 } = {}): void {
    const bytes = Buffer.from(content);
    this.objects.set(name, {
      name,
      bytes: bytes.length,
      etag: `etag-${++this.#writes}`,
      modifiedAt: new Date(Date.now() - age * 1000),
      content: bytes,
      contentType,
    });
  }

  names(): string[] {
    return [...this.objects.keys()].sort();
  }

  async put(name: string, content: Buffer, contentType: string): Promise<void> {
    await this.#access('put', name);
    this.write(name, content, { contentType });
  }

  async get(name: string, maxBytes: number): Promise<StoredObject | null> {
    await this.#access('get', name);
    const object = this.objects.get(name) ?? null;
    if (object !== null && object.bytes > maxBytes) throw new TooLarge(`more than ${maxBytes} bytes`);
    return object;
  }

  async head(name: string): Promise<ObjectInfo | null> {
    await this.#access('head', name);
    const { content: _, contentType: __, ...info } = this.objects.get(name) ?? { etag: null };
    return info.etag === null ? null : (info as ObjectInfo);
  }

  async remove(name: string): Promise<void> {
    await this.#access('remove', name);
    this.objects.delete(name);
  }

  async *list(prefix: string): AsyncIterable<ObjectInfo> {
    for (const name of this.names()) {
      const object = this.objects.get(name);
      if (object !== undefined && name.startsWith(prefix)) yield object;
    }
  }

  async #access(on: (typeof this.meanwhile)[number]['on'], name: string): Promise<void> {
    if (this.broken === name) throw new Error('the store is broken');
    const at = this.meanwhile.findIndex((event) => event.on === on && event.name === name);
    if (at !== -1) await this.meanwhile.splice(at, 1)[0]?.happens();
  }
}
