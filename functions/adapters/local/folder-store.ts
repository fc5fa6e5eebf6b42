import { randomUUID } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, SetupFailed, Unavailable } from '../../core/errors.ts';
import { isObjectName, requireObjectName, tooLarge } from '../../core/objects.ts';
import type { ObjectInfo, ObjectStore, StoredObject } from '../../ports/object-store.ts';
import { decodeFile, decodeFolder, encodePart, TEMPORARY } from './folder-names.ts';

/** After it, a temporary file belongs to a process that was killed. */
const ABANDONED_MS = 60 * 60 * 1000;
const MAX_TRIES = 5;

interface Place {
  /** From the store's folder to the object's. */
  folders: string[];
  file: string;
}

/**
 * Objects as files of a folder: the parts of a name are folders, the last one the file. Nothing outside the folder is
 * read or written: links are not followed. An object cannot be named like a folder of another; content types are not kept.
 */
export class FolderStore implements ObjectStore {
  readonly #root: string;

  /** The folder, as an absolute path; it is made with the first object. */
  constructor(root: string) {
    this.#root = root;
  }

  put(name: string, content: Buffer): Promise<void> {
    return explained(async () => {
      const { folders, file } = placeOf(name);
      const temporary = await this.#openTemporary(folders);
      try {
        try {
          await temporary.handle.writeFile(content);
          await temporary.handle.sync();
        } finally {
          await temporary.handle.close();
        }
        await rename(temporary.path, join(dirname(temporary.path), file));
      } catch (error) {
        await rm(temporary.path, { force: true });
        throw error;
      }
      await syncFolder(dirname(temporary.path));
    });
  }

  get(name: string, maxBytes: number): Promise<StoredObject | null> {
    return explained(() =>
      this.#withFile(name, async (path) => {
        const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
        try {
          const info = await infoOf(name, handle);
          if (info === null) return null;
          if (info.bytes > maxBytes) throw tooLarge(info.bytes, maxBytes);
          return { ...info, content: await handle.readFile(), contentType: null };
        } finally {
          await handle.close();
        }
      }),
    );
  }

  head(name: string): Promise<ObjectInfo | null> {
    return explained(() => this.#withFile(name, (path) => infoOf(name, path)));
  }

  async remove(name: string): Promise<void> {
    await explained(() =>
      this.#withFile(name, async (path) => {
        if ((await infoOf(name, path)) === null) return null;
        await unlink(path);
        return this.#removeEmptyFolders(dirname(path));
      }),
    );
  }

  async *list(prefix: string): AsyncGenerator<ObjectInfo> {
    const found = await explained(() => this.#walk(this.#root, '', prefix));
    const files = found.map(({ name, path }) => ({ name, path, key: Buffer.from(name) }));
    files.sort((a, b) => Buffer.compare(a.key, b.key));
    for (const { name, path } of files) {
      const info = await explained(() => infoOf(name, path).catch(unless('ENOENT')));
      if (info !== null) yield info;
    }
  }

  #pathOf(name: string): string {
    const { folders, file } = placeOf(name);
    return join(this.#root, ...folders, file);
  }

  /** What `use` makes of the object's file; null where there is none. */
  async #withFile<T>(name: string, use: (path: string) => Promise<T | null>): Promise<T | null> {
    const { folders, file } = placeOf(name);
    const folder = await this.#enter(folders);
    return folder === null ? null : use(join(folder, file)).catch(unless('ENOENT', 'ELOOP'));
  }

  /** The path of a folder of the store; null where it is not there. Throws where it is none. */
  async #enter(folders: string[]): Promise<string | null> {
    let path = this.#root;
    for (const folder of folders) {
      path = join(path, folder);
      const found = await lstat(path).catch(unless('ENOENT'));
      if (found === null) return null;
      if (!found.isDirectory()) throw noFolder();
    }
    return path;
  }

  /** The same, where what is missing is made, one folder at a time: all at once, a link on the way would be followed. */
  async #make(folders: string[]): Promise<string> {
    let path = this.#root;
    await mkdir(path, { recursive: true, mode: 0o700 });
    for (const folder of folders) {
      path = join(path, folder);
      await mkdir(path, { mode: 0o700 }).catch(unless('EEXIST'));
      if (!(await lstat(path)).isDirectory()) throw noFolder();
    }
    return path;
  }

  /** A new file beside where the object is to be: a rename puts it there at once. */
  async #openTemporary(folders: string[]): Promise<{ path: string; handle: FileHandle }> {
    for (let tries = 1; ; tries++) {
      try {
        const path = join(await this.#make(folders), `${TEMPORARY}${randomUUID()}`);
        return { path, handle: await open(path, 'wx', 0o600) };
      } catch (error) {
        // A removal may have taken a folder away that was empty until now.
        if (codeOf(error) !== 'ENOENT' || tries === MAX_TRIES) throw error;
      }
    }
  }

  /** The files under a folder whose objects' names begin with the prefix, in no order. */
  async #walk(folder: string, above: string, prefix: string): Promise<{ name: string; path: string }[]> {
    const found: { name: string; path: string }[] = [];
    const entries: Dirent[] = (await readdir(folder, { withFileTypes: true }).catch(unless('ENOENT'))) ?? [];
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        const within = above + decodeFolder(entry.name);
        if (within.startsWith(prefix) || prefix.startsWith(within))
          found.push(...(await this.#walk(path, within, prefix)));
      } else if (entry.name.startsWith(TEMPORARY)) {
        await this.#removeAbandoned(path);
      } else if (entry.isFile()) {
        const name = above + decodeFile(entry.name);
        // A file that somebody else has put there may have a name that no object's is written as.
        if (name.startsWith(prefix) && isObjectName(name) && this.#pathOf(name) === path) found.push({ name, path });
      }
    }
    return found;
  }

  async #removeAbandoned(path: string): Promise<void> {
    const found = await lstat(path).catch(unless('ENOENT'));
    if (found === null || Date.now() - found.mtimeMs < ABANDONED_MS) return;
    await rm(path, { force: true });
    await this.#removeEmptyFolders(dirname(path));
  }

  async #removeEmptyFolders(from: string): Promise<null> {
    for (let folder = from; folder.length > this.#root.length; folder = dirname(folder)) {
      const isRemoved = await rmdir(folder).then(
        () => true,
        () => false,
      );
      if (!isRemoved) break;
    }
    return null;
  }
}

