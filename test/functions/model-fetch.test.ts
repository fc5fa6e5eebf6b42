import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { modelDigest } from '../../scripts/model/digest.ts';
import { explain, fetchModel } from '../../scripts/model/fetch.ts';
import { MODEL_BYTES, MODEL_FILE } from '../../scripts/model/model-file.ts';
import { linkIn, ZIP_NAME } from '../../scripts/model/source.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { until } from '../support/until.ts';
import { zipOf } from '../support/zip.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MODIFIED = Date.parse('2025-10-30T00:00:00Z');
const NAME = 'model.onnx';
const model = randomBytes(300_000);
const README = { name: 'README.txt', data: Buffer.from('about the model') };
const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');
const zip = zipOf([README, { name: `models/${NAME}`, data: model, deflate: true }]);

let folder: string;
let server: FileServer;
let printed: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'oci-rag-model-'));
  server = await startFileServer(zip);
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text;
    return true;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const fetchIt = (more: Partial<Parameters<typeof fetchModel>[0]> = {}) =>
  fetchModel({
    folder,
    name: NAME,
    bytes: model.length,
    url: `${server.url}/p/secret/model.zip`,
    page: `${server.url}/page`,
    sha256: null,
    retryDelayMs: 5,
    ...more,
  });
const file = () => join(folder, NAME);
const expectWhole = () => {
  expect(readFileSync(file()).equals(model)).toBe(true);
  expect(statSync(file()).mtimeMs).toBe(MODIFIED);
  expect(readdirSync(folder).sort()).toEqual([NAME, 'model.sha256']);
};

