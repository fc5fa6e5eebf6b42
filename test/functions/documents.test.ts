import { readdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docxOf, paragraph, pdfOf } from '../support/documents.ts';
import { type CallOptions, expectProblem, FunctionBench, type Reply } from '../support/functions.ts';
import { put, remove } from '../support/records.ts';

let bench: FunctionBench;
/** Where the raw bytes are. */
let files: string;
const tokens: Record<'writer' | 'manager' | 'developer' | 'colleague' | 'developing writer', string> = {
  writer: '',
  manager: '',
  developer: '',
  colleague: '',
  'developing writer': '',
};
type Who = keyof typeof tokens;

beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), 'oci-rag-files-'));
  bench = await FunctionBench.open({ env: { RAG_STORAGE: `folder:${files}` } });
  await bench.write(put.employee(1, { role: 'manager' }), put.employee(2), put.employee(3), put.project(7));
  tokens.writer = await bench.token('importer', 'rag.write');
  tokens.manager = await bench.token('1');
  tokens.developer = await bench.token('2');
  tokens.colleague = await bench.token('3');
  tokens['developing writer'] = await bench.token('2', 'rag.write');
});
afterAll(async () => {
  await bench?.close();
  rmSync(files, { recursive: true, force: true });
});

const call = (who: Who, route: string, options: CallOptions = {}) =>
  bench.functions.call(route, { token: tokens[who], ...options });

const typed = (type: string) => ({ 'Fn-Http-H-Content-Type': type });

/** Writes a document; the path is as it stands in a URL, parameters behind it. */
const write = (path: string, body: string | Buffer, type?: string): Promise<Reply> =>
  call('writer', `PUT /v1/documents/${path}`, { body, ...(type === undefined ? {} : { headers: typed(type) }) });

const read = (who: Who, path: string) => call(who, `GET /v1/documents/${path}`);

/** The names of the kept versions, the folders of their documents first. */
const kept = (): string[] =>
  (readdirSync(files, { recursive: true }) as string[]).filter((name) => /\/[0-9a-f]{64}$/.test(name)).sort();

const keptOf = (path: string) => kept().filter((name) => name.startsWith(`documents/${path}/`));

async function asOwner(sql: string): Promise<void> {
  const client = new Client({ connectionString: bench.env.RAG_DATABASE });
  await client.connect();
  await client.query(sql);
  await client.end();
}

