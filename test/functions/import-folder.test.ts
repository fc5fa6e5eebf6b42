import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DocumentList, DocumentState } from '../../functions/file-shapes.ts';
import { StartProcess } from '../support/start.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const scratch = mkdtempSync(join(tmpdir(), 'oci-rag-folder-'));
const data = join(scratch, 'data');
const folder = join(scratch, 'handbook');

let instance: StartProcess;
let url: string;
let manager: string;

beforeAll(async () => {
  instance = new StartProcess('--port', '0', '--empty', '--data', data);
  ({ url, manager } = await instance.ready());
});
afterAll(async () => {
  await instance?.stop();
  rmSync(scratch, { recursive: true, force: true });
});

function rag(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(ROOT, 'scripts/rag/main.ts'), ...args, '--data', data],
    {
      cwd: ROOT,
      env: { PATH: process.env.PATH ?? '' },
    },
  );
  const result = { code: null as number | null, out: '', err: '' };
  child.stdout.on('data', (part) => {
    result.out += part;
  });
  child.stderr.on('data', (part) => {
    result.err += part;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ ...result, code })));
}

function file(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

async function get<T>(path: string): Promise<T> {
  const response = await fetch(url + path, { headers: { Authorization: `Bearer ${manager}` } });
  return (await response.json()) as T;
}

const paths = async (prefix = '') => {
  const { documents } = await get<DocumentList>(`/v1/documents?prefix=${prefix}`);
  return documents.map(({ path }) => path);
};

test('a folder becomes documents, and what cannot is told', async () => {
  file('leave.md', '# Leave\n\nParents have 16 weeks off.');
  file('trips/report ä+#.txt', 'Trips are paid by the kilometre.');
  file('trips/blank.txt', ' \n');
  file('pictures/logo.png', Buffer.from('89504e470d0a1a0a', 'hex'));
  file('large.txt', '');
  truncateSync(join(folder, 'large.txt'), 6 * 1024 * 1024 + 1);
  file('.git/config', 'hidden');
  file('node_modules/a.js', 'a');
  symlinkSync('/etc/hostname', join(folder, 'linked.txt'));

  const { code, out } = await rag('import', folder, '--labels', 'hr, leave');

  expect(code).toBe(1);
  expect(out).toMatch(/5 files .* as handbook\/….*1 hidden, 1 symbolic link, 1 of node_modules/);
  expect(out).toMatch(/3 written, 0 unchanged, 2 refused/);
  expect(out).toMatch(/refused handbook\/pictures\/logo\.png: .*PNG/);
  expect(out).toMatch(
    /refused handbook\/large\.txt: .*6291457 bytes.* at most 6291456.*bucket, as documents\/handbook\/large/,
  );
  expect(out).toMatch(/Without text: 1 document\n {2}handbook\/trips\/blank\.txt: .*blank/);
  expect(out).toMatch(/2 of 3 documents can be asked about/);
  expect(await paths()).toEqual(['handbook/leave.md', 'handbook/trips/blank.txt', 'handbook/trips/report ä+#.txt']);
  expect(await get<DocumentState>('/v1/documents/handbook/leave.md')).toMatchObject({
    contentType: 'text/markdown',
    audience: 'organization',
    labels: ['hr', 'leave'],
  });
  const raw = await fetch(`${url}/v1/documents/handbook/trips/report%20%C3%A4%2B%23.txt?content=raw`, {
    headers: { Authorization: `Bearer ${manager}` },
  });
  expect(await raw.text()).toBe('Trips are paid by the kilometre.');
  expect(raw.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''report%20%C3%A4%2B%23.txt");
});

test('again, only what has changed is written, and what the command does not say stays', async () => {
  for (const path of ['pictures/logo.png', 'large.txt', 'trips/blank.txt']) unlinkSync(join(folder, path));
  expect((await rag('import', folder, '--audience', 'managers')).out).toMatch(/2 written, 0 unchanged, 0 refused/);

  file('leave.md', '# Leave\n\nParents have 18 weeks off.');
  const again = await rag('import', folder);

  expect(again.code).toBe(0);
  expect(again.out).toMatch(/1 written, 1 unchanged, 0 refused/);
  expect(await get<DocumentState>('/v1/documents/handbook/leave.md')).toMatchObject({
    text: expect.stringContaining('18 weeks'),
    audience: 'managers',
    labels: ['hr', 'leave'],
  });
});

test('people who are named stay those who see it', async () => {
  expect((await rag('import', folder, '--audience', '2', '--prefix', 'private')).code).toBe(0);
  file('leave.md', '# Leave\n\nParents have 20 weeks off.');
  expect((await rag('import', folder, '--prefix', 'private')).out).toMatch(/1 written, 1 unchanged/);

  expect(await get<DocumentState>('/v1/documents/private/leave.md')).toMatchObject({
    audience: 'people',
    readers: [2],
  });
});

test('what has left the folder is removed when that is wanted, and nothing beside it', async () => {
  expect(await paths('handbook/')).toContain('handbook/trips/blank.txt');

  const { code, out } = await rag('import', folder, '--prune');

  expect(code).toBe(0);
  expect(out).toMatch(/Removing 1 document .*\n {2}handbook\/trips\/blank\.txt/);
  expect(await paths()).toEqual([
    'handbook/leave.md',
    'handbook/trips/report ä+#.txt',
    'private/leave.md',
    'private/trips/report ä+#.txt',
  ]);
});

test('an empty folder removes nothing', async () => {
  const empty = join(scratch, 'empty');
  mkdirSync(empty);

  const { code, err } = await rag('import', empty, '--prefix', 'handbook', '--prune');

  expect(code).toBe(1);
  expect(err).toMatch(/no files; nothing is pruned/);
  expect(await paths('handbook/')).toHaveLength(2);
});

test.each([
  [['--prefix', '../up'], /^--prefix must not contain \. or \.\./],
  [['--project', 'x'], /^--project must be the id of a project, or none, got x/],
  [['--type', 'task'], /^--type is not for a folder/],
])('%j is refused before anything is written', async (options, fault) => {
  const { code, err } = await rag('import', folder, ...options);

  expect(code).toBe(1);
  expect(err).toMatch(fault);
});

test('a fault of the command is told for each file, and nothing is written', async () => {
  const { code, out } = await rag('import', folder, '--audience', '99', '--prefix', 'none');

  expect(code).toBe(1);
  expect(out).toMatch(/refused none\/leave\.md: audience: there is no employee 99/);
  expect(await paths('none/')).toEqual([]);
});

test('stored files are read again, and the store is reconciled', async () => {
  const again = await rag('reindex', '--prefix', 'handbook/');
  expect(again).toMatchObject({ code: 0, out: expect.stringMatching(/2 documents read again, 0 could not be/) });

  const reconciled = await rag('reconcile');
  expect(reconciled).toMatchObject({
    code: 0,
    out: expect.stringMatching(/\d+ objects looked at: 0 written, 0 removed/),
  });

  expect(await rag('reindex', '--after', 'a')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^--after needs --type/),
  });
});
