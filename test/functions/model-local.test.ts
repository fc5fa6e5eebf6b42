import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { MINILM_SETTINGS } from '../../scripts/dev/local-model.ts';
import { fetchModelFolder } from '../../scripts/model/local-fetch.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { FunctionBench } from '../support/functions.ts';
import { put } from '../support/records.ts';
import { StartProcess } from '../support/start.ts';
import { writeStubTransformers } from '../support/stub-transformers.ts';
import { modelFiles, writeModelFolder } from '../support/tiny-onnx.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const NAME = 'all-MiniLM-L12-v2';
const words = { '[PAD]': Array<number>(384).fill(1), '[UNK]': Array<number>(384).fill(2) };
const files = modelFiles({ words });
const onnx = Buffer.from(files['onnx/model.onnx'] ?? '');
const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');

let models: string;
let server: FileServer;

beforeEach(async () => {
  models = mkdtempSync(join(tmpdir(), 'oci-rag-models-'));
  server = await startFileServer(onnx);
  for (const [name, content] of Object.entries(files)) {
    if (typeof content === 'string') server.pages.set(`/m/${name}`, { status: 200, headers: {}, text: content });
  }
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
  rmSync(models, { recursive: true, force: true });
});

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
const WHOLE = [...Object.keys(files), 'onnx/model.sha256'].sort();

describe('the download', () => {
  const folder = () => join(models, NAME);
  const fetchIt = (more: Partial<Parameters<typeof fetchModelFolder>[0]> = {}) =>
    fetchModelFolder({
      folder: folder(),
      url: `${server.url}/m/`,
      sha256: null,
      tryModel: async () => {},
      retryDelayMs: 5,
      ...more,
    });
  beforeEach(() => void vi.spyOn(process.stdout, 'write').mockReturnValue(true));

  test('goes on where the server cut the connection', async () => {
    server.body = randomBytes(500_000);
    server.cuts = 1;
    await fetchIt();

    expect(filesIn(folder())).toEqual(WHOLE);
    expect(readFileSync(join(folder(), 'onnx/model.onnx')).equals(server.body)).toBe(true);
    expect(server.asked.filter(({ path }) => path.endsWith('.onnx'))).toMatchObject([
      { range: undefined },
      { range: expect.stringMatching(/^bytes=[1-9]\d*-$/) },
    ]);
  });

  test.each<[string, () => object | undefined, RegExp]>([
    ['is not there', () => ({ status: 404 }), /model\.onnx answers 404.*given by --url/],
    [
      'has no tokenizer',
      () => void server.pages.set('/m/tokenizer.json', { status: 404, headers: {}, text: 'none' }),
      /tokenizer\.json answers 404.*given by --url/,
    ],
    [
      'is behind a page for signing in',
      () => void server.pages.set('/m/config.json', { status: 200, headers: {}, text: '<html>' }),
      /config\.json is no JSON/,
    ],
  ])('of a model that %s says which file, and leaves none', async (_, spoil, message) => {
    Object.assign(server, spoil());
    await expect(fetchIt()).rejects.toThrow(message);
    expect(filesIn(folder()).filter((name) => !/^download-.*\/(download\.part|origin\.json)$/.test(name))).toEqual([]);
  });

  test('of a model that does not work is told with the reason, and leaves nothing', async () => {
    const tryModel = () => Promise.reject(new Error('away', { cause: new Error('Protobuf parsing failed') }));
    await expect(fetchIt({ tryModel })).rejects.toThrow(/no model that works here.*: Protobuf parsing failed$/);
    expect(filesIn(folder()).filter((name) => !name.endsWith('.sha256'))).toEqual([]);
  });

  test('has the digest that is asked for, or that of the first one', async () => {
    await expect(fetchIt({ sha256: 'a'.repeat(64) })).rejects.toThrow(
      new RegExp(`expected SHA-256 a{64}\n  downloaded SHA-256 ${sha256(onnx)}`),
    );
    expect(filesIn(folder())).toEqual([]);

    await fetchIt();
    rmSync(join(folder(), 'onnx/model.onnx'));
    server.body = Buffer.from('another model');
    await expect(fetchIt()).rejects.toThrow(`expected SHA-256 ${sha256(onnx)}`);
    await fetchIt({ sha256: sha256(server.body) });
    expect(readFileSync(join(folder(), 'onnx/model.onnx')).equals(server.body)).toBe(true);
  });
});