describe('a written document', () => {
  test('is told where its state is, is indexed, and found by what it says', async () => {
    const written = await write(
      'policies/leave.md?labels=hr,leave&projectId=7',
      '# Leave\n\nParents have **16 weeks** off.',
    );

    expect(written.status).toBe(202);
    expect(written.headers.location).toBe('/v1/documents/policies/leave.md');
    expect(written.body).toEqual({
      status: 'accepted',
      links: { state: '/v1/documents/policies/leave.md' },
      unchanged: false,
    });
    const queued = await read('developer', 'policies/leave.md');
    expect(queued.body).toMatchObject({ state: 'queued', chunkCount: 0, indexedAt: null });

    await bench.functions.invoke('drain');

    const state = await read('developer', 'policies/leave.md');
    expect(state.body).toMatchObject({
      path: 'policies/leave.md',
      title: 'Leave',
      contentType: 'text/markdown',
      charset: 'utf-8',
      audience: 'organization',
      readers: null,
      projectId: 7,
      labels: ['hr', 'leave'],
      state: 'ready',
      reason: null,
      text: '# Leave\n\nParents have **16 weeks** off.',
      links: { raw: '/v1/documents/policies/leave.md?content=raw' },
    });
    const found = await call('developer', 'POST /v1/search', {
      body: { question: 'How many weeks off do parents have?' },
    });
    expect((found.body.citations as object[])[0]).toMatchObject({
      sourceType: 'document',
      sourceId: 'policies/leave.md',
    });
    const source = await call('developer', 'GET /v1/sources/document/policies%2Fleave.md');
    expect(source.body).toMatchObject({ state: 'ready', sourceId: 'policies/leave.md' });
    for (const id of ['a%00b', 'no%20such', '%ED%A0%80']) {
      const { status } = await call('developer', `GET /v1/sources/document/${id}`);
      expect([400, 404]).toContain(status);
    }
  });

  test.each([
    ['any bytes of a text', 'notes/ä%20b+c%25.txt', Buffer.from('\ufeffone\r\ntwo\rthree'), 'text/plain'],
    ['UTF-16 with its mark', 'notes/utf16.txt', Buffer.from('\ufeffGrüße', 'utf16le'), 'text/plain'],
    [
      'a declared charset',
      'notes/latin.txt',
      Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65]),
      'text/plain; charset=iso-8859-1',
    ],
    ['an empty file', 'notes/empty.txt', Buffer.alloc(0), 'text/plain'],
    ['a PDF', 'notes/report.pdf', pdfOf(['BT /F1 12 Tf 72 700 Td (Hello) Tj ET']), 'application/pdf'],
    ['a Word document', 'notes/letter.docx', docxOf(paragraph('Dear Ada')), 'application/octet-stream'],
  ])('comes back byte for byte: %s', async (_, path, bytes, type) => {
    expect((await write(path, bytes, type)).status).toBe(202);

    const raw = await read('developer', `${path}?content=raw`);

    expect(raw.status).toBe(200);
    expect(raw.bytes.equals(bytes)).toBe(true);
    expect(raw.headers['x-content-type-options']).toBe('nosniff');
    expect(raw.headers['content-disposition']).toMatch(/^attachment; filename\*=UTF-8''[\w%.+-]+$/);
  });

  test('is read in its charset, and its text is UTF-8', async () => {
    await write('read/latin.txt', Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65]), 'text/plain; charset=iso-8859-1');
    await write('read/utf16.txt', Buffer.from('\ufeffGrüße', 'utf16le'), 'text/plain');

    for (const path of ['read/latin.txt', 'read/utf16.txt']) {
      const text = await read('developer', `${path}?content=text`);
      expect(text.headers['content-type']).toBe('text/plain; charset=utf-8');
      expect(text.bytes.toString('utf8')).toBe('Grüße');
    }
  });

  test('is what its bytes are, whatever it is called', async () => {
    await write('read/no.txt', pdfOf(['BT /F1 12 Tf 72 700 Td (Hello) Tj ET']), 'text/plain');

    expect((await read('developer', 'read/no.txt')).body).toMatchObject({
      contentType: 'application/pdf',
      text: 'Hello',
    });
  });

  test('without text is empty, and says what to do', async () => {
    await write('scan.pdf', pdfOf(['', '']), 'application/pdf');
    await write('blank.txt', ' \n\t ', 'text/plain');
    await bench.functions.invoke('drain');

    expect((await read('developer', 'scan.pdf')).body).toMatchObject({
      state: 'empty',
      text: null,
      reason: expect.stringMatching(/OCR/),
    });
    expect((await read('developer', 'blank.txt')).body).toMatchObject({
      state: 'empty',
      reason: expect.stringMatching(/blank/),
    });
  });

  test('written again as it is enqueues nothing, and with other readers it does', async () => {
    await write('same.txt?audience=2,3&labels=a', 'The same', 'text/plain');
    await bench.functions.invoke('drain');

    const again = await write('same.txt?audience=3,2&labels=a', 'The same', 'text/plain');
    expect(again.status).toBe(202);
    expect(again.body).toMatchObject({ unchanged: true });
    expect(await bench.rows('SELECT * FROM rag_dirty')).toEqual([]);

    const others = await write('same.txt?audience=3&labels=a', 'The same', 'text/plain');
    expect(others.body).toMatchObject({ unchanged: false });
    expect(await bench.rows('SELECT source_id FROM rag_dirty')).toEqual([{ source_id: 'same.txt' }]);
    expectProblem(await read('developer', 'same.txt'), 404, 'not_found');
  });

  test('keeps the bytes of its newest version alone, and none once it is deleted', async () => {
    await write('versions.txt', 'first');
    await write('versions.txt', 'second');
    expect(keptOf('versions.txt')).toHaveLength(1);
    expect((await read('developer', 'versions.txt?content=raw')).bytes.toString()).toBe('second');

    const deleted = await call('writer', 'DELETE /v1/documents/versions.txt');

    expect(deleted.status).toBe(202);
    expect(keptOf('versions.txt')).toEqual([]);
    expectProblem(await read('manager', 'versions.txt'), 404, 'not_found');
    expectProblem(await call('writer', 'DELETE /v1/documents/versions.txt'), 404, 'not_found');
  });
});

