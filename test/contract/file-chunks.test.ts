import { expect, test } from 'vitest';
import { documentQuery } from '../../functions/core/kinds/document.ts';
import { type DocumentWrite, putDocument, removeDocument } from '../../functions/store/documents.ts';
import { readSource } from '../../functions/store/sources.ts';
import { indexedText } from '../support/inspect.ts';
import { put } from '../support/records.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const GUIDE = ['# Guide', '## Leave', 'Ask your manager for leave.', '## Travel', 'Book trains early.'].join('\n\n');

/** Writes a Markdown document, with what a test does not care about filled in. */
async function write(
  bench: Bench,
  path: string,
  { labels = '', ...given }: Partial<Omit<DocumentWrite, 'labels'>> & { labels?: string },
) {
  const query = documentQuery.parse({ labels });
  await bench.database.transaction('system', (tx) =>
    putDocument(tx, {
      path,
      title: 'Guide',
      contentType: 'text/markdown',
      charset: 'utf-8',
      bytes: 1,
      digest: 'd',
      textFormat: 'markdown',
      content: GUIDE,
      emptyReason: null,
      readers: query.audience,
      projectId: query.projectId,
      labels: query.labels,
      origin: 'api',
      objectEtag: null,
      ...given,
    }),
  );
}

const factsOf = (bench: Bench) =>
  bench.database.rows(
    'system',
    'SELECT source_id, section, name, value FROM rag_fact ORDER BY source_id, section, name, value',
  );

const chunksOf = (bench: Bench) =>
  bench.database.rows<{ heading: string | null; repeated: number; content: string; metadata: Record<string, unknown> }>(
    'system',
    'SELECT heading, repeated, content, metadata FROM rag_chunk ORDER BY source_type, source_id, chunk_no',
  );

forEachDatabase('what is stored of a file', (bench) => {
  test('are its passages with their headings and how much of each stands elsewhere; its metadata also where no text changes', async () => {
    await write(bench, 'guide.md', { labels: 'hr' });
    await bench.drain();
    const chunks = await chunksOf(bench);
    await write(bench, 'guide.md', { labels: 'hr,leave' });
    const report = await bench.drain();
    const later = await chunksOf(bench);

    expect(chunks.map(({ content, repeated }) => content.slice(repeated)).join('')).toBe(GUIDE);
    expect(chunks.map((chunk) => chunk.heading)).toEqual(['Leave', 'Travel']);
    for (const { content, repeated, metadata } of chunks) {
      expect(content.slice(0, repeated)).toMatch(/^\[DOCUMENT guide\.md] Guide > (Leave|Travel)\n$/);
      expect(metadata).toEqual({ contentType: 'text/markdown', labels: ['hr'] });
    }
    expect(report).toMatchObject({ unchanged: 1, embedded: 0 });
    expect(later).toEqual(
      chunks.map((chunk) => ({ ...chunk, metadata: { contentType: 'text/markdown', labels: ['hr', 'leave'] } })),
    );
  });

  test('are its facts: replaced with its chunks and not before, gone with it, and no other source’s', async () => {
    await write(bench, 'a.md', { labels: 'hr,leave' });
    await write(bench, 'b.md', { labels: 'it' });
    await bench.drain();
    const of = (id: string, ...values: string[]) =>
      values.map((value) => ({ source_id: id, section: 0, name: 'labels', value }));
    const before = await factsOf(bench);
    let meanwhile: unknown;
    bench.embedder.before = async () => {
      meanwhile ??= await factsOf(bench);
    };
    await write(bench, 'a.md', { labels: 'leave,travel', content: '# New' });
    await bench.drain();
    const after = await factsOf(bench);
    await bench.database.transaction('system', (tx) => removeDocument(tx, 'a.md'));
    await bench.drain();

    expect(before).toEqual([...of('a.md', 'hr', 'leave'), ...of('b.md', 'it')]);
    expect(meanwhile).toEqual(before);
    expect(after).toEqual([...of('a.md', 'leave', 'travel'), ...of('b.md', 'it')]);
    expect(await factsOf(bench)).toEqual(of('b.md', 'it'));
  });

  test('is why it has nothing to index, until it has', async () => {
    const emptyReason = 'its pages are images; send it with a text layer';
    const stateOf = () => readSource(bench.database, { type: 'document', id: 'scan.pdf' });
    await write(bench, 'scan.pdf', { content: null, emptyReason });
    await bench.drain();
    const empty = await stateOf();
    await write(bench, 'scan.pdf', {});
    await bench.drain();
    const ready = await stateOf();
    await write(bench, 'scan.pdf', { content: null, emptyReason });
    await bench.drain();

    expect(empty).toMatchObject({ state: 'empty', lastError: emptyReason, chunkCount: 0 });
    expect(ready).toMatchObject({ state: 'ready', lastError: null, chunkCount: 2 });
    expect(await stateOf()).toMatchObject({ state: 'empty', lastError: emptyReason, chunkCount: 0 });
    expect(await chunksOf(bench)).toEqual([]);
  });

  test('beside records, in one batch', async () => {
    await write(bench, 'guide.md', { labels: 'hr' });
    await bench.write(put.project(1, { name: 'Ledger' }));

    expect(await bench.drain()).toMatchObject({ embedded: 2, failed: 0 });
    expect(await indexedText(bench.database, 'project/1')).toContain('Ledger');
    expect((await chunksOf(bench)).map((chunk) => chunk.heading)).toEqual(['Leave', 'Travel', null]);
  });
});
