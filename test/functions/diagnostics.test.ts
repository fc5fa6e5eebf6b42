import { existsSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DiagnosticTree } from '../../functions/file-shapes.ts';
import { type CallOptions, expectProblem, FunctionBench, type Reply } from '../support/functions.ts';
import { put } from '../support/records.ts';

let bench: FunctionBench;
let files: string;
const tokens = { writer: '', manager: '', developer: '', colleague: '' };
type Who = keyof typeof tokens;

beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), 'oci-rag-files-'));
  bench = await FunctionBench.open({ env: { RAG_STORAGE: `folder:${files}` } });
  await bench.write(put.employee(1, { role: 'manager' }), put.employee(2), put.employee(3));
  tokens.writer = await bench.token('importer', 'rag.write');
  tokens.manager = await bench.token('1');
  tokens.developer = await bench.token('2');
  tokens.colleague = await bench.token('3');
});
afterAll(async () => {
  await bench?.close();
  rmSync(files, { recursive: true, force: true });
});

const call = (who: Who, route: string, options: CallOptions = {}) =>
  bench.functions.call(route, { token: tokens[who], ...options });

const METADATA = { environmentId: 'PROD', erpModule: 'GL', erpVersion: '12.2.9', sourceScript: 'alert.sh' };

function write(id: string, body: string | Buffer, query: Record<string, string> = {}, type = 'text/plain') {
  const parameters = new URLSearchParams({ ...METADATA, ...query });
  return call('writer', `PUT /v1/diagnostics/${id}?${parameters}`, {
    body,
    headers: { 'Fn-Http-H-Content-Type': type },
  });
}

const tree = async (who: Who, id: string, query = '') =>
  (await call(who, `GET /v1/diagnostics/${id}${query}`)).body as unknown as DiagnosticTree;

const TABLESPACE_FULL = 'ORA-1652: unable to extend temp segment by 128 in tablespace TEMP';

/** An alert log: each entry with an error is a section of its own. */
const alertLog = (errors: number): string =>
  Array.from(
    { length: errors },
    (_, i) =>
      `2026-03-0${(i % 9) + 1}T10:0${i % 10}:00.000000+00:00\nErrors in file /u01/trace/PROD_${i}.trc:\n${TABLESPACE_FULL} no. ${i}\n`,
  ).join('');

describe('a written diagnostic', () => {
  test('is indexed by its sections, and shown as a tree of them', async () => {
    const written = await write('d1', alertLog(3), { errorCodes: 'FRM-40735', labels: 'night', audience: '2' });
    expect(written.status).toBe(202);
    expect(written.headers.location).toBe('/v1/diagnostics/d1');
    await bench.functions.invoke('drain');

    const shown = await tree('developer', 'd1');

    expect(shown).toMatchObject({
      id: 'd1',
      format: 'alert_log',
      ...METADATA,
      title: expect.stringContaining('GL 12.2.9'),
      contentType: 'text/plain',
      charset: 'utf-8',
      charsetAssumed: false,
      errorCodes: ['FRM-40735', 'ORA-01652'],
      labels: ['night'],
      audience: 'people',
      readers: null,
      state: 'ready',
      resolution: null,
      next: null,
    });
    expect(shown.sections.length).toBeGreaterThanOrEqual(3);
    const texts = shown.sections.flatMap(({ passages }) => passages.map(({ text }) => text ?? ''));
    expect(texts.filter((text) => text.includes(TABLESPACE_FULL))).toHaveLength(3);
    expect(texts.every((text) => text.startsWith('[DIAGNOSTIC d1]'))).toBe(true);
    for (const { metadata } of shown.sections) expect(metadata).not.toHaveProperty('environmentId');
  });

  test('is shown section by section', async () => {
    await write('paged', alertLog(5));
    await bench.functions.invoke('drain');
    const whole = await tree('developer', 'paged');

    const seen: number[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: DiagnosticTree = await tree('developer', 'paged', `?limit=2&after=${after}`);
      expect(page.sections.length).toBeLessThanOrEqual(2);
      seen.push(...page.sections.map(({ section }) => section));
      after = page.next;
    }
    expect(seen).toEqual(whole.sections.map(({ section }) => section));
  });

  test.each([
    ['UTF-8', Buffer.from(`Año 2026\r\n${TABLESPACE_FULL}`), 'text/plain', 'utf-8', false, 'Año'],
    ['an undeclared ISO-8859-1', Buffer.from('A\xf1o ORA-01652', 'latin1'), 'text/plain', 'windows-1252', true, 'Año'],
    [
      'a declared one',
      Buffer.from('A\xf1o ORA-01652', 'latin1'),
      'text/plain; charset=latin1',
      'windows-1252',
      false,
      'Año',
    ],
    ['UTF-16', Buffer.from('\ufeffAño ORA-01652', 'utf16le'), 'text/plain', 'utf-16le', false, 'Año'],
  ])('in %s is read as such, and comes back byte for byte', async (_, bytes, type, charset, charsetAssumed, start) => {
    await write('charset', bytes, {}, type);

    expect(await tree('developer', 'charset')).toMatchObject({ charset, charsetAssumed });
    expect((await call('developer', 'GET /v1/diagnostics/charset?content=text')).bytes.toString()).toMatch(start);
    const raw = await call('developer', 'GET /v1/diagnostics/charset?content=raw');
    expect(raw.bytes.equals(bytes)).toBe(true);
    expect(raw.headers['content-type']).toBe(`text/plain; charset=${charset}`);
  });

  test('without text is empty, and says so', async () => {
    await write('blank', ' \n ');
    await bench.functions.invoke('drain');

    expect(await tree('developer', 'blank')).toMatchObject({
      state: 'empty',
      reason: expect.any(String),
      sections: [],
    });
  });

  test('written again as it is enqueues nothing', async () => {
    await write('same', alertLog(1), { resolution: 'Add a file to TEMP.' });
    await bench.functions.invoke('drain');

    expect((await write('same', alertLog(1), { resolution: 'Add a file to TEMP.' })).body).toMatchObject({
      unchanged: true,
    });
    expect((await write('same', alertLog(1))).body).toMatchObject({ unchanged: true });
    expect(await bench.rows('SELECT * FROM rag_dirty')).toEqual([]);
    expect((await write('same', alertLog(1), { erpVersion: '12.1.3' })).body).toMatchObject({ unchanged: false });
  });

  test('keeps the bytes of its newest version alone, and none once it is deleted', async () => {
    await write('versions', 'first');
    await write('versions', 'second');
    expect(readdirSync(join(files, 'diagnostics', 'versions'))).toHaveLength(1);

    expect((await call('writer', 'DELETE /v1/diagnostics/versions')).status).toBe(202);
    expect(existsSync(join(files, 'diagnostics', 'versions'))).toBe(false);
    for (const route of ['GET /v1/diagnostics/versions', 'DELETE /v1/diagnostics/versions']) {
      expectProblem(await call(route.startsWith('GET') ? 'manager' : 'writer', route), 404, 'not_found');
    }
  });
});