describe('what is refused', () => {
  const FAULTS: [string, string, number, RegExp][] = [
    ['a..%2f..%2fb', 'up by an encoded slash', 422, /\. or \.\./],
    ['a/%2e%2e/b', 'up in encoded dots', 422, /\. or \.\./],
    ['../b', 'up', 422, /\. or \.\./],
    ['a%5C..%5Cb', 'a backslash', 422, /backslash/],
    ['a%00b', 'NUL', 422, /control/],
    ['a//b', 'an empty name', 422, /empty name/],
    ['%2Fetc%2Fpasswd', 'an absolute path', 422, /begin with/],
    ['a/', 'a folder', 422, /end with/],
    ['a%0Ab', 'a line end', 422, /control/],
    [`a/${'0'.repeat(64)}`, 'the name of a version', 422, /64 hexadecimal/],
    ['x'.repeat(513), 'too long a path', 422, /512 characters/],
    ['a%ZZ', 'no percent-encoding', 400, /percent-encoded/],
    ['a%FF', 'no UTF-8', 400, /percent-encoded/],
  ];
  test.each(FAULTS)('the path %s: %s', async (path, _, status, detail) => {
    const before = kept();
    for (const method of ['PUT', 'GET', 'DELETE']) {
      const reply = await call('writer', `${method} /v1/documents/${path}`, { body: method === 'PUT' ? 'text' : '' });

      expectProblem(reply, status, status === 400 ? 'malformed_request' : 'invalid_input');
      expect(reply.body.detail).toMatch(/^path: /);
      expect(reply.body.detail).toMatch(detail);
    }
    expect(kept()).toEqual(before);
  });

  test.each([
    ['bytes that do not fit', Buffer.from([0x61, 0xff]), 'text/plain', 422, /body: is not UTF-8 at byte 1/],
    ['a charset that is none', Buffer.from('a'), 'text/plain; charset=klingon', 422, /klingon/],
    ['a picture', Buffer.from('89504e470d0a1a0a', 'hex'), 'text/plain', 415, /PNG/],
    ['text that is declared a PDF', Buffer.from('Hello'), 'application/pdf', 415, /application\/pdf/],
    ['a NUL in a text', Buffer.from('a text with a \0 in it'), 'text/plain', 422, /NUL/],
    ['a broken PDF', Buffer.from('%PDF-1.7\nnothing'), 'application/pdf', 422, /PDF/],
  ])('%s, and nothing is kept of it', async (_, body, type, status, detail) => {
    const reply = await write('refused.bin', body, type);

    expectProblem(reply, status, status === 415 ? 'unsupported_media_type' : 'invalid_input');
    expect(reply.body.detail).toMatch(detail);
    expect(keptOf('refused.bin')).toEqual([]);
    expectProblem(await read('manager', 'refused.bin'), 404, 'not_found');
  });

  test.each([
    ['audience=nobody', /^audience: must be organization/],
    ['audience=99', /^audience: there is no employee 99/],
    ['projectId=99', /^projectId: there is no project 99/],
    ['projectId=x', /^projectId: must be a whole number/],
    ['title=%20', /^title: must not be blank/],
    ['colour=red', /^colour: is not a field here/],
    ['labels=a&labels=b', /^labels: is given more than once/],
    [`labels=${Array.from({ length: 21 }, (_, i) => i).join(',')}`, /^labels: is at most 20 labels, got 21/],
  ])('the parameter %s, by its name', async (query, detail) => {
    const reply = await write(`refused.txt?${query}`, 'text');

    expectProblem(reply, 422, 'invalid_input');
    expect(reply.body.detail).toMatch(detail);
  });
});

