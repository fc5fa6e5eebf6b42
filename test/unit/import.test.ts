import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { Checkpoint, importsFolder, type Progress } from '../../scripts/rag/import/checkpoint.ts';
import { readCsv } from '../../scripts/rag/import/csv.ts';
import { ErrorFile } from '../../scripts/rag/import/error-file.ts';
import { type Item, inBatches, skip } from '../../scripts/rag/import/items.ts';
import { bindToHeader, type Mapping, parseMapping, toRecord } from '../../scripts/rag/import/mapping.ts';
import { readNdjson } from '../../scripts/rag/import/ndjson.ts';
import { countRecords, digestOf } from '../../scripts/rag/import/survey.ts';

const folder = mkdtempSync(join(tmpdir(), 'oci-rag-import-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function file(content: string | Buffer): string {
  const path = join(folder, `file${++files}`);
  writeFileSync(path, content);
  return path;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const JIRA = parseMapping({ map: ['id=key,title=summary,storyPoints=points,assigneeId=who'] });
const record = (row: Record<string, string>, mapping: Mapping = JIRA) => toRecord(mapping, row);
const csv = async (text: string | Buffer, mapping = parseMapping({})) =>
  (await collect(readCsv(file(text), mapping))).map(({ line, bytes }) => ({ line, ...JSON.parse(bytes.toString()) }));

describe('the mapping', () => {
  test.each([
    ['CLOV-1086', 1086],
    ['PROJ-2-0017', 17],
    ['42', 42],
    ['42.0', 42],
    ['-5', -5],
    ['1.5', 1.5],
    ['none', 'none'],
    ['X-0', 'X-0'],
    ['X-99999999999999999999', 'X-99999999999999999999'],
  ])('a key %s is the id %s', (key, id) => {
    expect(record({ key }).id).toBe(id);
  });

  test('numbers are numbers, references are ids, text stays text', () => {
    const row = { key: 'A-1', summary: '007', points: '2.5', who: 'user-12' };

    expect(record(row)).toEqual({ type: 'task', id: 1, data: { title: '007', storyPoints: 2.5, assigneeId: 12 } });
  });

  test('what is no number goes as it is, for the server to name', () => {
    expect(record({ key: 'A-1', points: '1,5' }).data).toEqual({ storyPoints: '1,5' });
    expect(record({ key: 'A-1', points: '0x10' }).data).toEqual({ storyPoints: '0x10' });
  });

  test.each(['', '  ', 'NULL', ' NULL '])('an empty cell "%s" is left out', (cell) => {
    expect(record({ key: cell, summary: cell, points: cell })).toEqual({ type: 'task', data: {} });
  });

  test('--set gives every record a value, of the type of its field', () => {
    const mapping = parseMapping({ map: ['id=key'], set: ['projectId=7,status=done', 'description=a, b, and c'] });

    expect(record({ key: '1' }, mapping).data).toEqual({ projectId: 7, status: 'done', description: 'a, b, and c' });
  });

  test.each([
    [{ type: 'bug' }, /--type must be one of employee, project, sprint, task, got bug/],
    [{ map: ['id'] }, /--map takes field=column,… pairs, got "id"/],
    [{ map: ['colour=x'] }, /a task has no field colour; it has id, title/],
    [{ map: ['id=a,id=b'] }, /--map names id twice/],
    [{ set: ['id=1'] }, /--set cannot give every record the same id/],
    [{ map: ['title=a'], set: ['title=b'] }, /title is named by both/],
  ])('%o is refused', (options, message) => {
    expect(() => parseMapping(options)).toThrow(message);
  });

  test('without --map, the columns that have a field of the type as name are read', () => {
    const { columns } = bindToHeader(parseMapping({ type: 'sprint' }), ['id', 'name', 'title', 'goal']);

    expect(columns).toEqual({ id: 'id', name: 'name', goal: 'goal' });
  });

  test('a column that the file has not is named, with those it has', () => {
    expect(() => bindToHeader(JIRA, ['key', 'Summary'])).toThrow(
      'The file has no column "summary"; it has "key", "Summ',
    );
    expect(() => bindToHeader(parseMapping({}), ['key'])).toThrow('say which one holds the keys');
  });
});

describe('CSV', () => {
  test('a mark at the start, CRLF, quotes and fields of many lines are read, each with its first line', async () => {
    const text = '\ufeffid,title\r\n1,"two\nlines, ""quoted"""\r\n\r\nA-2,ü\r\n';

    expect(await csv(text)).toEqual([
      { line: 2, type: 'task', id: 1, data: { title: 'two\nlines, "quoted"' } },
      { line: 5, type: 'task', id: 2, data: { title: 'ü' } },
    ]);
  });

  test.each([
    ['id,title\n1,a,b\n', /no regular CSV: Invalid Record Length.* line 2/],
    ['id,title\n1,"a\n', /no regular CSV: Quote Not Closed/],
    ['id,id\n1,2\n', /two columns named "id"/],
    ['', /The file is empty/],
    [Buffer.from('id,title\n1,M\xfcller\n', 'latin1'), /not UTF-8/],
  ])('%j is refused as a whole', async (text, message) => {
    await expect(csv(text)).rejects.toThrow(message);
  });

  test('whatever the cells hold, the records hold it', async () => {
    const cell = fc.string({ unit: 'grapheme' }).filter((text) => text.trim() !== '' && text.trim() !== 'NULL');
    await fc.assert(
      fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 5 }), async (titles) => {
        const rows = titles.map((title, i) => `${i + 1},"${title.replaceAll('"', '""')}"\n`);

        const records = await csv(`id,title\n${rows.join('')}`);

        expect(records.map(({ data }) => data.title)).toEqual(titles);
      }),
      { numRuns: 50 },
    );
  });

  test('two keys of one number are refused by their lines; one key twice is not', async () => {
    const items = (text: string) => readCsv(file(text), parseMapping({}));

    expect(await countRecords(items('id,title\nA-1,x\nA-1,y\n'))).toBe(2);
    await expect(countRecords(items('id,title\nA-1,x\nA-2,y\nB-1,z\n'))).rejects.toThrow(
      'A-1 (line 2) and B-1 (line 4) would both be number 1',
    );
  });
});

