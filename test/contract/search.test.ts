import { describe, expect, test } from 'vitest';
import { HASHING, HashingEmbedder, hashVector, vector } from '../support/hashing-embedder.ts';
import { besides } from '../support/hits.ts';
import { callerOf, indexedText, readChunks } from '../support/inspect.ts';
import { searchNearest } from '../support/nearest.ts';
import { askAs, FixedAnswerer, findSources } from '../support/questions.ts';
import { put } from '../support/records.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const MANAGER = callerOf(1, 'manager');

/** Lines that each name their number, so that every passage has a word of its own. */
const numbered = (count: number, word = 'payment') =>
  Array.from({ length: count }, (_, i) => `The ${word} rule number${i} is kept by the team.`).join('\n');

const nearest = (bench: Bench, question: string, topK = 8, model = HASHING) =>
  searchNearest(bench.database, MANAGER, { question: Float32Array.from(hashVector(question)), model, topK });

forEachDatabase('a search', (bench) => {
  describe('over a record that was cut into passages', () => {
    test('counts its passages as one hit, the nearest, and leaves the other places to others', async () => {
      bench.embedder.vectorOf = (text) => {
        if (text.includes('number20 ')) return vector(1, 0);
        return text.includes('number') ? vector(1, 0.1) : vector(1, 1);
      };
      await bench.write(put.project(1, { description: numbered(40) }), put.project(2), put.project(3), put.project(4));
      await bench.drain();
      const passages = await readChunks(bench.database, 'project/1');

      const hits = await searchNearest(bench.database, MANAGER, {
        question: vector(1, 0),
        model: HASHING,
        topK: 4,
      });

      expect(passages.length).toBeGreaterThan(4);
      expect(hits.map((hit) => hit.sourceId)).toEqual(['1', '2', '3', '4']);
      expect(hits[0]?.chunkId).toBe(passages.find(({ content }) => content.includes('number20 '))?.chunk_id);
    });

    test.each([
      { place: 'first', number: 0 },
      { place: 'middle', number: 20 },
      { place: 'last', number: 39 },
    ])('brings the passages beside the $place one along', async ({ number }) => {
      bench.embedder.vectorOf = (text) => (text.includes(`number${number} `) ? vector(1, 0) : vector(0, 1));
      await bench.write(put.project(1, { description: numbered(40) }), put.project(2, { description: numbered(40) }));
      await bench.drain();
      const passages = await readChunks(bench.database, 'project/1');
      const at = passages.findIndex((passage) => passage.content.includes(`number${number} `));

      const [hit] = await searchNearest(bench.database, MANAGER, {
        question: vector(1, 0),
        model: HASHING,
        topK: 1,
      });

      expect(hit).toMatchObject({
        chunkId: passages[at]?.chunk_id,
        before: besides(passages, at - 3, at),
        after: besides(passages, at + 1, at + 4),
      });
    });

    test('shows an answerer the section around the passage, without its repeated first line', async () => {
      await bench.write(put.project(1, { name: 'Rules', description: numbered(40) }));
      await bench.drain();
      const answerer = new FixedAnswerer(null);

      await askAs(bench, { caller: MANAGER }, 'number20 number20 number20', answerer);

      const text = answerer.requests[0]?.sources[0]?.text ?? '';
      const whole = await indexedText(bench.database, 'project/1');
      expect(text).toContain('number20 ');
      expect(text.match(/\[PROJECT #1\]/g)).toHaveLength(1);
      expect(whole).toContain(text.slice(text.indexOf('\n') + 1));
    });

    test('knows a section for each passage of a text that was cut, and none for a text that is whole', async () => {
      await bench.write(put.project(1, { description: numbered(40) }), put.project(2));
      await bench.drain();

      const sections = (await readChunks(bench.database)).map(({ source, section }) => ({ source, section }));
      expect(sections.filter((s) => s.source === 'project/1' && s.section !== 1)).toEqual([]);
      expect(sections.filter((s) => s.source === 'project/2')).toEqual([{ source: 'project/2', section: null }]);
    });

    test('still counts it once when a whole text has grown into one that is cut just behind it, and back', async () => {
      const whole = `${'Payment rules are kept by the team. '.repeat(6)}`;
      const grown = `${whole}${'and so on with payment '.repeat(20)}`;
      const sectionsOf = async () => (await readChunks(bench.database, 'project/1')).map((chunk) => chunk.section);
      await bench.write(put.project(1, { description: whole }));
      await bench.drain();
      const [first] = await readChunks(bench.database, 'project/1');
      await bench.write(put.project(1, { description: grown }));
      await bench.drain();
      const [firstOfGrown] = await readChunks(bench.database, 'project/1');
      const sectionsOfGrown = await sectionsOf();
      const hits = await nearest(bench, 'payment rules');
      await bench.write(put.project(1, { description: whole }));
      await bench.drain();

      expect(firstOfGrown?.content).toBe(first?.content);
      expect(new Set(sectionsOfGrown)).toEqual(new Set([1]));
      expect(hits).toHaveLength(1);
      expect(await sectionsOf()).toEqual([null]);
    });
  });

  test('orders hits that are equally near by their chunks’ ids, and cuts them off in that order', async () => {
    bench.embedder.vectorOf = () => vector(1, 1);
    for (const id of [5, 3, 9, 1, 7]) {
      await bench.write(put.project(id));
      await bench.drain();
    }
    const inOrder = ['5', '3', '9', '1', '7'];

    for (const topK of [1, 2, 3, 5]) {
      const hits = await searchNearest(bench.database, MANAGER, {
        question: vector(1, 1),
        model: HASHING,
        topK,
      });
      expect(hits.map((hit) => hit.sourceId)).toEqual(inOrder.slice(0, topK));
    }
  });

  test('never returns chunks of another model, however near, nor fails over their other dimensions', async () => {
    const other = new HashingEmbedder('another');
    other.vectorOf = () => vector(1, 0, 0);
    await bench.write(put.project(1, { name: 'Payments' }));
    await bench.drain({}, { embedder: other });
    await bench.write(put.project(2, { name: 'Payments' }));
    await bench.drain();

    expect(await findSources(bench, { caller: MANAGER }, 'payments')).toEqual(['project/2']);
    expect(await findSources(bench, { caller: MANAGER, embedder: other }, 'payments')).toEqual(['project/1']);
  });

  test('returns nothing from an index that is empty', async () => {
    expect(await nearest(bench, 'payments')).toEqual([]);
  });
});