describe('who may see a document', () => {
  beforeAll(async () => {
    await write('for/all.txt', 'Everybody: the canteen opens at noon');
    await write('for/managers.txt?audience=managers', 'Managers: the building is for sale');
    await write('for/one.txt?audience=2', 'Ada: the raise is granted');
    await bench.functions.invoke('drain');
  });

  const SEEN: Record<Who, string[]> = {
    manager: ['for/all.txt', 'for/managers.txt', 'for/one.txt'],
    developer: ['for/all.txt', 'for/one.txt'],
    colleague: ['for/all.txt'],
    writer: [],
    'developing writer': ['for/all.txt', 'for/one.txt'],
  };
  const mayWrite = (who: Who) => who.includes('writer');
  const ALL = ['for/all.txt', 'for/managers.txt', 'for/one.txt'];

  test.each(Object.keys(SEEN) as Who[])('%s: in a list, alone, as text and as it came', async (who) => {
    const list = await call(who, 'GET /v1/documents?prefix=for/');
    expect((list.body.documents as { path: string }[]).map(({ path }) => path)).toEqual(
      mayWrite(who) ? ALL : SEEN[who],
    );
    expect(JSON.stringify(list.body)).not.toMatch(/canteen|building is|raise/);

    for (const path of ALL) {
      const isSeen = SEEN[who].includes(path);
      const state = await read(who, path);
      if (isSeen || mayWrite(who)) {
        expect(state.body).toMatchObject({ state: 'ready', text: isSeen ? expect.any(String) : null });
      } else expectProblem(state, 404, 'not_found');
      for (const content of ['raw', 'text']) {
        const reply = await read(who, `${path}?content=${content}`);
        if (isSeen) expect(reply.status).toBe(200);
        else expectProblem(reply, 404, 'not_found');
      }
    }
  });

  test('what may not be seen looks like what is not there', async () => {
    const hidden = await read('colleague', 'for/one.txt');
    const absent = await read('colleague', 'for/two.txt');

    const anonymous = ({ status, body }: Reply, path: string) => ({
      status,
      body: JSON.parse(JSON.stringify({ ...body, callId: '' }).replaceAll(path, 'PATH')),
    });
    expect(anonymous(hidden, 'for/one.txt')).toEqual(anonymous(absent, 'for/two.txt'));
  });

  test('the listed readers are told to who may write or sees everything', async () => {
    expect((await read('manager', 'for/one.txt')).body.readers).toEqual([2]);
    expect((await read('writer', 'for/one.txt')).body.readers).toEqual([2]);
    expect((await read('developer', 'for/one.txt')).body.readers).toBeNull();
  });

  test('a right that is taken away is gone at once, and so is that of who has left', async () => {
    await write('left.txt?audience=2,3', 'Secret');
    await write('left.txt?audience=3', 'Secret');
    expectProblem(await read('developer', 'left.txt'), 404, 'not_found');
    expect((await read('colleague', 'left.txt')).status).toBe(200);

    await bench.write(put.employee(8), put.employee(9));
    await write('left.txt?audience=8', 'Secret');
    await bench.write(remove('employee', 8), put.employee(8));
    expectProblem(
      await bench.functions.call('GET /v1/documents/left.txt', { token: await bench.token('8') }),
      404,
      'not_found',
    );
  });
});

describe('a list of documents', () => {
  beforeAll(async () => {
    for (const name of ['a', 'b', 'c', 'd%C3%A9', 'd_', 'd%25']) await write(`list/${name}`, name);
    await write('listen', 'to me');
  });

  test('goes on from page to page in the order of the paths', async () => {
    const seen: string[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const page: Reply = await call(
        'manager',
        `GET /v1/documents?prefix=list/&limit=2&after=${encodeURIComponent(after)}`,
      );
      const documents = page.body.documents as { path: string }[];
      expect(documents.length).toBeLessThanOrEqual(2);
      seen.push(...documents.map(({ path }) => path));
      after = page.body.next as string | null;
    }
    expect(seen).toEqual(['list/a', 'list/b', 'list/c', 'list/d%', 'list/d_', 'list/dé']);
  });

  test.each(['list/d_', 'list/d%', 'list/dé'])('takes the prefix %s as it is', async (prefix) => {
    const page = await call('manager', `GET /v1/documents?prefix=${encodeURIComponent(prefix)}`);

    expect((page.body.documents as { path: string }[]).map(({ path }) => path)).toEqual([prefix]);
  });

  test('takes a prefix in another form than the composed one', async () => {
    const page = await call('manager', `GET /v1/documents?prefix=${encodeURIComponent('list/de\u0301')}`);

    expect((page.body.documents as { path: string }[]).map(({ path }) => path)).toEqual(['list/dé']);
  });

  test.each([
    'limit=0',
    'limit=1001',
    'limit=x',
    `prefix=${'x'.repeat(513)}`,
    'prefix=a%00b',
    'after=a%00b',
    'colour=red',
  ])('refuses %s', async (query) => {
    const reply = await call('manager', `GET /v1/documents?${query}`);

    expectProblem(reply, 422, 'invalid_input');
    expect(reply.body.detail).toMatch(new RegExp(`^${query.split('=')[0]}\\b`));
  });
});