describe('what is refused', () => {
  test.each([
    ['a PDF', '%PDF-1.7\nnothing', 'text/plain', 415, /text, or AWR/],
    ['a picture', Buffer.from('89504e470d0a1a0a', 'hex'), 'application/octet-stream', 415, /PNG/],
    ['HTML of anything else', '<!doctype html><h1>Menu</h1>', 'text/html', 415, /no AWR report/],
    ['a NUL', 'a text with a \0 in it', 'text/plain', 422, /NUL/],
    ['a charset that is none', 'text', 'text/plain; charset=klingon', 422, /klingon/],
  ])('%s', async (_, body, type, status, detail) => {
    const reply = await write('refused', body, {}, type);

    expectProblem(reply, status, status === 415 ? 'unsupported_media_type' : 'invalid_input');
    expect(reply.body.detail).toMatch(detail);
    expectProblem(await call('manager', 'GET /v1/diagnostics/refused'), 404, 'not_found');
  });

  test.each([
    ['erpVersion', 'erpVersion', ''],
    ['environmentId', 'environmentId', 'x'.repeat(201)],
    ['errorCodes', 'errorCodes', 'not a code'],
    ['audience', 'audience', '99'],
    ['colour', 'colour', 'red'],
    ['resolution', 'resolution', 'x'.repeat(4001)],
  ])('the parameter %s, by its name', async (_, field, value) => {
    const reply = await write('refused', 'text', { [field]: value });

    expectProblem(reply, 422, 'invalid_input');
    expect(reply.body.detail).toMatch(new RegExp(`^${field}`));
  });

  test.each(['..', 'a%2Fb', 'a%20b', 'x'.repeat(129), '%00'])('the id %s', async (id) => {
    const before = readdirSync(join(files, 'diagnostics'));
    const reply = await write(id, 'text');

    expectProblem(reply, 422, 'invalid_input');
    expect(reply.body.detail).toMatch(/^id: /);
    expectProblem(await call('manager', `GET /v1/diagnostics/${id}`), 404, 'not_found');
    expect(readdirSync(join(files, 'diagnostics'))).toEqual(before);
  });
});