describe('npm run model:local', () => {
  /** Runs the command with an npm that does what `install` (a line of sh) says, and notes how it was called. */
  async function run(args: string[], install: string) {
    const bin = join(models, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "$PWD $*" >> "${join(models, 'npm.log')}"\n${install}\n`);
    chmodSync(join(bin, 'npm'), 0o755);
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', join(ROOT, 'scripts/model/local.ts'), '--folder', join(models, 'here'), ...args],
      { env: { PATH: `${bin}${delimiter}${process.env.PATH}` }, cwd: ROOT },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    const texts = { out: '', err: '' };
    child.stdout.on('data', (part) => {
      texts.out += part;
    });
    child.stderr.on('data', (part) => {
      texts.err += part;
    });
    const [code] = await once(child, 'close');
    return { code, ...texts };
  }
  const INSTALLS = 'echo {} > node_modules/.package-lock.json';

  test('installs what runs the model, brings it, tries it, and does neither again', async () => {
    writeStubTransformers(join(models, 'here'));
    const first = await run(['--url', `${server.url}/m`], INSTALLS);

    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toContain(`SHA-256 ${sha256(onnx)}.\nNo digest is known beforehand: this one is pinned`);
    expect(first.out).toContain(`RAG_EMBEDDING_URL=folder:${join(models, 'here', NAME)} npm start -- --model minilm`);
    expect(filesIn(join(models, 'here', NAME))).toEqual(WHOLE);
    const asked = server.asked.length;

    const second = await run(['--url', `${server.url}/m`], INSTALLS);
    expect(second).toMatchObject({ code: 0, err: '' });
    expect(second.out).toContain(`The model is already in ${join(models, 'here', NAME)}`);
    expect(server.asked).toHaveLength(asked);
    const calls = readFileSync(join(models, 'npm.log'), 'utf8').trim().split('\n');
    expect(calls).toEqual([expect.stringMatching(/\/here ci .*--ignore-scripts/)]);
  });

  test('tells in one line that the model does not work on this machine', async () => {
    writeStubTransformers(join(models, 'here'));
    server.body = Buffer.from('broken');
    const { code, err } = await run(['--url', `${server.url}/m/`], INSTALLS);

    expect(code).toBe(1);
    expect(err).toMatch(
      /^What was downloaded is no model that works here, and was removed: Protobuf parsing failed\n$/,
    );
  });

  test('stops where npm fails, before anything is downloaded', async () => {
    const { code, err } = await run(['--url', `${server.url}/m/`], 'exit 7');

    expect(code).toBe(1);
    expect(err).toBe('What runs the model could not be installed: npm ended with 7\n');
    expect(server.asked).toEqual([]);
  });

  test('downloads nothing with --package-only', async () => {
    expect(await run(['--package-only', '--url', `${server.url}/m/`], 'exit 0')).toMatchObject({ code: 0 });
    expect(server.asked).toEqual([]);
  });

  test.each([
    [['--help'], 0, /^usage: npm run model:local/],
    [['--ulr'], 1, /'--ulr'.*see --help/],
    [['--url', 'http://example.com/m'], 1, /^--url must begin with https/],
    [['--sha256', 'abc'], 1, /^--sha256 must have 64 hexadecimal digits/],
  ])('answers %j', async (args, code, text) => {
    const result = await run(args, 'exit 7');
    expect(result.code).toBe(code);
    expect(code === 0 ? result.out : result.err).toMatch(text);
  });
});

test('the functions, as they are bundled, embed by a model in a folder', async () => {
  writeStubTransformers(models);
  await writeModelFolder(join(models, NAME), { words });
  const env = { ...MINILM_SETTINGS, RAG_EMBEDDING_URL: `folder:${join(models, NAME)}` };
  const bench = await FunctionBench.open({ env });
  onTestFinished(() => bench.close());
  await bench.write(
    put.employee(1, { role: 'manager', subject: 'ada' }),
    put.task(1, { title: 'Repair the coffee machine' }),
    put.task(2, { title: 'Rotate the database password' }),
  );
  expect((await bench.functions.invoke('drain')).status).toBe(200);

  const embedded = await bench.rows('SELECT DISTINCT embedding_model AS model FROM rag_chunk');
  expect(embedded).toEqual([{ model: 'ALL_MINILM_L12_V2' }]);
  const body = { question: 'Repair the coffee machine' };
  const found = await bench.functions.call('POST /v1/search', { token: await bench.token('ada'), body });
  expect(found.body.citations).toMatchObject([{ sourceId: '1', distance: expect.any(Number) }, { sourceId: '2' }]);
});

test('npm start knows no other model by name', async () => {
  const { code, err } = await new StartProcess('--model', 'maxilm').end;
  expect({ code, err }).toEqual({ code: 1, err: '--model must be minilm, got maxilm\n' });
});