describe('what goes wrong in the middle', () => {
  test('two writers of one path at once leave one of the two, whole', async () => {
    const texts = Array.from({ length: 6 }, (_, i) => `version ${i} of the text`);
    const other = bench.withSettings({});

    const replies = await Promise.all(
      texts.map((body, i) =>
        (i % 2 === 0 ? bench.functions : other).call('PUT /v1/documents/race.txt', { token: tokens.writer, body }),
      ),
    );

    for (const { status } of replies) expect([202, 409]).toContain(status);
    const raw = (await read('manager', 'race.txt?content=raw')).bytes.toString();
    const state = (await read('manager', 'race.txt')).body;
    expect(texts).toContain(raw);
    expect(state.text).toBe(raw);
    expect(keptOf('race.txt')).toContain(`documents/race.txt/${state.digest}`);
  });

  test('bytes that are kept when the database fails hurt nobody, and are used by the next try', async () => {
    await write('broken.txt', 'before');
    await asOwner("ALTER TABLE document ADD CONSTRAINT no_after CHECK (content <> 'after')");

    const failed = await write('broken.txt', 'after');
    expectProblem(failed, 500, 'internal_error');
    expect((await read('manager', 'broken.txt?content=raw')).bytes.toString()).toBe('before');

    await asOwner('ALTER TABLE document DROP CONSTRAINT no_after');
    expect((await write('broken.txt', 'after')).status).toBe(202);
    expect((await read('manager', 'broken.txt?content=raw')).bytes.toString()).toBe('after');
    expect(keptOf('broken.txt')).toHaveLength(1);
  });

  test('a file whose bytes have gone says so', async () => {
    await write('gone.txt', 'gone');
    rmSync(join(files, 'documents', 'gone.txt'), { recursive: true });

    expectProblem(await read('manager', 'gone.txt?content=raw'), 404, 'not_found');
    expect((await read('manager', 'gone.txt')).body).toMatchObject({ text: 'gone' });
    expect((await write('gone.txt', 'gone')).body).toMatchObject({ unchanged: true });
    expect((await read('manager', 'gone.txt?content=raw')).bytes.toString()).toBe('gone');
  });
});

describe('reading stored files again', () => {
  test('puts what is in them into the queue, page by page, and tells what it cannot read', async () => {
    for (const name of ['a', 'b', 'c']) await write(`again/${name}.txt?audience=2&labels=x&title=T`, `Text ${name}`);
    await bench.functions.invoke('drain');
    await bench.database.execute('system', "UPDATE document SET content = 'spoilt' WHERE path LIKE 'again/%'");
    rmSync(join(files, 'documents', 'again', 'b.txt'), { recursive: true });

    const first = await call('writer', 'POST /v1/reindex', { body: { type: 'document', prefix: 'again/', limit: 2 } });
    const second = await call('writer', 'POST /v1/reindex', {
      body: { type: 'document', prefix: 'again/', limit: 2, after: first.body.next },
    });

    expect(first.body).toEqual({
      done: 1,
      failed: [{ id: 'again/b.txt', reason: expect.stringMatching(/send the file again/) }],
      next: 'again/b.txt',
    });
    expect(second.body).toEqual({ done: 1, failed: [], next: null });
    expect((await read('developer', 'again/a.txt')).body).toMatchObject({
      text: 'Text a',
      state: 'queued',
      title: 'T',
      labels: ['x'],
      audience: 'people',
    });
    expect((await read('developer', 'again/b.txt')).body).toMatchObject({ text: 'spoilt', state: 'ready' });
  });
});