describe('a download', () => {
  test('brings the file, whole, with a constant time, and pins its digest', async () => {
    expect(await fetchIt()).toBe(sha256(model));

    expectWhole();
    expect(readFileSync(join(folder, 'model.sha256'), 'utf8')).toMatch(new RegExp(`^${sha256(model)}  ${NAME}\n`));
    expect(printed).toContain('Oracle publishes no checksum: this digest is pinned at first sight');
    expect(printed).not.toContain('secret');
  });

  test('is not made for a file that is there and right, whose time is mended', async () => {
    await fetchIt();
    utimesSync(file(), new Date(), new Date());
    printed = '';
    await fetchIt();

    expect(server.asked).toHaveLength(1);
    expect(printed).toBe(`${file()} is already there, SHA-256 ${sha256(model)}.\n`);
    expectWhole();
  });

  test('goes on where the server cut the connection, twice', async () => {
    server.cuts = 2;
    await fetchIt();

    expectWhole();
    const starts = server.asked.map(({ range }) => Number(/\d+/.exec(range ?? '')?.[0] ?? 0));
    expect(starts[0]).toBe(0);
    expect(starts[1]).toBeGreaterThan(0);
    expect(starts[2]).toBeGreaterThan(starts[1] ?? 0);
  });

  test.each([
    ['ignores Range', { ignoresRange: true }],
    ['gives no ETag', { etag: null }],
    ['gives a weak ETag', { etag: 'W/"weak"' }],
  ])('begins anew where the server %s', async (_, how) => {
    Object.assign(server, how, { cuts: 1 });
    await fetchIt();

    expectWhole();
    expect(server.asked).toHaveLength(2);
  });

  test.each([[false], [true]])(
    'begins anew where the file has changed meanwhile (If-Range ignored: %s)',
    async (ignoresIfRange) => {
      server.cuts = 1;
      server.ignoresIfRange = ignoresIfRange;
      const fetching = fetchIt();
      await until('the connection is cut', () => server.cuts === 0);
      server.body = zipOf([{ name: NAME, data: model }]);
      server.etag = '"second"';
      await fetching;

      expectWhole();
    },
  );

  test('that never ends is told, kept, and gone on with by the next one', async () => {
    server.cuts = 100;
    server.ignoresRange = true;
    await expect(fetchIt()).rejects.toThrow(/No connection to 127.*run the same command again to go on/);
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^download-/)]);

    Object.assign(server, { cuts: 0, ignoresRange: false, asked: [] });
    await fetchIt();
    expect(server.asked[0]?.range).toMatch(/^bytes=\d+-$/);
    expectWhole();
  });

  test('beside another one spoils neither', async () => {
    server.cuts = 1;
    expect(await Promise.all([fetchIt(), fetchIt()])).toEqual([sha256(model), sha256(model)]);
    expectWhole();
  });

  test.each([401, 404])('from a link that has expired (%d) says where the new one is', async (status) => {
    server.status = status;
    await expect(fetchIt()).rejects.toThrow(
      new RegExp(`/…/model.zip answers ${status}: the link has expired.*Open https://docs\\.oracle\\.com/.*--url LINK`),
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  test('from nowhere says so, whether the page or the zip is not reached', async () => {
    await expect(fetchIt({ url: null, page: 'http://127.0.0.1:9/page' })).rejects.toThrow(
      /No connection to 127\.0\.0\.1:9 \(.*with a browser from https:/,
    );
    await expect(fetchIt({ url: 'http://127.0.0.1:9/x.zip' })).rejects.toThrow(
      /No connection to 127\.0\.0\.1:9 \(.*check the network/,
    );
  });
});

describe('what is refused leaves no file', () => {
  afterEach(() => expect(readdirSync(folder)).toEqual([]));

  test.each<[string, Buffer, RegExp]>([
    ['a zip without the file', zipOf([README]), /There is no model\.onnx in the zip/],
    [
      'a file that is too large',
      zipOf([{ name: NAME, data: Buffer.concat([model, model]) }]),
      /has 600,000 bytes, but the model has 300,000/,
    ],
    [
      'a file that is larger than the zip says',
      zipOf([{ name: NAME, data: Buffer.alloc(50_000_000), deflate: true, claims: { size: model.length } }]),
      /The zip is broken \(too many bytes/,
    ],
    ['a file with a broken bit', zipOf([{ name: NAME, data: model, claims: { crc: 1 } }]), /its own checksum differs/],
    ['a page instead of a zip', Buffer.from('<html>Sign in</html>'.repeat(9)), /is no zip/],
    ['a zip that was cut off when it was made', zip.subarray(0, -100), /is no zip/],
  ])('%s', async (_, body, message) => {
    server.body = body;
    await expect(fetchIt()).rejects.toThrow(message);
  });

  test('another digest than the one that is asked for', async () => {
    await expect(fetchIt({ sha256: 'a'.repeat(64) })).rejects.toThrow(
      new RegExp(`expected SHA-256 a{64}\n  downloaded SHA-256 ${sha256(model)}`),
    );
  });
});

describe('a pinned digest', () => {
  const other = Buffer.alloc(model.length, 7);

  test('refuses another file later, and the right one stays', async () => {
    await fetchIt();
    rmSync(file());
    server.body = zipOf([{ name: NAME, data: other }]);
    await expect(fetchIt()).rejects.toThrow(
      new RegExp(
        `expected SHA-256 ${sha256(model)}\n  downloaded SHA-256 ${sha256(other)}\n.*--sha256 ${sha256(other)}`,
      ),
    );
    expect(readdirSync(folder)).toEqual(['model.sha256']);

    expect(await fetchIt({ sha256: sha256(other) })).toBe(sha256(other));
    await fetchIt();
    expect(await modelDigest(file())).toBe(sha256(other));
  });

  test('replaces a file of the same size that was changed', async () => {
    await fetchIt();
    writeFileSync(file(), other);
    utimesSync(file(), MODIFIED / 1000, MODIFIED / 1000);
    expect(await fetchIt()).toBe(sha256(model));

    expect(printed).toContain(`has the SHA-256 ${sha256(other)}, not ${sha256(model)}: it is fetched anew`);
    expectWhole();
  });
});

describe("Oracle's page", () => {
  const page = 'https://docs.example.com/en/vecse/models.html';
  test.each([
    [`<a href="https://store.example.com/p/x/o/${ZIP_NAME}">`, `https://store.example.com/p/x/o/${ZIP_NAME}`],
    [`<a href='files/${ZIP_NAME}'>`, `https://docs.example.com/en/vecse/files/${ZIP_NAME}`],
    [`<a href="http://store.example.com/${ZIP_NAME}">`, null],
    [`<a href="https://store.example.com/${ZIP_NAME}?then=evil">`, null],
    [`<a href="https://store.example.com/not_${ZIP_NAME}">`, null],
    ['<p>moved</p>', null],
  ])('%s leads to %s', (text, link) => expect(linkIn(text, page)).toBe(link));

  test('is asked where no address is given; without a link it is named', async () => {
    server.pages.set('/page', { status: 302, headers: { Location: '/moved' }, text: '' });
    server.pages.set('/moved', { status: 200, headers: {}, text: `<a href="${server.url}/o/${ZIP_NAME}">` });
    await expect(fetchIt({ url: null })).rejects.toThrow(/\/…\/moved has no https link to all_MiniLM.*--url LINK/);
    expect(server.asked.map(({ path }) => path)).toEqual(['/page', '/moved']);
  });

  test('that leads to another machine without https is refused', async () => {
    server.pages.set('/page', {
      status: 302,
      headers: { Location: `http://0.0.0.0:${new URL(server.url).port}/x` },
      text: '',
    });
    await expect(fetchIt({ url: null })).rejects.toThrow(/without https/);
  });
});

describe('modelDigest', () => {
  test('is null for a file that is not there', async () => expect(await modelDigest(file())).toBeNull());

  test('is kept, and measured again when size or time differ', async () => {
    writeFileSync(file(), 'one');
    expect(await modelDigest(file())).toBe(sha256(Buffer.from('one')));
    const kept = join(folder, 'model.sha256');
    const forged = readFileSync(kept, 'utf8').replace(/[0-9a-f]{64}/, 'f'.repeat(64));
    writeFileSync(kept, forged);
    expect(await modelDigest(file())).toBe('f'.repeat(64));

    utimesSync(file(), 1, 1);
    expect(await modelDigest(file())).toBe(sha256(Buffer.from('one')));
    writeFileSync(file(), 'three');
    utimesSync(file(), 1, 1);
    expect(await modelDigest(file())).toBe(sha256(Buffer.from('three')));
  });
});

test('a full disk and a closed folder are told as such', () => {
  const failure = (code: string) => Object.assign(new Error(code), { code });
  expect((explain(failure('ENOSPC'), '/models') as Error).message).toMatch(/disk is full: \/models needs some 260 MB/);
  expect((explain(failure('EACCES'), '/models') as Error).message).toBe('/models cannot be written (EACCES)');
});

describe('npm run model:fetch', () => {
  function run(args: string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'scripts/model/main.ts'), ...args], {
      env: { PATH: process.env.PATH, ...env },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const texts = { out: '', err: '' };
    child.stdout.on('data', (part) => {
      texts.out += part;
    });
    child.stderr.on('data', (part) => {
      texts.err += part;
    });
    const ended = once(child, 'close').then(([code]) => ({ code, ...texts }));
    return { child, ended };
  }

  test.each([
    [['--help'], 0, /^usage: npm run model:fetch/],
    [['--ulr'], 1, /'--ulr'.*see --help/],
    [['--url', 'http://example.com/x.zip'], 1, /begins with https/],
    [['--sha256', 'abc'], 1, /64 hexadecimal digits/],
  ])('answers %j', async (args, code, text) => {
    const result = await run(args).ended;
    expect(result.code).toBe(code);
    expect(code === 0 ? result.out : result.err).toMatch(text);
  });

  test('killed in the middle, goes on with the next run', async () => {
    // Zeros: a file of the real size in a small zip.
    server.body = zipOf([{ name: MODEL_FILE, data: Buffer.alloc(MODEL_BYTES), deflate: true }]);
    server.stallsAt = 60_000;
    const args = ['--folder', folder, '--url', `${server.url}/model.zip`];
    const first = run(args);
    const part = () => readdirSync(folder, { recursive: true }).find((name) => String(name).endsWith('.part'));
    await until('a part is there', () => part() !== undefined && statSync(join(folder, String(part()))).size > 0);
    first.child.kill('SIGKILL');
    await first.ended;
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^download-/)]);

    server.stallsAt = null;
    const second = await run(args).ended;
    expect(second).toMatchObject({ code: 0, err: '' });
    expect(server.asked[1]?.range).toMatch(/^bytes=\d+-$/);
    expect(statSync(join(folder, MODEL_FILE))).toMatchObject({ size: MODEL_BYTES, mtimeMs: MODIFIED });
    expect(readdirSync(folder)).toHaveLength(2);

    const third = await run(args, { MODEL_SHA256: sha256(Buffer.alloc(MODEL_BYTES)) }).ended;
    expect(third.out).toMatch(/already there, SHA-256 [0-9a-f]{64}\.\n$/);
  });
});