describe('a resolution', () => {
  const resolve = (id: string, body: object) => call('writer', `PUT /v1/diagnostics/${id}/resolution`, { body });

  test('is a source of its own, seen by who sees the diagnostic', async () => {
    await write('resolved', alertLog(1), { audience: '2' });
    const written = await resolve('resolved', {
      resolution: 'Add a temp file of 32 GB.',
      resolutionType: 'configuration',
    });
    expect(written.status).toBe(202);
    expect(written.body).toMatchObject({ links: { state: '/v1/sources/resolution/resolved' } });
    await bench.functions.invoke('drain');

    expect(await tree('developer', 'resolved')).toMatchObject({
      resolution: { text: 'Add a temp file of 32 GB.', writtenAt: expect.any(String) },
      resolutionType: 'configuration',
    });
    const source = await call('developer', 'GET /v1/sources/resolution/resolved');
    expect(source.body).toMatchObject({
      state: 'ready',
      text: expect.stringContaining('Validated for: version 12.2.9'),
    });
    expectProblem(await call('colleague', 'GET /v1/sources/resolution/resolved'), 404, 'not_found');
  });

  test('can be taken back, and goes with its diagnostic', async () => {
    await write('taken', alertLog(1), { resolution: 'Restart it.' });
    expect((await tree('developer', 'taken')).resolution?.text).toBe('Restart it.');

    expect((await call('writer', 'DELETE /v1/diagnostics/taken/resolution')).status).toBe(202);
    expect((await tree('developer', 'taken')).resolution).toBeNull();
    expectProblem(await call('writer', 'DELETE /v1/diagnostics/taken/resolution'), 404, 'not_found');

    await resolve('taken', { resolution: 'Restart it twice.' });
    await bench.functions.invoke('drain');
    await call('writer', 'DELETE /v1/diagnostics/taken');
    await bench.functions.invoke('drain');
    expectProblem(await call('developer', 'GET /v1/sources/resolution/taken'), 404, 'not_found');
  });

  test('keeps its kind where its diagnostic is sent again without one', async () => {
    await write('kind', alertLog(1));
    await resolve('kind', { resolution: 'Add a file.', resolutionType: 'configuration' });
    await bench.functions.invoke('drain');

    expect((await write('kind', alertLog(1))).body).toMatchObject({ unchanged: true });
    await write('kind', alertLog(2));
    expect(await tree('developer', 'kind')).toMatchObject({ resolutionType: 'configuration' });
    await write('kind', alertLog(2), { resolutionType: 'patch' });
    expect(await tree('developer', 'kind')).toMatchObject({ resolutionType: 'patch' });
  });

  test('of no diagnostic, or without a text, is refused', async () => {
    expectProblem(await resolve('nowhere', { resolution: 'x' }), 404, 'not_found');
    await write('unresolved', 'text');
    for (const body of [{}, { resolution: ' ' }, { resolution: 'x', colour: 'red' }]) {
      expectProblem(await resolve('unresolved', body), 422, 'invalid_input');
    }
  });
});

describe('who may see a diagnostic', () => {
  beforeAll(async () => {
    await write('of-all', 'ORA-00060: deadlock of everybody');
    await write('of-managers', 'ORA-00060: deadlock of managers', { audience: 'managers' });
    await write('of-one', 'ORA-00060: deadlock of Ada', { audience: '2' });
    await bench.functions.invoke('drain');
  });
  const ALL = ['of-all', 'of-managers', 'of-one'];
  const SEEN: Record<Who, string[]> = {
    manager: ALL,
    developer: ['of-all', 'of-one'],
    colleague: ['of-all'],
    writer: [],
  };

  test.each(Object.keys(SEEN) as Who[])('%s', async (who) => {
    const list: Reply = await call(who, 'GET /v1/diagnostics?after=of&limit=1000');
    const listed = (list.body.diagnostics as { id: string }[]).map(({ id }) => id).filter((id) => ALL.includes(id));
    expect(listed).toEqual(who === 'writer' ? ALL : SEEN[who]);
    expect(JSON.stringify(list.body)).not.toMatch(/deadlock/);

    for (const id of ALL) {
      const isSeen = SEEN[who].includes(id);
      const shown = await call(who, `GET /v1/diagnostics/${id}`);
      if (!isSeen && who !== 'writer') expectProblem(shown, 404, 'not_found');
      else {
        expect(shown.body).toMatchObject({ id, state: 'ready' });
        expect(/deadlock/.test(JSON.stringify(shown.body))).toBe(isSeen);
        expect((shown.body.errorCodes as string[]).length).toBe(isSeen ? 1 : 0);
      }
      for (const content of ['raw', 'text']) {
        const reply = await call(who, `GET /v1/diagnostics/${id}?content=${content}`);
        if (isSeen) expect(reply.bytes.toString()).toMatch(/deadlock/);
        else expectProblem(reply, 404, 'not_found');
      }
    }
  });
});

test('reading stored output again keeps what was sent with it, and its resolution', async () => {
  await write('again', Buffer.from('A\xf1o ORA-01652', 'latin1'), { audience: '2', resolution: 'Add a file.' });
  await bench.functions.invoke('drain');
  await bench.database.execute('system', "UPDATE diagnostic SET content = 'spoilt' WHERE diagnostic_id = 'again'");

  const report = await call('writer', 'POST /v1/reindex', { body: { type: 'diagnostic', prefix: 'again' } });

  expect(report.body).toEqual({ done: 1, failed: [], next: null });
  expect(await tree('developer', 'again')).toMatchObject({
    ...METADATA,
    charset: 'windows-1252',
    charsetAssumed: true,
    audience: 'people',
    state: 'queued',
    resolution: { text: 'Add a file.' },
  });
  expect((await call('developer', 'GET /v1/diagnostics/again?content=text')).bytes.toString()).toBe('Año ORA-01652');
});