describe('NDJSON', () => {
  test('lines go byte for byte, with their numbers; blank ones are passed over', async () => {
    const long = JSON.stringify({ text: 'x'.repeat(200_000) });
    const items = await collect(readNdjson(file(Buffer.from(`{"a":1}\r\n\n  \n\xff\n${long}`, 'latin1'))));

    expect(items.map(({ line }) => line)).toEqual([1, 4, 5]);
    expect(items[1]?.bytes).toEqual(Buffer.from([0xff]));
    expect(items[2]?.bytes.toString()).toBe(long);
  });
});

describe('batches', () => {
  async function* sized(sizes: number[]): AsyncGenerator<Item> {
    for (const [i, size] of sizes.entries()) yield { line: i + 1, bytes: Buffer.alloc(size - 1) };
  }

  test('keep both limits and the order, and lose nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 50 })), async (sizes) => {
        const batches = await collect(inBatches(sized(sizes), { maxItems: 4, maxBytes: 100 }));

        expect(batches.flat().map(({ line }) => line)).toEqual(sizes.map((_, i) => i + 1));
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(4);
          expect(batch.reduce((sum, { bytes }) => sum + bytes.length + 1, 0)).toBeLessThanOrEqual(100);
        }
      }),
    );
  });

  test('a record above the limit is a batch of its own', async () => {
    const batches = await collect(inBatches(sized([10, 500, 10]), { maxItems: 4, maxBytes: 100 }));

    expect(batches.map((batch) => batch.map(({ line }) => line))).toEqual([[1], [2], [3]]);
  });

  test('what is done is skipped', async () => {
    expect((await collect(skip(sized([1, 1, 1]), 2))).map(({ line }) => line)).toEqual([3]);
  });
});

describe('the checkpoint', () => {
  const progress: Progress = { settings: 's', done: 2, accepted: 1, failed: 1, errorBytes: 9, finished: false };

  test('is found by the content of the file, and only for the same import', async () => {
    const imports = await importsFolder(folder);
    const path = file('a');
    await new Checkpoint(imports, await digestOf(path)).save(progress);

    expect(await new Checkpoint(imports, await digestOf(path)).unfinished('s')).toEqual(progress);
    expect(await new Checkpoint(imports, await digestOf(path)).unfinished('another mapping')).toBeNull();
    expect(await new Checkpoint(imports, await digestOf(file('b'))).unfinished('s')).toBeNull();
  });

  test('of a finished import, or one that is spoiled, begins anew', async () => {
    const checkpoint = new Checkpoint(folder, 'digest');
    await checkpoint.save({ ...progress, finished: true });
    expect(await checkpoint.unfinished('s')).toBeNull();

    writeFileSync(join(folder, 'digest.json'), '{"done":');
    expect(await checkpoint.unfinished('s')).toBeNull();
  });

  test('cuts off what a killed import wrote behind it into the error file', async () => {
    const path = join(folder, 'errors');
    const failure = (line: number) => ({ line, status: 422, code: 'invalid_input', detail: 'x' });
    const killed = await ErrorFile.open(path, 0, 20);
    await killed.append([failure(1), failure(2)]);
    const { bytes } = killed;
    await killed.append([failure(3)]);

    const resumed = await ErrorFile.open(path, bytes, 2);
    await resumed.append([failure(4)]);

    expect(resumed.first.map(({ line }) => line)).toEqual([1, 2]);
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).line)).toEqual([1, 2, 4]);
  });
});