const noFolder = () =>
  new SetupFailed(
    "A part of the object's name is no folder in the store (RAG_STORAGE): a file, or a link, which is not followed",
  );

function placeOf(name: string): Place {
  requireObjectName(name);
  const folders = name.split('/').flatMap(encodePart);
  return { folders: folders.slice(0, -1), file: folders.at(-1) ?? '' };
}

/** What is known of a file, by its path or open; null where it is none. */
async function infoOf(name: string, file: string | FileHandle): Promise<ObjectInfo | null> {
  const found = await (typeof file === 'string' ? lstat(file, { bigint: true }) : file.stat({ bigint: true }));
  if (!found.isFile()) return null;
  return {
    name,
    bytes: Number(found.size),
    etag: `${found.mtimeNs}-${found.size}-${found.ino}`,
    modifiedAt: new Date(Number(found.mtimeMs)),
  };
}

/** So that a rename outlasts a power cut, where the system lets a folder be synced. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY).catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

/** Null for errors of these codes; the others are thrown on. */
const unless =
  (...codes: string[]) =>
  (error: unknown): null => {
    if (codes.includes(codeOf(error))) return null;
    throw error;
  };

const NOT_ALLOWED = ['EACCES', 'EPERM', 'EROFS'];
const OTHER_KIND = ['EISDIR', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'];

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const code = codeOf(cause);
    if (OTHER_KIND.includes(code)) throw noFolder();
    if (NOT_ALLOWED.includes(code)) {
      throw new SetupFailed('The folder of RAG_STORAGE may not be read or written by this process', { cause });
    }
    throw new Unavailable('The folder of RAG_STORAGE cannot be used', { cause, retryAfterSeconds: 5 });
  }
}
