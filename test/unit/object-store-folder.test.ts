import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { decodeFile, decodeFolder, encodePart } from '../../functions/adapters/local/folder-names.ts';
import { FolderStore } from '../../functions/adapters/local/folder-store.ts';
import { type AppError, SetupFailed, Unavailable } from '../../functions/core/errors.ts';
import { until } from '../support/until.ts';

let above: string;
let folder: string;
let store: FolderStore;
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'oci-rag-folder-'));
  folder = join(above, 'files');
  store = new FolderStore(folder);
});
afterEach(() => rmSync(above, { recursive: true, force: true }));

const put = (name: string, content = 'content') => store.put(name, Buffer.from(content));
const names = async () => {
  const found: string[] = [];
  for await (const { name } of store.list('')) found.push(name);
  return found;
};
const filesUnder = (path: string) => readdirSync(path, { recursive: true }).map(String).sort();

test('a file can be found on the disk under the names that it has', async () => {
  await put('documents/policies/leave.md/abc', 'twenty days');

  expect(readFileSync(join(folder, 'documents', 'policies', 'leave.md', 'abc'), 'utf8')).toBe('twenty days');
});

test('what some file systems refuse in a name is written as the others take it, and read back', () => {
  const REFUSED = /[\\:*?"<>|\p{Cc}]|[. ]$/u;
  const part = fc
    .string({
      unit: fc.oneof(fc.constantFrom(...'%:*?"<>|. \u0001\u007fAa0'), fc.string({ unit: 'binary', maxLength: 1 })),
      maxLength: 300,
    })
    .map((text) => text.replace(/[/\\\0]/g, ''))
    .filter((text) => text !== '');
  fc.assert(
    fc.property(part, (text) => {
      const pieces = encodePart(text);
      for (const piece of pieces) {
        expect(piece).not.toMatch(REFUSED);
        expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(255);
      }
      const folders = pieces.slice(0, -1).map(decodeFolder).join('');
      expect(folders + decodeFile(pieces.at(-1) ?? '')).toBe(text);
    }),
  );
});

test('two names are two files', () => {
  const part = fc.string({ unit: fc.constantFrom(...'%25A:. '), minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(part, part, (one, other) => {
      expect(encodePart(one).join('/') === encodePart(other).join('/')).toBe(one === other);
    }),
    { examples: [['%3A', ':']] },
  );
});

test('no link leads out of the folder, whatever stands behind it', async () => {
  const outside = join(above, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret'), 'secret');
  mkdirSync(join(folder, 'documents'), { recursive: true });
  symlinkSync(outside, join(folder, 'documents', 'link'));
  symlinkSync(join(outside, 'secret'), join(folder, 'documents', 'file'));

  const uses: (() => Promise<unknown>)[] = [
    () => put('documents/link/x'),
    () => store.get('documents/link/secret', 100),
  ];
  uses.push(
    () => store.remove('documents/link/secret'),
    () => store.head('documents/link/secret'),
  );
  for (const use of uses) await expect(use()).rejects.toThrow(SetupFailed);
  expect(await store.get('documents/file', 100)).toBeNull();
  expect(await store.head('documents/file')).toBeNull();
  expect(await names()).toEqual([]);
  await put('documents/file', 'own');
  expect(filesUnder(outside)).toEqual(['secret']);
  expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
  expect((await store.get('documents/file', 100))?.content.toString()).toBe('own');
});

test('an object and a folder of the same name are not possible, and nothing is lost by trying', async () => {
  await put('a/b', 'one');

  await expect(put('a/b/c')).rejects.toThrow(SetupFailed);
  await expect(put('a')).rejects.toThrow(SetupFailed);
  expect(filesUnder(folder)).toEqual(['a', 'a/b']);
  expect((await store.get('a/b', 100))?.content.toString()).toBe('one');
});

test('folders go with the last object in them, and the others stay', async () => {
  await put('a/b/c/one');
  await put('a/two');

  await store.remove('a/b/c/one');
  expect(filesUnder(folder)).toEqual(['a', 'a/two']);
  await store.remove('a/two');
  expect(filesUnder(folder)).toEqual([]);
});

test('writes and removals at once do not take the folder from each other', async () => {
  for (let round = 0; round < 30; round++) {
    await put('a/b/old');
    await Promise.all([put('a/b/new'), store.remove('a/b/old')]);
    expect(await names()).toEqual(['a/b/new']);
    await store.remove('a/b/new');
  }
});

test('a write that is killed leaves what was there, and a file that nobody lists and that is gone an hour later', async () => {
  await put('a/x', 'old');
  const script = `
    import { FolderStore } from ${JSON.stringify(join(import.meta.dirname, '../../functions/adapters/local/folder-store.ts'))};
    for (;;) await new FolderStore(${JSON.stringify(folder)}).put('a/x', Buffer.alloc(30_000_000, 'n'));`;
  const child = execFile(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
  const temporary = () => readdirSync(join(folder, 'a')).filter((name) => name !== 'x');
  try {
    await until('a write is under way', async () => temporary()[0] ?? null);
  } finally {
    child.kill('SIGKILL');
    await new Promise((ended) => child.once('exit', ended));
  }
  const content = (await store.get('a/x', 30_000_000))?.content.toString() ?? '';
  expect(['old', 'n'.repeat(30_000_000)].includes(content)).toBe(true);

  // As if the kill had come amid the write, wherever it came.
  writeFileSync(join(folder, 'a', '%new-1'), 'half');
  expect(await names()).toEqual(['a/x']);
  expect(temporary()).toContain('%new-1');
  const earlier = new Date(Date.now() - 2 * 60 * 60 * 1000);
  for (const name of temporary()) utimesSync(join(folder, 'a', name), earlier, earlier);
  expect(await names()).toEqual(['a/x']);
  expect(temporary()).toEqual([]);
});

test('a file that somebody else put there under a name that no object has is passed over', async () => {
  mkdirSync(join(folder, 'a'), { recursive: true });
  for (const name of ['b:c', 'b\\c', '%zz', 'fine']) writeFileSync(join(folder, 'a', name), 'x');

  expect(await names()).toEqual(['a/fine']);
});

test('a folder that cannot be used is told without its path', async () => {
  writeFileSync(folder, 'a file');
  const refused = await put('a/x').catch((error: unknown) => error);

  expect(refused).toBeInstanceOf(SetupFailed);
  expect((refused as AppError).message).toContain('RAG_STORAGE');
  expect((refused as AppError).message).not.toContain(above);
});

test.skipIf(process.getuid?.() === 0)('a folder that may not be read is a fault of the setup', async () => {
  await put('a/x');
  chmodSync(join(folder, 'a'), 0);

  await expect(store.get('a/x', 100)).rejects.toThrow(SetupFailed);
  chmodSync(join(folder, 'a'), 0o700);
});

test('a name that the file system finds too long is no answer of the caller’s fault', async () => {
  const deep = new FolderStore(join(folder, ...Array.from({ length: 20 }, () => 'x'.repeat(250))));

  await expect(deep.put('a/x', Buffer.alloc(1))).rejects.toThrow(Unavailable);
  expect(existsSync(join(folder, 'a'))).toBe(false);
});
